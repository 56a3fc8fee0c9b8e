"""Settings, URLs, Celery, error envelope, health. Imports no app, except in urls and settings."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
