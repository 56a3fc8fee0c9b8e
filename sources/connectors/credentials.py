"""Credentials that somebody types to open an account: which may be sent, and in which header."""

from __future__ import annotations

import base64
import re

from config.errors import InvalidValue
from config.http import AddressRefused, check_public_url, parse_fetchable
from config.http.addresses import host_of, is_stand_in, port_of
from reasons import Reason
from sources.errors import ConnectionRefused

HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")  # a token (RFC 9110, 5.6.2)
PRINTABLE = re.compile(r"[!-~](?:[ -~]*[!-~])?")
# Headers that say how a request is sent, or are ours to say.
OWN_HEADER = re.compile(
    r"accept(-encoding)?|connection|content-.*|cookie|expect|host|if-.*|keep-alive|proxy-.*|range"
    r"|te|trailer|transfer-encoding|upgrade|user-agent",
    re.IGNORECASE,
)


def check_address(url: str, *, field: str) -> None:
    """May ask a name server. Raises ConnectionRefused at `field` unless `url` is an https address
    on the public internet: what opens the account is sent there."""
    try:
        parsed = parse_fetchable(url)
        if parsed.scheme != "https" and not is_stand_in(host_of(parsed), port_of(parsed)):
            raise InvalidValue(Reason("https_only"))
        check_public_url(url)
    except (InvalidValue, AddressRefused) as error:
        raise ConnectionRefused(error.reason, field=field) from error


def basic_header(name: str, password: str) -> dict[str, str]:
    """HTTP Basic authentication in UTF-8 (RFC 7617)."""
    encoded = base64.b64encode(f"{name}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


def key_header(header: str, key: str, *, header_field: str, key_field: str) -> dict[str, str]:
    """Raises ConnectionRefused at the field that cannot be sent."""
    if not PRINTABLE.fullmatch(key):
        raise ConnectionRefused(Reason("printable_ascii_only"), field=key_field)
    if not HEADER_NAME.fullmatch(header) or OWN_HEADER.fullmatch(header):
        message = Reason("header_name_needed")
        raise ConnectionRefused(message, field=header_field)
    return {header: key}
