"""Reasons (reasons/) in the language of the page or the mail that is being written."""

from functools import partial

from django.utils.formats import number_format
from django.utils.translation import gettext

from reasons import Reason


def in_words(reason: Reason | None) -> str:
    """Return the reason in the active language; "" for None."""
    if reason is None:
        return ""
    return reason.render(gettext, partial(number_format, force_grouping=True))
