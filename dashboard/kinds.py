"""The names of the kinds of sources and channels. Brands have the same name in every language."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from channels.surfaces.registry import SURFACES
from sources.connectors.registry import CONNECTORS

WEBSITE = "web"  # the channel, and the kind of source
BEING_READ = gettext_lazy("It is being read.")  # a source of any kind

LABELS = {
    "file": gettext_lazy("Document"),
    "audio": gettext_lazy("Recording"),
    "web": gettext_lazy("Website"),
    "api": gettext_lazy("JSON over HTTPS"),
}


def name_kind(kind: str) -> str:
    """The name of a kind; the kind itself if only a newer version knows it."""
    if kind in LABELS:
        return str(LABELS[kind])
    return _(CONNECTORS[kind].label) if kind in CONNECTORS else kind


def name_channel(kind: str) -> str:
    """The name of a channel; the kind itself if only a newer version knows it."""
    return _(SURFACES[kind].label) if kind in SURFACES else kind
