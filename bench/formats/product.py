"""The product's code, set up without its services: files are read, nothing is stored."""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django

SETTINGS = {
    "ENVIRONMENT": "development",
    "DJANGO_SETTINGS_MODULE": "config.settings",
    # Settings want them; nothing here connects.
    "DATABASE_URL": "postgres://nobody@127.0.0.1:1/none",
    "REDIS_URL": "redis://127.0.0.1:1",
}


@contextmanager
def ready_product() -> Iterator[Path]:
    """An empty folder, gone afterwards. What needs Django is imported below it."""
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    with tempfile.TemporaryDirectory(prefix="formats-") as folder:
        os.environ.setdefault("DATA_DIR", folder)
        django.setup()
        logging.getLogger().setLevel(logging.ERROR)
        logging.getLogger("reading.extract").setLevel(logging.INFO)
        logging.getLogger("reading.extract").propagate = False
        yield Path(folder)
