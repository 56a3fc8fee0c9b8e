"""Addresses of pages: their parameters, and the form in which the next sync remembers them."""

from __future__ import annotations

from urllib.parse import unquote_plus, urlencode, urlsplit, urlunsplit

from connectors.json_api.fields import Endpoint


def with_parameter(url: str, name: str, value: str) -> str:
    """The address with this parameter, replacing one of that name; others stay as they are
    written."""
    parts = urlsplit(url)
    others = [each for each in parts.query.split("&") if each and name_of(each) != name]
    return urlunsplit(parts._replace(query="&".join([*others, urlencode({name: value})])))


def number_in(url: str, name: str, *, default: int) -> int:
    for each in urlsplit(url).query.split("&"):
        written = each.partition("=")[2]
        if name_of(each) == name and written.isascii() and written.isdigit():
            return int(written[:9])
    return default


def name_of(parameter: str) -> str:
    return unquote_plus(parameter.partition("=")[0])


def remember(url: str, endpoint: Endpoint) -> list[str | int]:
    """The path and the parameters. Those of the list's own address as their number there: one of
    them may be a secret, and what is remembered is not sealed."""
    own = parameters_of(endpoint.url)
    return [
        urlsplit(url).path,
        *(own.index(each) if each in own else each for each in parameters_of(url)),
    ]


def recall(remembered: list[str | int], endpoint: Endpoint) -> str:
    own = parameters_of(endpoint.url)
    path, *parameters = remembered
    query = "&".join(own[each] if isinstance(each, int) else each for each in parameters)
    return urlunsplit(urlsplit(endpoint.url)._replace(path=str(path), query=query))


def parameters_of(url: str) -> list[str]:
    query = urlsplit(url).query
    return query.split("&") if query else []
