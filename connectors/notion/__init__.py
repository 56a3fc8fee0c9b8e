"""Notion: the pages and databases that somebody shared with us, each page a document. Begin in
`connector.py`; `listing.py` finds what there is, `body.py` and `properties.py` make text of it."""
