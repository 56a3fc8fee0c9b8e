"""Tells whether a passage bears out a sentence that a language model wrote. Begin
with support.py."""
