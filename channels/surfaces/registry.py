"""The kinds of channels. Every list of them (in the API, its description, webhook addresses, the
database's own check) comes from here, in this order."""

from __future__ import annotations

from channels.surfaces.base import Messenger, Surface
from channels.surfaces.telegram.surface import Telegram
from channels.surfaces.web.surface import Website
from channels.surfaces.whatsapp.surface import WhatsApp

SURFACES: dict[str, type[Surface]] = {
    surface.kind: surface for surface in (Website, Telegram, WhatsApp)
}
KINDS = tuple(SURFACES)
MESSENGERS: dict[str, type[Messenger]] = {
    kind: surface for kind, surface in SURFACES.items() if issubclass(surface, Messenger)
}
