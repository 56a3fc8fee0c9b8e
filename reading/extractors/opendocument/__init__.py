"""Extractors of OpenDocument files. Paragraphs, lists and tables are in content.py."""
