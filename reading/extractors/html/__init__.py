"""Extractors of web pages and sitemaps."""
