"""How the suite itself runs: what a run leaves out, how long its files take, where its databases
come from. Loaded as plugins by the root's conftest.py.
"""
