"""Trains the reader (query/search/reader): lessons → arrays → weights. README.md tells how."""
