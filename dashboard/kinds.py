"""What kinds of sources are called. Brands are called the same in every language."""

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
    """Also of one that a newer version has written."""
    if kind in LABELS:
        return str(LABELS[kind])
    return _(CONNECTORS[kind].label) if kind in CONNECTORS else kind
