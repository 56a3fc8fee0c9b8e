"""The extractors: a module for each kind of file, with an `extract` that keeps the contract of
`interface.Extractor`.

They run in the confined child process (confinement/server.py) and import neither Django nor config.
"""
