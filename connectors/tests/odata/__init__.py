"""The OData connector, against a stand-in that keeps the protocol's rules."""
