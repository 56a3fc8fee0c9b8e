"""Extractors of pictures, by OCR."""
