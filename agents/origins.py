"""Origins of web pages that may talk to an agent, in the form in which browsers send them.

Form: https://html.spec.whatwg.org/multipage/browsers.html#ascii-serialisation-of-an-origin, read
2026-11-21: lower case, international names in punycode, no default port.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable

import idna

from agents.errors import InvalidAgentConfig
from agents.models import MAX_ORIGINS, ORIGIN_MAX_CHARS

ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[^\s/?#@:\\\[\]]+)(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
DEFAULT_PORTS = {"http": 80, "https": 443}
HIGHEST_PORT = 65535
NUMERIC_LABEL = re.compile(r"[0-9]+|0x[0-9a-f]*")  # as the last one: the host is an IPv4 address
ALLOWED = "scheme://host[:port], http or https, and nothing after it"


def normalize_origins(origins: Iterable[str]) -> list[str]:
    """Returns the origins normalized, each once, in their order. Raises InvalidAgentConfig."""
    normalized = list(dict.fromkeys(map(normalize_origin, origins)))
    if len(normalized) > MAX_ORIGINS:
        raise InvalidAgentConfig(f"allowed_origins: At most {MAX_ORIGINS} are allowed.")
    return normalized


def normalize_origin(origin: str) -> str:
    """Raises InvalidAgentConfig."""
    found = ORIGIN.fullmatch(origin) if len(origin) <= ORIGIN_MAX_CHARS else None
    try:
        if found is None:
            raise ValueError("another form")
        scheme = found["scheme"].lower()
        normalized = f"{scheme}://{read_host(found['host'])}{read_port(scheme, found['port'])}"
    except ValueError as error:
        shown = origin[:ORIGIN_MAX_CHARS]
        raise InvalidAgentConfig(
            f'allowed_origins: "{shown}" is not an origin. Allowed is {ALLOWED}.'
        ) from error
    return normalized


def read_host(host: str) -> str:
    """Normalizes the host to ASCII. Raises ValueError."""
    if host.startswith("["):
        return f"[{ipaddress.IPv6Address(host[1:-1])}]"
    name = idna.encode(host, uts46=True, std3_rules=True).decode()
    labels = name.split(".")
    if not all(labels):  # a full stop at the end: to a browser another host
        raise ValueError("an empty label")
    return str(ipaddress.IPv4Address(name)) if NUMERIC_LABEL.fullmatch(labels[-1]) else name


def read_port(scheme: str, port: str | None) -> str:
    """Returns the port with its colon; "" for the scheme's own port. Raises ValueError."""
    if port is None or int(port) == DEFAULT_PORTS[scheme]:
        return ""
    if not 0 < int(port) <= HIGHEST_PORT:
        raise ValueError("no port")
    return f":{int(port)}"
