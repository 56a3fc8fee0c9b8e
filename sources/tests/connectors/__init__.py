"""Tests of the connectors that read an account, each against its stand-in."""
