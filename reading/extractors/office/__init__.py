"""Extractors of Word, Excel and PowerPoint."""
