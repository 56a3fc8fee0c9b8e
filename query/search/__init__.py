"""Leads from a question to passages: retrieval, order, relevance. Start with retrieval.py."""
