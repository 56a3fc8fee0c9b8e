"""Loads the product: in the process that others are forked from (forked.py), where this is the
first of ours that is imported.
"""

import django
from django.apps import apps


def load() -> None:
    if not apps.ready:
        django.setup()
    from query.management.commands import erase  # noqa: F401 - what is started finds it here
    from sources.management.commands import reembed  # noqa: F401
    from sources.syncing import sync  # noqa: F401


load()
