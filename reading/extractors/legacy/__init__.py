"""Extractors of what Office wrote before 2007 (DOC, XLS, PPT), and of RTF."""
