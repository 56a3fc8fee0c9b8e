"""Odoo as a source, against a stand-in of both its APIs."""
