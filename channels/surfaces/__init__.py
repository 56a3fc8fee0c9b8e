"""Channels where people meet an agent: a folder a kind, with one class that says everything about
it.

base.py      what a kind says of itself: Surface, and Messenger for those that call and are called
registry.py  which kinds there are, a line each
calling.py   calling a messenger without telling its secrets
reading.py   what messengers send, made safe
"""
