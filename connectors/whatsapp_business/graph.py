"""Calls of Meta's Graph API with what connects a WhatsApp channel.

developers.facebook.com/docs/graph-api (results, guides/secure-requests, reference/debug_token) and
developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes, read
2026-11-22.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings

from config.http import FetchedPage
from connectors.whatsapp_business.problems import (
    MALFORMED,
    NOT_ALLOWED,
    NOT_THERE,
    RECONNECT,
)
from reasons import ReasonedError
from sources.connectors.calling import Api, CallRefused, FixedHeaders
from sources.errors import OriginUnavailable, ReauthRequired
from sources.models import Connection
from sources.oauth.tokens import open_account

LABEL = "WhatsApp"
PAGE_LIMIT = 100
# Its own faults, and too many calls, which have the status of a wrong request.
BUSY_CODES = frozenset({1, 2, 4, 17, 32, 613, 80007, 80008, 130429})
TOKEN_CODES = frozenset({102, 190})

Node = Mapping[str, Any]


class GraphRefused(ReasonedError):
    """Meta refuses one request; the message tells the customer why. Others may succeed."""


class Graph:
    def __init__(self, api: Api, credentials: Mapping[str, str]) -> None:
        self.api = api
        self.number = credentials.get("phone_number_id", "")
        self.token = credentials.get("system_user_token", "")
        key = credentials.get("app_secret", "").encode()
        self._proof = hmac.new(key, self.token.encode(), hashlib.sha256).hexdigest()

    def get(self, path: str, **query: str) -> Node:
        """Raises GraphRefused, and as Api.get."""
        query["appsecret_proof"] = self._proof
        try:
            answer = self.api.get(f"{settings.MESSENGER_B_API_URL}/{path}", query)
        except CallRefused as error:
            raise explain(error) from error
        if not isinstance(answer, dict):
            raise OriginUnavailable(MALFORMED)
        return answer

    def list(self, path: str, **query: str) -> Iterator[Node]:
        """Yields the nodes of an edge, page after page. Addresses of pages are not followed: they
        hold a token, and a cursor is enough. Raises as `get`."""
        after, seen = "", set[str]()
        while True:
            page = self.get(
                path, limit=str(PAGE_LIMIT), **query, **({"after": after} if after else {})
            )
            rows = page.get("data")
            if not isinstance(rows, list):
                raise OriginUnavailable(MALFORMED)
            yield from (row for row in rows if isinstance(row, dict))
            match page.get("paging"):
                case {"next": str(), "cursors": {"after": str(after)}} if after not in seen:
                    seen.add(after)
                case {"next": str()}:
                    raise OriginUnavailable(MALFORMED)  # it would go on for ever
                case _:
                    return

    def find_account(self) -> str:
        """The id of the business account that the number belongs to; "" where it cannot be seen."""
        return next((id_ for id_ in self._accounts() if self._has_number(id_)), "")

    def _accounts(self) -> Iterator[str]:
        """Ids of the business accounts that the token may read: those that its scopes name, or
        else those of its user. Meta takes the token to describe only as a parameter."""
        told = self.get("debug_token", input_token=self.token).get("data")
        token = told if isinstance(told, dict) else {}
        granted = token.get("granular_scopes")
        for scope in granted if isinstance(granted, list) else []:
            match scope:
                case {"scope": "whatsapp_business_management", "target_ids": [*targets]}:
                    yield from filter(is_id, targets)
                    return
        user = token.get("user_id")
        if is_id(user):
            for row in self.list(f"{user}/assigned_whatsapp_business_accounts", fields="id"):
                yield from filter(is_id, [row.get("id")])

    def _has_number(self, account: str) -> bool:
        try:
            numbers = self.list(f"{account}/phone_numbers", fields="id")
            return any(row.get("id") == self.number for row in numbers)
        except GraphRefused:
            return False


@contextmanager
def open_graph(connection: Connection) -> Iterator[Graph]:
    """Raises ReauthRequired when there is nothing that opens the account."""
    credentials = open_account(connection)
    headers = {"Authorization": f"Bearer {credentials.get('system_user_token', '')}"}
    with Api(LABEL, FixedHeaders(headers), connection=connection, is_busy=is_busy) as api:
        yield Graph(api, credentials)


def is_busy(answer: FetchedPage) -> bool:
    code, _ = code_of(CallRefused(LABEL, answer).content())
    return code in BUSY_CODES


def explain(error: CallRefused) -> Exception:
    code, message = code_of(error.content())
    if code is None:
        return OriginUnavailable(MALFORMED)
    if code in TOKEN_CODES or "appsecret_proof" in message:
        return ReauthRequired(RECONNECT)
    if code == 10 or 200 <= code < 300:
        return GraphRefused(NOT_ALLOWED)
    return GraphRefused(NOT_THERE)


def code_of(content: object) -> tuple[int | None, str]:
    """The code of an error, None where the content is not an error, and its message."""
    match content:
        case {"error": {"code": int(code), **rest}}:
            return code, str(rest.get("message", ""))
    return None, ""


def is_id(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 50
