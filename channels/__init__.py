"""Connections to the web widget and the messengers (issue 6)."""
