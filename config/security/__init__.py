"""Encryption, passwords, rate limits and whose address a request comes from."""
