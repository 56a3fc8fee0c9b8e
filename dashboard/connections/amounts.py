"""How much will be read, in words."""

from __future__ import annotations

from django.template.defaultfilters import filesizeformat
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from sources.connectors.interface import Extent


def amount_in_words(amount: Extent | None) -> str:
    if amount is None:
        return _("We will know the size once it has been read.")
    count = {"count": number_format(amount.documents, force_grouping=True)}
    if amount.is_more:
        return _("More than %(count)s documents.") % count
    words = ngettext("%(count)s document", "%(count)s documents", amount.documents) % count
    size = amount.size_bytes
    return f"{words}, {filesizeformat(size)}." if size is not None else f"{words}."
