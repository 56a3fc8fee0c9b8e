"""Shares its settings with another extractor, as PDF and images do."""

from reading.tests.misbehaving.prepared import extract, prepare

__all__ = ["extract", "prepare"]
