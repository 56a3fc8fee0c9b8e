"""From passages to an answer: extraction, generation, redirects. Start with extraction.py."""
