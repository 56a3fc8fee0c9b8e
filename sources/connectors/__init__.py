"""The kinds of sources: a folder for each, with one class that describes the kind completely.

interface.py  what a connector says of itself, and what it yields
registry.py   which kinds there are, a line each
remote.py     how the documents of an account are listed, fetched and read
calling.py    how an account is called
unbuilt.py    kinds that this server does not know
"""
