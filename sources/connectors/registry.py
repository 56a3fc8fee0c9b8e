"""The registry of the kinds of sources. Everything that lists them (the API, its description, the
services) goes through here, in this order."""

from __future__ import annotations

from django.conf import settings
from django.utils.module_loading import import_string

from sources.connectors.interface import Connector
from sources.connectors.unbuilt import NotBuilt
from sources.models import Source

CONNECTORS: dict[str, Connector] = {
    connector.kind: connector
    for connector in (import_string(name)() for name in settings.CONNECTORS)
}
KINDS = tuple(CONNECTORS)
CREATED_KINDS = tuple(kind for kind in KINDS if not CONNECTORS[kind].is_uploaded)
CHECKED_KINDS = tuple(kind for kind in KINDS if CONNECTORS[kind].can_be_checked)


def get_connector(source: Source) -> Connector:
    """The connector of a source, also for a kind that a newer version has written."""
    kind = source.source_type
    return CONNECTORS.get(kind) or NotBuilt(kind)
