"""Redirect URIs: a person is sent back with a code to registered addresses, and nowhere else."""

from urllib.parse import SplitResult, urlsplit

from accounts.models.programs import URI_MAX_CHARS
from config.http.addresses import LOOPBACK_HOSTS, is_loopback

# Of apps that come back by a scheme of their own, whole: the same scheme also opens whatever else
# the app does for a link ("cursor://…/mcp/install" adds a server to it). Each with its source.
APP_CALLBACKS = frozenset(
    {
        "cursor://anysphere.cursor-mcp/oauth/callback",  # https://cursor.com/docs/mcp, 2026-11-26
    }
)
NEVER = frozenset('"<>\\^`{|}')  # no URI has them (RFC 3986)


def may_register(uri: str) -> bool:
    """True if a program may register the address: https, http on the person's own machine, or one
    of APP_CALLBACKS."""
    parts = split(uri)
    if parts is None or parts.fragment or "#" in uri or "@" in parts.netloc:
        return False
    if parts.scheme == "https":
        return bool(parts.hostname)
    if parts.scheme == "http":
        return parts.hostname in LOOPBACK_HOSTS
    return uri in APP_CALLBACKS


def is_registered(uri: str, registered: list[str]) -> bool:
    """True if the URI is registered, compared character by character, except for the port on the
    person's own machine, which an app chooses only when it needs one (RFC 8252, section 7.3). False
    for a URI that may not be registered now."""
    if not may_register(uri):
        return False
    return uri in registered or any(differs_in_port(uri, known) for known in registered)


def differs_in_port(uri: str, known: str) -> bool:
    given, expected = split(uri), split(known)
    if given is None or expected is None or not is_loopback(expected):
        return False
    return without_port(given) == without_port(expected)


def without_port(parts: SplitResult) -> tuple[str, str | None, str, str]:
    return parts.scheme, parts.hostname, parts.path, parts.query


def split(uri: str) -> SplitResult | None:
    """Returns the parts of a URI, or None if it is not a URI or two readers could read it
    differently."""
    is_plain = all("!" <= sign <= "~" and sign not in NEVER for sign in uri)
    if not uri or len(uri) > URI_MAX_CHARS or not is_plain:
        return None
    try:
        parts = urlsplit(uri)
        _ = parts.port  # a number? It is read only now
    except ValueError:
        return None
    return parts if parts.scheme else None
