"""The language in which to speak to a client that says what it reads."""

from collections.abc import Collection

from django.utils.translation.trans_real import parse_accept_lang_header


def accepted_language(header: str, offered: Collection[str]) -> str | None:
    """The one of `offered` that an Accept-Language header (RFC 9110, 12.5.4) likes best, regions
    left out of account; None: it names none of them, or is malformed.
    """
    for tag, quality in parse_accept_lang_header(header):
        language = tag.partition("-")[0]
        if language in offered and quality > 0:
            return language
    return None
