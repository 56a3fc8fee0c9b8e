"""The extractor of what an OData service says of itself."""
