"""Questions: retrieval, relevance, answers."""
