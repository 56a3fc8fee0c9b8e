"""Sources, their documents and chunks, and the ingestion that makes them."""
