"""Extractors of recordings."""
