"""A stand-in for Notion: its API of version 2026-03-11 (developers.notion.com/reference, read
2026-11-22) over a workspace that a test fills and changes."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from connectors.tests.providers.notion_blocks import paragraph
from connectors.tests.providers.notion_rules import (
    PAGE_SIZE_MAX,
    PAGING,
    NotionRefusal,
    body_of,
    check_query,
    invalid,
    missing,
    page_size_of,
    rate_limited,
    search_direction,
    search_kind,
    uuid_of,
    version_refusal,
)
from connectors.tests.providers.notion_sign_in import NotionAuthorization, workspace_of
from connectors.tests.providers.notion_workspace import Workspace, WorkspaceItem
from sources.tests.providers.authorization import Grant
from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

SEARCH_FIELDS = PAGING | {"query", "sort", "filter"}
QUERY_FIELDS = PAGING | {"sorts", "filter", "in_trash", "result_type"}


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
            except NotionRefusal as refused:
                return refused.reply

    def _answer_api(self, call: Call) -> Reply:
        grant = self.authorization.grant_of(call.bearer)
        if grant is None:
            raise NotionRefusal(401, "unauthorized", "API token is invalid.")
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
        raise NotionRefusal(400, "invalid_request_url", "Invalid request URL.")

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

    def _query(self, call: Call, data_source: WorkspaceItem) -> Reply:
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

    def _find(self, written: str, kind: str) -> WorkspaceItem:
        item = self.workspace.items.get(uuid_of(written))
        if item is None or not self.workspace.is_shared(item.id):
            raise missing(written)
        if bool(item.database_id) != (kind == "data_source"):
            raise invalid(f"Provided ID {written} is not a {kind}.")
        return item

    def _find_block(self, written: str) -> str:
        """A page is a block too."""
        if not self.reads_content:
            raise NotionRefusal(
                403, "restricted_resource", "Insufficient permissions for this endpoint."
            )
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
