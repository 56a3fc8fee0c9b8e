"""Tenants, people, plans, sessions, and the tenant scope through which all other data is read."""
