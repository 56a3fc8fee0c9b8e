"""Inbound calls of the messengers (issue 6)."""
