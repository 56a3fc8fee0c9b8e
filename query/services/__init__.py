"""The operations on questions, conversations, leads and notifications that the API, the commands
and the dashboard offer, a module each: callers import the one that defines what they call. Begin
at asking.py.
"""
