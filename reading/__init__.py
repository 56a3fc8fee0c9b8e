"""Turns bytes into blocks and passages, in a confined process. Start with extract.py."""
