"""Why something could not be read: stored in English by the pipeline, shown in the reader's
language."""

from django.utils.translation import gettext as _


def reason_in_words(reason: str) -> str:
    """As it is where we have no other words for it."""
    return _(reason) if reason else ""
