"""The web server's worker: gunicorn's threads, and a loop that waits for slow clients instead of
them. Start at `worker.py`; [decision 0035](docs/decisions/0035-slow-clients.md)."""
