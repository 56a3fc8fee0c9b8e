"""Tenants, people, plans, sessions, and the tenant scope that every other app's data is read through."""
