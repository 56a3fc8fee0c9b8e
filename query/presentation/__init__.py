"""Answers as callers get them over HTTP, whichever app's endpoint they asked."""
