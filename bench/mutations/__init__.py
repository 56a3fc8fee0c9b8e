"""Takes each protection out of a copy of the tree: a test must notice. Run by `bin/mutations`.

`registry.py` names, for each published vulnerability of services like ours, our answer, the edit
that takes it out and the tests that then fail; `__main__.py` makes the edits in a copy of the tree.
"""
