"""What a kind of source is, and what the kinds share. The kinds themselves stand above, a
folder each (connectors/).

interface.py  what a connector says of itself, and what it yields
registry.py   which kinds there are: those of `settings.CONNECTORS`
remote.py     how the documents of an account are listed, fetched and read
calling.py    how an account is called
unbuilt.py    kinds that this server does not know
"""
