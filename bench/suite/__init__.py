"""How long the test suite takes: a report of what a run has written to var/test/durations.json."""
