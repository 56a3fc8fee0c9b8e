"""The extractor of an OData service's description."""
