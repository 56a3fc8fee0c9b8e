"""Any JSON over HTTPS: a list, and pointers to what of each item is read.

fields.py    what somebody types: the address, what opens it, what is where
pointers.py  JSON Pointer
pages.py     one page of the list after the other; links.py reads their Link header
records.py   an item becomes a document, its value a text
connector.py checks, measures and reads
"""
