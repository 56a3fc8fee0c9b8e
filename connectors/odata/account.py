"""The account that somebody typed in to connect a service, and its credentials."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from django.utils.translation import gettext_noop

from connectors.odata.service import ServiceAddress
from connectors.odata.tokens import ClientCredentials
from reasons import Reason
from sources.connectors.calling import Authorization, FixedHeaders
from sources.connectors.credentials import basic_header, check_address, key_header
from sources.connectors.interface import Account, ConnectionField
from sources.errors import ConnectionRefused

BASIC, KEY, CLIENT = "basic", "key", "client"
NEEDED: Mapping[str, tuple[str, ...]] = {
    BASIC: ("username", "password"),
    KEY: ("key_header", "key"),
    CLIENT: ("token_url", "client_id", "client_secret"),
}
SECRETS = {BASIC: "password", KEY: "key", CLIENT: "client_secret"}  # what is wrong after a 401

FIELDS = (
    ConnectionField(
        "service_url",
        gettext_noop("Address of the service"),
        gettext_noop(
            "The root address, without an entity set. Parameters after “?”"
            " (sap-client=100, company=…) are sent with every request."
        ),
    ),
    ConnectionField(
        "sign_in",
        gettext_noop("Sign-in"),
        choices=(
            (BASIC, gettext_noop("User name and password")),
            (KEY, gettext_noop("API key")),
            (CLIENT, gettext_noop("OAuth 2.0 client credentials")),
        ),
    ),
    ConnectionField("username", gettext_noop("User name"), is_required=False),
    ConnectionField("password", gettext_noop("Password"), is_required=False, is_secret=True),
    ConnectionField(
        "key_header",
        gettext_noop("Header of the API key"),
        gettext_noop("For example APIKey."),
        max_chars=64,
        is_required=False,
    ),
    ConnectionField("key", gettext_noop("API key"), is_required=False, is_secret=True),
    ConnectionField("token_url", gettext_noop("Token URL"), is_required=False),
    ConnectionField("client_id", gettext_noop("Client ID"), is_required=False),
    ConnectionField(
        "client_secret", gettext_noop("Client secret"), is_required=False, is_secret=True
    ),
    ConnectionField(
        "scope",
        gettext_noop("Scope"),
        gettext_noop("See the documentation of the service. It is often empty."),
        is_required=False,
    ),
    ConnectionField(
        "entity_sets",
        gettext_noop("What is read"),
        gettext_noop(
            "One entity set per line. To read only some of its properties, list them:"
            " “Items: number, displayName, unitPrice”."
        ),
        max_chars=20_000,
        is_required=False,
        is_selection=True,
    ),
)


def check_fields(fields: Mapping[str, str]) -> None:
    """Raises ConnectionRefused. May ask a name server."""
    for name in (*NEEDED.get(sign_in_of(fields), ()), "service_url"):
        if not fields.get(name, "").strip():
            raise ConnectionRefused(Reason("field_needed"), field=name)
    if sign_in_of(fields) not in NEEDED:
        raise ConnectionRefused(Reason("sign_in_kind_unknown"), field="sign_in")
    check_address(fields["service_url"].strip(), field="service_url")
    if sign_in_of(fields) == CLIENT:
        check_address(fields["token_url"].strip(), field="token_url")
    authorization_of(fields)  # refuses a key that cannot be sent


def sign_in_of(fields: Mapping[str, str]) -> str:
    return fields.get("sign_in", "") or BASIC


def address_of(fields: Mapping[str, str]) -> ServiceAddress:
    """The root of the service, also where its metadata's address was given."""
    parts = urlsplit(fields["service_url"].strip())
    path = parts.path.rstrip("/").removesuffix("/$metadata")
    options = [pair for pair in parse_qsl(parts.query) if not pair[0].startswith("$")]
    root = urlunsplit((parts.scheme, parts.netloc, path, "", ""))
    return ServiceAddress(root, urlencode(options, quote_via=quote))


def host_label(fields: Mapping[str, str]) -> str:
    return urlsplit(fields["service_url"].strip()).netloc


def authorization_of(fields: Mapping[str, str]) -> Authorization:
    """Raises ConnectionRefused for a key that cannot be sent."""
    match sign_in_of(fields):
        case "key":
            header, key = fields["key_header"].strip(), fields["key"].strip()
            return FixedHeaders(key_header(header, key, header_field="key_header", key_field="key"))
        case "client":
            return ClientCredentials(
                host_label(fields),
                fields["token_url"].strip(),
                client_id=fields["client_id"],
                client_secret=fields["client_secret"],
                scope=fields.get("scope", "").strip(),
            )
    return FixedHeaders(basic_header(fields["username"], fields["password"]))


def account_of(fields: Mapping[str, str]) -> Account:
    """The account: a user and a service. An API key does not tell whom it belongs to."""
    address, sign_in = address_of(fields), sign_in_of(fields)
    name = {BASIC: fields.get("username", ""), CLIENT: fields.get("client_id", "")}.get(sign_in, "")
    label = f"{name} at {host_label(fields)}" if name else host_label(fields)
    named = f"{sign_in} {name} {address.below('')}"
    return Account(hashlib.sha256(named.encode()).hexdigest(), label[:200])
