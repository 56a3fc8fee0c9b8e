"""Accounts elsewhere: connecting them, choosing what is read, and their end. Begin at signing_in.py."""
