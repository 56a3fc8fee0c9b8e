"""Extractors of electronic books."""
