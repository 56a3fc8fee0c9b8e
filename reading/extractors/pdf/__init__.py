"""Extractors of PDF, and scans in it by OCR."""
