"""Calls of an Odoo database as one user: JSON-2 from version 19 on, JSON-RPC before.

odoo.com/documentation/19.0/developer/reference/external_api.html (JSON-2) and
odoo.com/documentation/18.0/developer/reference/external_api.html (JSON-RPC), read 2026-11-22. Odoo
has deprecated JSON-RPC in 19, switches it off in 20 unless told otherwise, and removes it in 22.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from config.http import TooLarge
from connectors.odoo.fields import ATTRIBUTES, Field, parse_fields
from connectors.odoo.problems import (
    MALFORMED,
    NEEDED,
    NO_DATABASE_NOW,
    NO_ODOO,
    NOT_ALLOWED,
    WRONG_DATABASE,
    WRONG_KEY,
)
from connectors.odoo.records import Record
from reasons import Reason, ReasonedError
from sources.connectors.calling import Api, CallRefused, FixedHeaders
from sources.connectors.json_bodies import parse_json
from sources.errors import OriginUnavailable, ReauthRequired
from sources.models import Connection

LABEL = "Odoo"
# From this version on, Odoo has an API for keys alone (/json/2) and calls the older one deprecated.
JSON2_SINCE = 19
MESSAGE_MAX_CHARS = 200  # of what Odoo says, in what we say
KEY_REFUSED = frozenset(
    {
        "odoo.exceptions.AccessDenied",
        "odoo.http.SessionExpiredException",
        "werkzeug.exceptions.Unauthorized",
    }
)
DATABASE_FAILED = frozenset({"psycopg2.OperationalError", "psycopg2.InterfaceError"})


class AccessRefused(ReauthRequired):
    """The credentials are wrong, or not valid any more. `field`: the wrong one."""

    def __init__(self, reason: Reason, *, field: str) -> None:
        self.field = field
        super().__init__(reason)


class OdooRefused(ReasonedError):
    """Odoo says no to one call, and why, for the customer; it may say yes to others."""


class AnswerTooLarge(OdooRefused):
    pass


class FilterRefused(OdooRefused):
    pass


@dataclass(frozen=True)
class Access:
    """The credentials of a database. `url`: without a path. `database` and `login` are "" if Odoo
    does not need them (from 19 on)."""

    url: str
    database: str
    login: str
    api_key: str = field(repr=False)

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


class Odoo(ABC):
    """`user`: the id of who owns the key; `language`: theirs, in which everything is read."""

    user = 0
    language = "en_US"

    def __init__(self, api: Api, access: Access) -> None:
        self.api = api
        self.access = access

    @abstractmethod
    def call(self, model: str, method: str, parameters: Mapping[str, Any]) -> Any:
        """Raises OdooRefused, AccessRefused, and as Api.call."""

    @abstractmethod
    def sign_in(self) -> None:
        """Finds `user` and `language`. Raises as `call`."""

    def search_read(
        self,
        model: str,
        domain: Sequence[Any],
        fields: Sequence[str],
        *,
        limit: int | None = None,
        with_archived: bool = False,
    ) -> list[Record]:
        """Rows in the order of their ids. Raises as `call`."""
        parameters: dict[str, Any] = {"domain": list(domain), "fields": list(fields)}
        if limit is not None:
            parameters["limit"] = limit
        context = {"lang": self.language, **({"active_test": False} if with_archived else {})}
        rows = self.call(model, "search_read", {**parameters, "order": "id", "context": context})
        if not isinstance(rows, list) or not all(map(is_record, rows)):
            raise OriginUnavailable(MALFORMED)
        return rows

    def count(self, model: str, domain: Sequence[Any]) -> int:
        """Raises as `call`."""
        found = self.call(model, "search_count", {"domain": list(domain)})
        if type(found) is not int or found < 0:
            raise OriginUnavailable(MALFORMED)
        return found

    def fields_of(self, model: str) -> dict[str, Field]:
        """Raises as `call`."""
        context = {"lang": self.language}
        asked = {"attributes": list(ATTRIBUTES), "context": context}
        return parse_fields(self.call(model, "fields_get", asked))


class JsonRpc(Odoo):
    def sign_in(self) -> None:
        for name in ("database", "login"):
            if not getattr(self.access, name):
                raise AccessRefused(NEEDED, field=name)
        own = self.access
        user = self.ask("common", "authenticate", own.database, own.login, own.api_key, {})
        if not user or not isinstance(user, int):
            raise AccessRefused(WRONG_KEY, field="api_key")
        self.user = user
        self.language = language_of(self.call("res.users", "context_get", {}))

    def call(self, model: str, method: str, parameters: Mapping[str, Any]) -> Any:
        named = dict(parameters)
        # The first parameter of these methods has another name before Odoo 16.
        given = [named.pop("domain")] if "domain" in named else []
        own = self.access
        key = (own.database, self.user, own.api_key)
        return self.ask("object", "execute_kw", *key, model, method, given, named)

    def ask(self, service: str, method: str, *arguments: Any) -> Any:
        about = {"service": service, "method": method, "args": arguments}
        asked = {"jsonrpc": "2.0", "method": "call", "params": about, "id": 1}
        try:
            answer = self.api.post(f"{self.access.url}/jsonrpc", asked)
        except CallRefused as error:
            raise refuse(error, NO_ODOO, field="url") from error
        except TooLarge as error:
            raise AnswerTooLarge(error.reason) from error
        match answer:
            case {"error": {"data": dict(told)}}:
                raise explain(told)
            case {"result": result}:
                return result
        raise OriginUnavailable(MALFORMED)


class Json2(Odoo):
    def sign_in(self) -> None:
        context = self.call("res.users", "context_get", {})
        user = context.get("uid") if isinstance(context, dict) else None
        if not isinstance(user, int):
            raise OriginUnavailable(MALFORMED)
        self.user = user
        self.language = language_of(context)

    def call(self, model: str, method: str, parameters: Mapping[str, Any]) -> Any:
        headers = {"Authorization": f"bearer {self.access.api_key}"}
        if self.access.database:
            headers["X-Odoo-Database"] = self.access.database
        url = f"{self.access.url}/json/2/{model}/{method}"
        try:
            return self.api.post(url, dict(parameters), headers=headers)
        except CallRefused as error:
            told = error.content()
            if not isinstance(told, dict):
                raise refuse(error, WRONG_DATABASE, field="database") from error
            raise explain(told) from error
        except TooLarge as error:
            raise AnswerTooLarge(error.reason) from error


@contextmanager
def open_odoo(access: Access, *, connection: Connection | None = None) -> Iterator[Odoo]:
    """Yields an Odoo that is signed in. Raises AccessRefused, and as Api.call."""
    with Api(LABEL, FixedHeaders({}), connection=connection) as api:
        kind = Json2 if version_of(api, access.url) >= JSON2_SINCE else JsonRpc
        odoo = kind(api, access)
        try:
            odoo.sign_in()
        except OdooRefused as refused:
            raise AccessRefused(refused.reason, field="api_key") from refused
        yield odoo


def version_of(api: Api, url: str) -> int:
    """The first number of its version; 0 before 19, where this path is unknown or some page."""
    try:
        told = parse_json(api.call("GET", f"{url}/web/version").body)
    except (CallRefused, TooLarge, ValueError, RecursionError):
        return 0
    match told:
        case {"version_info": [number, *_]}:
            found = re.search(r"\d{1,4}", str(number))  # "saas~19" where Odoo hosts it
            return int(found[0]) if found else 0
    return 0


def refuse(error: CallRefused, reason: Reason, *, field: str) -> Exception:
    """The error for an answer that Odoo did not write: there is none at the address, or a proxy
    before it refuses us."""
    if error.status == 404 or error.status < 400:
        return AccessRefused(reason, field=field)
    return OriginUnavailable(Reason("try_later", reason=error.reason))


def explain(told: Mapping[str, Any]) -> Exception:
    """The error to raise for an exception of Odoo's; `told` holds its `name` and `message`."""
    name, message = str(told.get("name", "")), str(told.get("message", ""))
    if name in KEY_REFUSED:
        return AccessRefused(WRONG_KEY, field="api_key")
    if name == "odoo.exceptions.AccessError":
        return OdooRefused(NOT_ALLOWED)
    if name in DATABASE_FAILED:
        if "does not exist" in message:
            return AccessRefused(WRONG_DATABASE, field="database")
        return OriginUnavailable(NO_DATABASE_NOW)
    said = " ".join(message.split())[:MESSAGE_MAX_CHARS]
    words = said or name[:MESSAGE_MAX_CHARS] or "no reason given."
    return OdooRefused(Reason("odoo_refused", words=words))


def is_record(row: object) -> bool:
    if not isinstance(row, dict):
        return False
    return type(row.get("id")) is int and row["id"] > 0


def language_of(context: object) -> str:
    language = context.get("lang") if isinstance(context, dict) else None
    return language if isinstance(language, str) and language else "en_US"
