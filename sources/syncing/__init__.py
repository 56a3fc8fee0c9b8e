"""A source and what is indexed of it: the lock, a run, its schedule. Start with runs.py."""
