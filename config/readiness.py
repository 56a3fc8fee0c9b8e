"""The details that /readyz tells staff beyond its checks (config/health.py). Apps add to them when
they are ready; this module stands by itself, so that a command loads no view for it."""

from collections.abc import Callable

from django.http import HttpRequest

# A name, and "ok" or what an operator should know.
DETAILS: dict[str, Callable[[], str]] = {}

# Whether a request has an open session of the back office. Accounts knows.
IS_FROM_STAFF: list[Callable[[HttpRequest], bool]] = []
