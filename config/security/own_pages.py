"""Addresses of our own pages that a stranger may have written: where a person goes on to."""

import re

from django.utils.http import url_has_allowed_host_and_scheme

# Nothing that a browser or a proxy reads in another way than we do: no backslash, no percent sign
# (of an encoded dot or slash, however often), no parameter behind a semicolon.
PLAIN_PATH = re.compile(r"[A-Za-z0-9/_.:~-]*")
DOT_SEGMENT = re.compile(r"(^|/)\.{1,2}(/|$)")


def is_page_below(address: str, beginning: str) -> bool:
    """Tells whether the address leads below `beginning` of this site, by whatever rules it is
    resolved.

    Args:
        beginning: of the path, with a slash at its end.
    """
    path = re.split(r"[?#]", address, maxsplit=1)[0]
    return (
        path.startswith(beginning)
        and PLAIN_PATH.fullmatch(path) is not None
        and DOT_SEGMENT.search(path) is None
        and url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    )
