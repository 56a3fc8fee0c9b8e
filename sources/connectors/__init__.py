"""Where documents come from: a folder a kind, with one class that says everything about it.

interface.py  what a connector says of itself, and what it yields
registry.py   which kinds there are, a line each
unbuilt.py    those that this server cannot read yet
"""
