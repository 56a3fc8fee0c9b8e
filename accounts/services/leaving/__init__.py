"""Asking for archives, for the end of a workspace, and for a person's erasure. Start with
`deletion.py`."""
