"""The names of the kinds of sources. Brands have the same name in every language."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from sources.connectors.registry import CONNECTORS

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
