"""A stand-in for an OData service of an ERP: OData 4.0 Protocol, URL Conventions and JSON Format
(docs.oasis-open.org/odata/odata/v4.0, read 2026-11-22), delta links as Business Central documents
them (learn.microsoft.com, "Using delta links with APIs", read 2026-11-22). It is read; tests write.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from connectors.tests.providers.odata_model import Change, EntitySet, write_metadata
from connectors.tests.providers.odata_queries import (
    Refusal,
    basic_of,
    fits,
    preferences,
    sortable,
)
from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

ROOT = "/odata/v4/shop"
TOKEN_PATH = "/oauth/token"
OPTIONS = frozenset({"$select", "$filter", "$orderby", "$top", "$skip", "$count"})


@dataclass(frozen=True)
class Later:
    """What a skip or delta token stands for."""

    entity_set: str
    select: tuple[str, ...]
    predicates: tuple[str, ...] = ()  # of a page that comes next
    page_size: int = 0
    delta: str = ""  # token to end with; of a delta link, "" is none
    since: int | None = None  # the number of the last change that was told


class ODataServer(ProviderServer):
    """`sign_in`: "basic", "key" or "client", which the other attributes are for. `page_max`: of one
    answer, whatever `odata.maxpagesize` says; `pages_as_told`: it is heeded at all.
    `removes_as_401`: removed entities as OData 4.01 writes them. `custom_options`: query options
    that every request needs ("sap-client"). `forbidden`: entity sets that answer 403."""

    def __init__(self, *sets: EntitySet, sign_in: str = "basic") -> None:
        super().__init__()
        self.sets = {each.name: each for each in sets}
        self.sign_in = sign_in
        self.user, self.password = "reader", "a secret: with a colon"
        self.key_header, self.key = "APIKey", "key-1"
        self.client_id, self.client_secret, self.scope = "client-1", "client-secret", "erp/.default"
        self.access_tokens: set[str] = set()
        self.page_max = 100
        self.pages_as_told = True
        self.has_relative_links = False
        self.removes_as_401 = False
        self.with_sap_labels = False
        self.custom_options: dict[str, str] = {}
        self.forbidden: set[str] = set()
        self.later: dict[str, Later] = {}

    @property
    def root_url(self) -> str:
        return self.url + ROOT

    # --- For tests ----------------------------------------------------------------------------

    def add(self, set_name: str, **row: Any) -> str:
        """Its key predicate, "(42)"."""
        with self.lock:
            entity_set = self.sets[set_name]
            predicate = entity_set.predicate_of(row)
            entity_set.rows[predicate] = row
            self.note(entity_set, predicate)
            return predicate

    def edit(self, set_name: str, predicate: str, **changes: Any) -> None:
        with self.lock:
            self.sets[set_name].rows[predicate].update(changes)
            self.note(self.sets[set_name], predicate)

    def delete(self, set_name: str, predicate: str) -> None:
        with self.lock:
            del self.sets[set_name].rows[predicate]
            self.note(self.sets[set_name], predicate, is_removal=True)

    def note(self, entity_set: EntitySet, predicate: str, *, is_removal: bool = False) -> None:
        number = len(entity_set.changes) + 1
        entity_set.versions[predicate] = number
        entity_set.changes.append(Change(number, predicate, is_removal))

    def forget_links(self) -> None:
        """Skip and delta tokens have expired."""
        with self.lock:
            self.later.clear()

    def expire_access(self) -> None:
        with self.lock:
            self.access_tokens.clear()

    # --- Who asks -----------------------------------------------------------------------------

    def answer(self, call: Call) -> Reply:
        try:
            if call.path == TOKEN_PATH:
                return self.give_token(call)
            self.check_caller(call)
            with self.lock:
                return self.answer_known(call)
        except Refusal as refusal:
            return refusal.reply

    def give_token(self, call: Call) -> Reply:
        """RFC 6749, 4.4: client credentials, in the header or in the body, never in both."""
        given = call.form
        in_body = (given.get("client_id"), given.get("client_secret"))
        credentials = [each for each in (basic_of(call), in_body) if each != (None, None)]
        if call.method != "POST" or given.get("grant_type") != "client_credentials":
            return json_reply({"error": "unsupported_grant_type"}, 400)
        if credentials != [(self.client_id, self.client_secret)]:
            return json_reply({"error": "invalid_client"}, 401)
        if given.get("scope", "") != self.scope:
            return json_reply({"error": "invalid_scope"}, 400)
        token = f"access-{secrets.token_urlsafe(12)}"
        self.access_tokens.add(token)
        return json_reply({"access_token": token, "token_type": "Bearer", "expires_in": 3600})

    def check_caller(self, call: Call) -> None:
        is_known = {
            "basic": lambda: basic_of(call) == (self.user, self.password),
            "key": lambda: call.headers.get(self.key_header.lower()) == self.key,
            "client": lambda: call.bearer in self.access_tokens,
        }[self.sign_in]
        if not is_known():
            scheme = "Basic" if self.sign_in == "basic" else "Bearer"
            raise Refusal(401, "Unauthorized", "Unauthorized", WWW_Authenticate=scheme)

    # --- What is asked ------------------------------------------------------------------------

    def answer_known(self, call: Call) -> Reply:
        if call.method != "GET":
            raise Refusal(405, "MethodNotAllowed", "This service is read with GET alone.")
        if call.headers.get("odata-maxversion") != "4.0":
            raise Refusal(400, "BadRequest", "OData-MaxVersion: 4.0 is expected.")
        for name, value in self.custom_options.items():
            if call.query.get(name) != value:
                raise Refusal(400, "BadRequest", f"{name} is missing.")
        path = call.path.removeprefix(ROOT)
        if path == call.path:
            raise Refusal(404, "NotFound", "There is no service here.")
        if path == "/$metadata":
            return self.describe(call)
        self.check_accepts(call, "application/json")
        found = re.fullmatch(r"/(\w+)(\(.*\)|/\$count)?", path)
        if found is None or found[1] not in self.sets:
            raise Refusal(404, "NotFound", f"Resource not found for the segment '{path}'.")
        if found[1] in self.forbidden:
            raise Refusal(403, "Forbidden", "You do not have the permission to read this.")
        entity_set = self.sets[found[1]]
        if found[2] == "/$count":
            body = str(len(entity_set.rows)).encode()
            return Reply(200, body, {"Content-Type": "text/plain", "OData-Version": "4.0"})
        return self.read_set(call, entity_set) if not found[2] else self.read_one(call, found)

    def check_accepts(self, call: Call, wanted: str) -> None:
        accepted = call.headers.get("accept", "*/*")
        if wanted not in accepted and "*/*" not in accepted:
            raise Refusal(406, "NotAcceptable", f"Only {wanted} is served here.")

    def describe(self, call: Call) -> Reply:
        self.check_accepts(call, "application/xml")
        body = write_metadata(list(self.sets.values()), with_sap_labels=self.with_sap_labels)
        return Reply(200, body.encode(), {"Content-Type": "application/xml"})

    def read_one(self, call: Call, found: re.Match[str]) -> Reply:
        entity_set, predicate = self.sets[found[1]], found[2]
        select = self.options_of(call, entity_set, frozenset({"$select"}))[0]
        if predicate not in entity_set.rows:
            raise Refusal(404, "NotFound", "The entity does not exist.")
        entity = self.write_entity(entity_set, predicate, select)
        return self.reply({"@odata.context": f"$metadata#{entity_set.name}/$entity", **entity})

    def read_set(self, call: Call, entity_set: EntitySet) -> Reply:
        for name in ("$skiptoken", "$deltatoken"):
            if name in call.query:
                later = self.later.get(call.query[name])
                if later is None or later.entity_set != entity_set.name:
                    raise Refusal(410, "SyncStateNotFound", "The link has expired. Read anew.")
                if name == "$deltatoken":
                    later = self.changes_since(later, self.page_size(preferences(call)))
                return self.write_page(call, later)
        select, chosen = self.options_of(call, entity_set, OPTIONS)
        preferred = preferences(call)
        tracks = "odata.track-changes" in preferred and entity_set.tracks_changes
        delta = ""
        if tracks:
            delta = self.keep(Later(entity_set.name, select, since=len(entity_set.changes)))
        later = Later(entity_set.name, select, tuple(chosen), self.page_size(preferred), delta)
        return self.write_page(call, later)

    def page_size(self, preferred: Mapping[str, str]) -> int:
        wanted = int(preferred.get("odata.maxpagesize", self.page_max))
        return min(wanted, self.page_max) if self.pages_as_told else self.page_max

    def options_of(
        self, call: Call, entity_set: EntitySet, allowed: frozenset[str]
    ) -> tuple[tuple[str, ...], list[str]]:
        """(the selected properties, the chosen predicates)."""
        asked = call.query
        if unknown := set(asked) - allowed - set(self.custom_options):
            raise Refusal(400, "BadRequest", f"Unknown query option {min(unknown)}.")
        names = tuple(each.name for each in entity_set.properties)
        select = tuple(asked["$select"].split(",")) if "$select" in asked else names
        if set(select) - set(names):
            raise Refusal(400, "BadRequest", f"No such property in $select: {select}.")
        rows = entity_set.rows
        chosen = [each for each in rows if fits(rows[each], entity_set, asked.get("$filter", ""))]
        for order in reversed(asked["$orderby"].split(",") if "$orderby" in asked else []):
            name, _, way = order.partition(" ")
            if name not in names or way not in ("", "asc", "desc"):
                raise Refusal(400, "BadRequest", f"No such $orderby: {order}.")
            chosen.sort(key=lambda each: sortable(rows[each].get(name)), reverse=way == "desc")
        chosen = chosen[int(asked.get("$skip", 0)) :][: int(asked.get("$top", len(chosen)))]
        return select, chosen

    def changes_since(self, later: Later, page_size: int) -> Later:
        entity_set = self.sets[later.entity_set]
        told = later.since or 0
        changed = dict.fromkeys(each.predicate for each in entity_set.changes[told:])
        delta = self.keep(Later(later.entity_set, later.select, since=len(entity_set.changes)))
        return Later(later.entity_set, later.select, tuple(changed), page_size, delta, told)

    # --- What is answered ---------------------------------------------------------------------

    def write_page(self, call: Call, later: Later) -> Reply:
        entity_set = self.sets[later.entity_set]
        here, rest = later.predicates[: later.page_size], later.predicates[later.page_size :]
        value = [
            self.write_entity(entity_set, each, later.select)
            if each in entity_set.rows
            else self.write_removed(entity_set, each)
            for each in here
            if each in entity_set.rows or later.since is not None
        ]
        kind = "" if later.since is None else "/$delta"
        page: dict[str, Any] = {"@odata.context": f"$metadata#{entity_set.name}{kind}"}
        if call.query.get("$count") == "true":
            page["@odata.count"] = len(later.predicates)
        page["value"] = value
        if rest:
            following = Later(
                later.entity_set, later.select, rest, later.page_size, later.delta, later.since
            )
            page["@odata.nextLink"] = self.link(entity_set, "$skiptoken", self.keep(following))
        elif later.delta:
            page["@odata.deltaLink"] = self.link(entity_set, "$deltatoken", later.delta)
        return self.reply(page)

    def write_entity(
        self, entity_set: EntitySet, predicate: str, select: tuple[str, ...]
    ) -> dict[str, Any]:
        row = entity_set.rows[predicate]
        etag = f'W/"{entity_set.versions[predicate]}"'
        return {"@odata.etag": etag, **{name: row.get(name) for name in select}}

    def write_removed(self, entity_set: EntitySet, predicate: str) -> dict[str, Any]:
        """OData JSON Format 4.0, 16.2, and 4.01, 15.3."""
        entity_id = f"{entity_set.name}{predicate}"
        if self.removes_as_401:
            return {"@removed": {"reason": "deleted"}, "@id": f"{self.root_url}/{entity_id}"}
        context = f"$metadata#{entity_set.name}/$deletedEntity"
        return {"@odata.context": context, "id": entity_id, "reason": "deleted"}

    def keep(self, later: Later) -> str:
        token = secrets.token_urlsafe(12)
        self.later[token] = later
        return token

    def link(self, entity_set: EntitySet, name: str, token: str) -> str:
        query = urlencode({**self.custom_options, name: token}, quote_via=quote)
        base = "" if self.has_relative_links else f"{self.root_url}/"
        return f"{base}{entity_set.name}?{query}"

    def reply(self, content: dict[str, Any]) -> Reply:
        return Reply(
            200,
            json.dumps(content, ensure_ascii=False, default=str).encode(),
            {"Content-Type": "application/json;odata.metadata=minimal", "OData-Version": "4.0"},
        )
