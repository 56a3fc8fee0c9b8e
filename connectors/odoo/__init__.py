"""Odoo: products, prices, stock, taxes, articles, and whatever else a person chooses.

connector.py  what is typed to connect a shop, what can be chosen, and the sync
calls.py      both of Odoo's APIs behind one class
selection.py  what was chosen: models, fields, filters (domains.py)
listing.py    which records there are, and which of them changed
problems.py   why something could not be read
records.py    a record becomes text; fields.py what its fields are; html.py what they hold
"""
