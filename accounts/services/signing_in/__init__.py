"""Signing up and in, with a password, a code or both, and changing them. Start with
`sessions.py`."""
