"""Any JSON over HTTPS: a list, and pointers to what of each item is read.

connector.py  checks, measures and reads
fields.py     what somebody types: the address, what opens it, what is where
pointers.py   JSON Pointer
pages.py      one page of the list after the other; links.py reads their Link header
listing.py    the documents of all pages; addresses.py remembers pages for the next sync
records.py    an item becomes a document; values.py makes text of JSON
"""
