"""Turns passages into an answer: extraction, generation, redirects. Start with extraction.py."""
