"""Embedding models, the vectors that they make, and what is kept of them."""
