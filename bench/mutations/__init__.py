"""What is left of each protection when it is taken out: nothing that the tests do not notice.

`registry.py` names, for each published vulnerability of services like ours, our answer, the edit
that takes it out and the tests that then fail; `__main__.py` makes the edits in a copy of the tree.
"""
