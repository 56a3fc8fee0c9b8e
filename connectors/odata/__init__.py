"""Records of an ERP, over OData v4: Business Central, SAP Business One, S/4HANA and their like.

connector.py  what it says of itself; begin reading here
account.py    what somebody typed, and what opens the service with it
tokens.py     a token for a client without a person
checking.py   looking at a service before there is a source
service.py    the protocol: $metadata, pages, counts
metadata.py   entity sets and their properties, and what was chosen of them
keys.py       which record is meant: "Products(42)"
records.py    a record as text
changes.py    what has changed since the last sync
reading.py    an entity set, record by record
"""
