"""How long the test suite takes: a report of what a run has written to var/test/durations.json.

`python -m bench.suite [BEFORE.json]`, after `bin/test --all`.
"""
