"""A stand-in for Notion: its API of version 2026-03-11 (developers.notion.com/reference, read
2026-11-22) over a workspace that a test fills and changes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from sources.tests.providers.authorization import Authorization, Grant, Person
from sources.tests.providers.notion_blocks import paragraph
from sources.tests.providers.notion_rules import (
    PAGE_SIZE_MAX,
    PAGING,
    Refusal,
    body_of,
    check_query,
    invalid,
    missing,
    page_size_of,
    rate_limited,
    refusal,
    search_direction,
    search_kind,
    uuid_of,
)
from sources.tests.providers.notion_workspace import Item, Workspace
from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

VERSION = "2026-03-11"
SEARCH_FIELDS = PAGING | {"query", "sort", "filter"}
QUERY_FIELDS = PAGING | {"sorts", "filter", "in_trash", "result_type"}


def version_refusal(call: Call) -> Reply | None:
    """…/reference/versioning. It speaks one version here."""
    version = call.headers.get("notion-version")
    if version == VERSION:
        return None
    code = "validation_error" if version else "missing_version"
    return refusal(400, code, "Notion-Version header failed validation.")


def workspace_of(person: Person) -> tuple[str, str]:
    """(id, name): each person has their own."""
    return str(uuid5(NAMESPACE_OID, person.id)), f"{person.name}'s Notion"


@dataclass
class NotionAuthorization(Authorization):
    """Without PKCE and scopes: what may be read is chosen on Notion's own page. Refresh tokens are
    good once (…/guides/get-started/authorization, …/reference/create-a-token, …/refresh-a-token,
    …/revoke-token). `expires`: connections of before 2025 got a token for good, and no other."""

    authorize_path: str = "/v1/oauth/authorize"
    token_path: str = "/v1/oauth/token"
    revoke_path: str = "/v1/oauth/revoke"
    wants_pkce: bool = False
    wants_basic: bool = True
    takes_json: bool = True
    rotates: bool = True
    expires: bool = True

    def problem_of(self, asked: Mapping[str, str]) -> str:
        return super().problem_of(asked) or ("" if asked.get("owner") == "user" else "owner")

    def give_token(self, call: Call) -> Reply:
        if not call.headers.get("content-type", "").startswith("application/json"):
            return refusal(400, "invalid_json")
        return version_refusal(call) or super().give_token(call)

    def tokens_of(self, grant: Grant, *, is_new: bool) -> dict[str, Any]:
        tokens = super().tokens_of(grant, is_new=is_new and self.expires)
        workspace_id, workspace_name = workspace_of(grant.person)
        return {
            "access_token": tokens["access_token"],
            "token_type": "bearer",
            "refresh_token": tokens.get("refresh_token"),
            "bot_id": str(uuid5(NAMESPACE_OID, f"bot {grant.person.id}")),
            "workspace_id": workspace_id,
            "workspace_name": workspace_name,
            "workspace_icon": None,
            "owner": {
                "type": "user",
                "user": {
                    "object": "user",
                    "id": str(uuid5(NAMESPACE_OID, f"user {grant.person.id}")),
                    "name": grant.person.name,
                    "avatar_url": None,
                    "type": "person",
                    "person": {"email": grant.person.email},
                },
            },
            "duplicated_template_id": None,
            "request_id": "00000000-0000-0000-0000-00000000ffff",
        }

    def revoke(self, call: Call) -> Reply:
        if refused := version_refusal(call):
            return refused
        given = call.json
        if not self.is_client(call, given):
            return json_reply({"error": "invalid_client"}, 401)
        for grant in self.grants:
            if given.get("token") in grant.access_tokens:
                grant.is_revoked = True
        return json_reply({"request_id": "00000000-0000-0000-0000-00000000ffff"})


class NotionServer(ProviderServer):
    """`reads_content`: the capability that an application is registered with. `page_max`: how many
    results a page has at most: fewer than asked for is allowed. `results_max`: of one search or
    query, however it is paged (…/guides/data-apis/query-large-data-sources). `budget`: calls in a
    window of `window_seconds` (…/reference/request-limits); None is no limit."""

    def __init__(self) -> None:
        super().__init__()
        self.authorization = NotionAuthorization()
        self.workspace = Workspace()
        self.reads_content = True
        self.page_max = PAGE_SIZE_MAX
        self.results_max = 10_000
        self.budget: int | None = None
        self.window_seconds = 60.0
        self._window = (0.0, 0)  # since when, calls in it
        self._cursors: dict[str, tuple[str, int]] = {}

    def fill(self, count: int) -> list[str]:
        """Pages with a paragraph each, under one at the top. Their ids."""
        top = self.workspace.add_page("Handbook")
        return [
            self.workspace.add_page(
                f"Page {number}", paragraph(f"Rule {number}: close the door."), under=top
            )
            for number in range(1, count)
        ]

    def answer(self, call: Call) -> Reply:
        with self.lock:
            answer = self.authorization.answer(call)
            if answer is not None:
                return answer
            try:
                return self._answer_api(call)
            except Refusal as refused:
                return refused.reply

    def _answer_api(self, call: Call) -> Reply:
        grant = self.authorization.grant_of(call.bearer)
        if grant is None:
            raise Refusal(401, "unauthorized", "API token is invalid.")
        if refused := version_refusal(call):
            return refused
        if wait := self._spend():
            return rate_limited(after_seconds=wait)
        match call.method, *call.path.strip("/").split("/"):
            case "GET", "v1", "users", "me":
                return json_reply(self._tell_bot(call, grant))
            case "POST", "v1", "search":
                return self._search(call)
            case "GET", "v1", "pages", page_id:
                check_query(call)
                return json_reply(self.workspace.describe(self._find(page_id, "page")))
            case "GET", "v1", "data_sources", data_source_id:
                check_query(call)
                return json_reply(
                    self.workspace.describe(self._find(data_source_id, "data_source"))
                )
            case "POST", "v1", "data_sources", data_source_id, "query":
                return self._query(call, self._find(data_source_id, "data_source"))
            case "GET", "v1", "databases", database_id:
                check_query(call)
                return json_reply(self._tell_database(database_id))
            case "GET", "v1", "blocks", block_id:
                check_query(call)
                return json_reply(self.workspace.describe_block(self._find_block(block_id)))
            case "GET", "v1", "blocks", block_id, "children":
                check_query(call, PAGING)
                found = self.workspace.blocks_in(self._find_block(block_id))
                return self._page(call.path, call.query, found, kind="block")
        raise Refusal(400, "invalid_request_url", "Invalid request URL.")

    # --- What is asked for ------------------------------------------------------------------------

    def _search(self, call: Call) -> Reply:
        """Newest first unless asked otherwise; titles alone are searched."""
        asked = body_of(call, SEARCH_FIELDS)
        kind = search_kind(asked.get("filter"))
        is_ascending = search_direction(asked.get("sort")) == "ascending"
        found = [
            item
            for item in self.workspace.items.values()
            if not item.is_trashed
            and item.id not in self.workspace.unlisted
            and self.workspace.is_shared(item.id)
            and str(asked.get("query", "")).casefold() in item.title.casefold()
        ]
        found.sort(key=lambda item: item.edited, reverse=not is_ascending)
        told = [self.workspace.describe(item) for item in found]
        told = [each for each in told if kind in ("", each["object"])]
        name = f"{call.path} {kind} {is_ascending} {asked.get('query', '')}"
        return self._page(name, asked, told, kind="page_or_data_source")

    def _query(self, call: Call, data_source: Item) -> Reply:
        """As they were made, unless sorted; filters are not spoken here."""
        check_query(call)
        asked = body_of(call, QUERY_FIELDS)
        if asked.get("filter"):
            raise invalid("body.filter: this stand-in knows none")
        is_trashed = asked.get("in_trash", False)
        rows = [row for row in self.workspace.rows(data_source.id) if row.is_trashed == is_trashed]
        for sort in reversed(asked.get("sorts", [])):
            if sort.get("timestamp") not in ("created_time", "last_edited_time"):
                raise invalid("body.sorts[0].timestamp")
            by = "created" if sort["timestamp"] == "created_time" else "edited"
            rows.sort(
                key=lambda row: str(getattr(row, by)), reverse=sort.get("direction") == "descending"
            )
        told = [self.workspace.describe(row) for row in rows]
        return self._page(call.path, asked, told, kind="page_or_data_source")

    def _page(
        self,
        name: str,
        asked: Mapping[str, Any],
        found: list[dict[str, Any]],
        *,
        kind: str,
    ) -> Reply:
        """…/reference/intro#pagination. A cursor says nothing, and is good for its list alone."""
        start = self._start_of(name, asked.get("start_cursor"))
        size = page_size_of(asked)
        end = start + min(size, self.page_max)
        reached = min(len(found), self.results_max)
        cursor = None
        if end < reached:
            cursor = secrets.token_urlsafe(18)
            self._cursors[cursor] = (name, end)
        told: dict[str, Any] = {
            "object": "list",
            "results": found[start : min(end, reached)],
            "next_cursor": cursor,
            "has_more": cursor is not None,
            "type": kind,
            kind: {},
        }
        if len(found) > self.results_max:
            reason = "query_result_limit_reached"
            told["request_status"] = {"type": "incomplete", "incomplete_reason": reason}
        return json_reply(told)

    def _start_of(self, name: str, cursor: object) -> int:
        if cursor is None:
            return 0
        known, start = self._cursors.get(str(cursor), ("", 0))
        if known != name:
            raise invalid("The start_cursor provided is invalid")
        return start

    def _tell_bot(self, call: Call, grant: Grant) -> dict[str, Any]:
        """…/reference/get-self"""
        check_query(call)
        workspace_id, workspace_name = workspace_of(grant.person)
        return {
            "object": "user",
            "id": str(uuid5(NAMESPACE_OID, f"bot {grant.person.id}")),
            "name": "Knowledge Agents",
            "avatar_url": None,
            "type": "bot",
            "bot": {
                "owner": {"type": "user", "user": {"object": "user", "id": grant.person.id}},
                "workspace_id": workspace_id,
                "workspace_name": workspace_name,
                "workspace_limits": {"max_file_upload_size_in_bytes": 5242880},
            },
        }

    def _tell_database(self, database_id: str) -> dict[str, Any]:
        """…/reference/retrieve-a-database"""
        wanted = uuid_of(database_id)
        for item in self.workspace.items.values():
            if item.database_id == wanted and self.workspace.is_shared(item.id):
                return self.workspace.describe_database(item)
        raise missing(database_id)

    # --- Rules ------------------------------------------------------------------------------------

    def _find(self, written: str, kind: str) -> Item:
        item = self.workspace.items.get(uuid_of(written))
        if item is None or not self.workspace.is_shared(item.id):
            raise missing(written)
        if bool(item.database_id) != (kind == "data_source"):
            raise invalid(f"Provided ID {written} is not a {kind}.")
        return item

    def _find_block(self, written: str) -> str:
        """A page is a block too."""
        if not self.reads_content:
            raise Refusal(403, "restricted_resource", "Insufficient permissions for this endpoint.")
        block_id = uuid_of(written)
        known = block_id in self.workspace.blocks or block_id in self.workspace.items
        if not known or not self.workspace.is_shared(block_id):
            raise missing(written)
        return block_id

    def _spend(self) -> int:
        """How many seconds to wait, 0 when the call is within the budget."""
        if self.budget is None:
            return 0
        now = time.monotonic()
        since, spent = self._window
        if now - since >= self.window_seconds:
            since, spent = now, 0
        self._window = (since, spent + 1)
        return 0 if spent < self.budget else max(1, round(since + self.window_seconds - now))
