"""Accounts elsewhere: connecting them, choosing what is read, and their end. Begin at views.py."""
