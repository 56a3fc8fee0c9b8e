"""Reads a message: its words, what it asks for, the day that it means."""
