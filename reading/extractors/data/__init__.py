"""Extractors of structured data. What JSON and XML have in common is in values.py."""
