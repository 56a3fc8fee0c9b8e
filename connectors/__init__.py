"""The kinds of sources: a folder a kind, with one class that says everything about it
(sources/connectors/interface.py). `settings.CONNECTORS` lists them; they know nothing of each
other.
"""
