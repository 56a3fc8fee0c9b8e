"""The fields that somebody fills in to have an API read, and the values made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urldefrag

from django.utils.translation import gettext_noop

from config.http import parse_fetchable
from connectors.json_api.pointers import InvalidPointer, Pointer, parse_pointer
from reasons import Reason
from sources.connectors.credentials import basic_header, check_address, key_header
from sources.connectors.interface import ConnectionField
from sources.errors import ConnectionRefused

POINTER_MAX_CHARS = 300
PARAMETER = re.compile(r"[A-Za-z0-9_.\[\]$-]{1,100}")
# By the way of paging: the parameter that is sent where none is named.
USUAL_PARAMETERS = {"cursor": "cursor", "page": "page", "offset": "offset"}

FIELDS = (
    ConnectionField(
        "url",
        gettext_noop("Address of the list"),
        gettext_noop(
            "It must return JSON over https. Include fixed parameters, such as the number"
            " of items per page: https://api.example.com/articles?per_page=100"
        ),
    ),
    ConnectionField(
        "auth",
        gettext_noop("Authentication"),
        is_required=False,
        choices=(
            ("none", gettext_noop("None: anyone can read it")),
            ("bearer", gettext_noop("Bearer token")),
            ("header", gettext_noop("Key in a header")),
            ("basic", gettext_noop("User name and password")),
        ),
    ),
    ConnectionField(
        "auth_name",
        gettext_noop("Name of the header or of the user"),
        is_required=False,
        max_chars=200,
    ),
    ConnectionField(
        "auth_secret",
        gettext_noop("Token, key or password"),
        is_required=False,
        is_secret=True,
        max_chars=4000,
    ),
    ConnectionField(
        "items",
        gettext_noop("Where the items are"),
        gettext_noop(
            "A JSON Pointer, such as /data/articles. Leave it empty if the answer itself"
            " is the list."
        ),
        is_required=False,
        is_selection=True,
        max_chars=POINTER_MAX_CHARS,
    ),
    ConnectionField(
        "id",
        gettext_noop("ID of an item"),
        gettext_noop("It identifies the item and stays the same when the item is edited: /id"),
        is_selection=True,
        max_chars=POINTER_MAX_CHARS,
    ),
    ConnectionField(
        "title",
        gettext_noop("Title of an item"),
        gettext_noop("A JSON Pointer within the item: /title"),
        is_required=False,
        is_selection=True,
        max_chars=POINTER_MAX_CHARS,
    ),
    ConnectionField(
        "body",
        gettext_noop("Text of an item"),
        gettext_noop(
            "A JSON Pointer within the item: /body. Objects and lists are read as lines"
            " “name: value”. Leave it empty to read the whole item."
        ),
        is_required=False,
        is_selection=True,
        max_chars=POINTER_MAX_CHARS,
    ),
    ConnectionField(
        "body_format",
        gettext_noop("Format of the text"),
        is_required=False,
        is_selection=True,
        choices=(
            ("auto", gettext_noop("Detect it: HTML, Markdown or plain text")),
            ("html", "HTML"),
            ("markdown", "Markdown"),
            ("text", gettext_noop("Plain text")),
        ),
    ),
    ConnectionField(
        "link",
        gettext_noop("Address of an item"),
        gettext_noop("The page that people open from an answer: /url"),
        is_required=False,
        is_selection=True,
        max_chars=POINTER_MAX_CHARS,
    ),
    ConnectionField(
        "changed_at",
        gettext_noop("Time of the last change"),
        gettext_noop(
            "Date and time of the last change: /updated_at. An item is read again only"
            " when this changes. Leave it empty if some edits do not change it: the texts"
            " are then compared."
        ),
        is_required=False,
        is_selection=True,
        max_chars=POINTER_MAX_CHARS,
    ),
    ConnectionField(
        "paging",
        gettext_noop("Next page"),
        is_required=False,
        is_selection=True,
        choices=(
            ("link", gettext_noop("In a Link header, or there is only one page")),
            ("next", gettext_noop("The answer contains its address")),
            ("cursor", gettext_noop("The answer contains a cursor")),
            ("page", gettext_noop("By page number")),
            ("offset", gettext_noop("By the number of items before it")),
        ),
    ),
    ConnectionField(
        "next",
        gettext_noop("Where the address or the cursor is"),
        gettext_noop("A JSON Pointer, such as /meta/next_cursor"),
        is_required=False,
        is_selection=True,
        max_chars=POINTER_MAX_CHARS,
    ),
    ConnectionField(
        "parameter",
        gettext_noop("Parameter for the cursor, page or number"),
        gettext_noop("If empty: “cursor”, “page” or “offset”."),
        is_required=False,
        is_selection=True,
        max_chars=100,
    ),
)
CHOICES = {each.name: tuple(value for value, _ in each.choices) for each in FIELDS if each.choices}


@dataclass(frozen=True)
class Endpoint:
    """A list that an API offers. `headers`: the credentials."""

    url: str
    headers: Mapping[str, str] = field(repr=False)

    @property
    def host(self) -> str:
        return parse_fetchable(self.url).host or ""

    @property
    def name(self) -> str:
        """The address without its parameters: one of them may be a secret."""
        return self.url.partition("?")[0]


@dataclass(frozen=True)
class ListShape:
    """The places of all values in an answer. `title`, `link` and `changed_at` are () if the answer
    does not have them; `items` and `body` are then the whole."""

    items: Pointer
    id: Pointer
    title: Pointer
    body: Pointer
    body_format: str
    link: Pointer
    changed_at: Pointer
    paging: str
    next: Pointer
    parameter: str


def read_endpoint(given: Mapping[str, str]) -> Endpoint:
    """Raises ConnectionRefused, at the field that is wrong."""
    url = urldefrag(given["url"].strip()).url
    check_address(url, field="url")
    return Endpoint(url, read_auth(given))


def read_auth(given: Mapping[str, str]) -> dict[str, str]:
    """The headers that open it. Raises ConnectionRefused."""
    kind = chosen(given, "auth")
    name, secret = given["auth_name"].strip(), given["auth_secret"].strip()
    if kind == "none":
        return {}
    if not secret:
        raise ConnectionRefused(Reason("credentials_needed"), field="auth_secret")
    if kind == "basic":
        if not name or ":" in name or not f"{name}{secret}".isprintable():
            raise ConnectionRefused(Reason("user_name_needed"), field="auth_name")
        return basic_header(name, secret)
    if kind == "bearer":
        name, secret = "Authorization", f"Bearer {secret}"
    return key_header(name, secret, header_field="auth_name", key_field="auth_secret")


def read_shape(given: Mapping[str, str]) -> ListShape:
    """Raises ConnectionRefused, at the field that is wrong."""
    paging = chosen(given, "paging")
    parameter = given["parameter"].strip() or USUAL_PARAMETERS.get(paging, "")
    if parameter and not PARAMETER.fullmatch(parameter):
        raise ConnectionRefused(Reason("parameter_name_needed"), field="parameter")
    if paging in ("next", "cursor") and not given["next"].strip():
        raise ConnectionRefused(Reason("next_needed"), field="next")
    if not given["id"].strip():
        raise ConnectionRefused(Reason("id_needed"), field="id")
    return ListShape(
        items=pointer(given, "items"),
        id=pointer(given, "id"),
        title=pointer(given, "title"),
        body=pointer(given, "body"),
        body_format=chosen(given, "body_format"),
        link=pointer(given, "link"),
        changed_at=pointer(given, "changed_at"),
        paging=paging,
        next=pointer(given, "next"),
        parameter=parameter,
    )


def chosen(given: Mapping[str, str], name: str) -> str:
    """The first choice where nothing was given."""
    value = given[name] or CHOICES[name][0]
    if value not in CHOICES[name]:
        raise ConnectionRefused(
            Reason("choose_one_of", choices=", ".join(CHOICES[name])), field=name
        )
    return value


def pointer(given: Mapping[str, str], name: str) -> Pointer:
    try:
        return parse_pointer(given[name].strip())
    except InvalidPointer as error:
        example = Reason("pointer_example", reason=error.reason, name=name)
        raise ConnectionRefused(example, field=name) from error
