"""Names of channels for people to read. Apps that know a channel add its name here: the app that
has the surfaces stands above this one.
"""

from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from query.models import API

OWN_NAMES: Mapping[str, str | Promise] = {API: "API", "dashboard": _("dashboard")}
# Asked when a name is: what knows the surfaces loads them.
CHANNEL_NAMES: list[Callable[[], Mapping[str, str | Promise]]] = [lambda: OWN_NAMES]


def name_channel(kind: str) -> str:
    """The channel's name in the active language; an unknown kind is its own name."""
    return str(next((names[kind] for tell in CHANNEL_NAMES if kind in (names := tell())), kind))
