"""The documents of a source and the result of reading each, in words."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from config.wording import in_words
from dashboard.sources.states import age_in_words
from sources.models import Document


def describe_document(document: Document) -> dict[str, Any]:
    place = document.place or document.external_id
    addresses = filter(is_web_address, (document.link, document.external_id))
    return {
        "title": document.title or place,
        "place": place if document.place and place != document.title else "",
        "address": next(addresses, ""),
        "warnings": list(map(in_words, document.warnings)),
        "coverage": describe_coverage(document.coverage),
        "chunks_count": document.chunks_count,
        "age": age_in_words(document.synced_at, timezone.now()),
    }


def describe_coverage(counts: dict[str, int]) -> str:
    """ "12 pages, 10 with text; 3,400 words, 310 of them recognised": "" for a document that was
    read before they were counted."""
    pages, with_text = counts.get("pages", 0), counts.get("pages_with_text", 0)
    words, recognised = counts.get("words", 0), counts.get("words_recognised", 0)
    if not words:
        return ""
    parts = []
    if pages:
        parts.append(ngettext("%(count)s page", "%(count)s pages", pages) % {"count": pages})
    if with_text < pages:
        parts.append(_("%(count)s with text") % {"count": with_text})
    parts.append(ngettext("%(count)s word", "%(count)s words", words) % {"count": words})
    if recognised:
        parts.append(_("%(count)s of them recognised") % {"count": recognised})
    return ", ".join(parts)


def is_web_address(text: str) -> bool:
    """True if the text is an http(s) address. Only these become links: stored texts may be
    anything."""
    return text.startswith(("http://", "https://"))
