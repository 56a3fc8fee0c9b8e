"""One module per kind of file, each with an `extract` that keeps the contract of
`interface.Extractor`.

They run in the confined child process (confinement/server.py) and import neither Django nor config.
"""
