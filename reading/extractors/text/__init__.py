"""Extractors of plain text, Markdown and CSV."""
