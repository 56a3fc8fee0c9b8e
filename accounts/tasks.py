"""Celery's entry points into accounts."""
