"""Extractors of OpenDocument files. Each starts from content.py, where paragraphs and tables are."""
