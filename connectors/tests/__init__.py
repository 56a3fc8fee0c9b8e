"""Tests of the kinds of sources, each against its stand-in."""
