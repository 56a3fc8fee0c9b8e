"""Extractors that do what a hostile file could make a parser do: test_sandbox.py runs them."""
