"""The operations on sources that the API, the commands and the dashboard offer, a module each:
callers import the one that defines what they call.
"""
