"""Settings, URLs, Celery, error envelope, health. Imports no app, except in urls and settings.

Nothing here: what needs no Django (bin/up, its log, the watch of the servers) starts without it.
"""
