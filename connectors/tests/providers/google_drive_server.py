"""A stand-in for Google Drive, API v3 (developers.google.com/workspace/drive/api/reference/rest/v3
and its discovery document, revision 20261106, read 2026-11-22). It refuses what that does not name,
where Google only ignores it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from connectors.tests.providers.google_drive_content import EXPORTS, DriveContent, Item
from connectors.tests.providers.google_drive_language import (
    CHANGES_FIELDS,
    DRIVE_FIELDS,
    FILE_FIELDS,
    LIST_FIELDS,
    USER_FIELDS,
    Fields,
    Refused,
    invalid,
    is_true,
    not_found,
    only,
    order,
    page_size,
    parse_fields,
    parse_query,
    refusal,
    wants_all_drives,
)
from connectors.tests.providers.google_drive_sign_in import READ_SCOPE, GoogleSignIn
from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

EXPORT_MAX_BYTES = 10 * 1024 * 1024
COMMON = frozenset({"alt", "fields", "prettyPrint", "quotaUser", "key"})
ALL_DRIVES = frozenset({"supportsAllDrives", "includeItemsFromAllDrives"})
LIST_PARAMETERS = ALL_DRIVES | {
    "q",
    "corpora",
    "driveId",
    "spaces",
    "orderBy",
    "pageSize",
    "pageToken",
}
CHANGES_PARAMETERS = ALL_DRIVES | {"pageToken", "pageSize", "driveId", "includeRemoved", "spaces"}
START_PARAMETERS = frozenset({"driveId", "supportsAllDrives"})
RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@dataclass(frozen=True)
class Page:
    """What a page token stands for: the rest of a list as it was, for the same parameters alone."""

    parameters: frozenset[tuple[str, str]]
    rest: tuple[str, ...]


class GoogleDriveServer(ProviderServer):
    """`content`: what lies there. `authorization`: who allowed what."""

    def __init__(self, port: int = 0) -> None:
        super().__init__(port)
        self.content = DriveContent(self.lock)
        self.authorization = GoogleSignIn()
        self._pages: dict[str, Page] = {}
        self._starts: dict[str, tuple[str, int]] = {}  # tokens of changes: log, position

    # --- For tests --------------------------------------------------------------------------------

    def limit(
        self, *, times: float = 1, reason: str = "userRateLimitExceeded", retry_after: str = ""
    ) -> None:
        """The next calls are too many: 403, or 429 for "rateLimitExceeded"."""
        status = 429 if reason == "rateLimitExceeded" else 403
        reply = refusal(status, reason, "User Rate Limit Exceeded.", retry_after=retry_after)
        self.fail("GET /drive/v3/", reply, times=times)

    def forget_tokens(self) -> None:
        """Page and start tokens that were given until now are invalid."""
        with self.lock:
            self._pages.clear()
            self._starts.clear()

    # --- Rules ------------------------------------------------------------------------------------

    def answer(self, call: Call) -> Reply:
        signed = self.authorization.answer(call)
        if signed is not None:
            return signed
        try:
            with self.lock:
                self._check_token(call)
                return self._answer(call)
        except Refused as refused:
            return refused.reply

    def _check_token(self, call: Call) -> None:
        grant = self.authorization.grant_of(call.bearer)
        if grant is None:
            message = "Request had invalid authentication credentials."
            raise Refused(refusal(401, "authError", message, location="Authorization"))
        if READ_SCOPE not in grant.scopes:
            message = "Request had insufficient authentication scopes."
            raise Refused(refusal(403, "insufficientPermissions", message))

    def _answer(self, call: Call) -> Reply:
        routes: tuple[tuple[str, Callable[..., Reply], frozenset[str]], ...] = (
            ("about", self._about, frozenset()),
            ("drives", self._list_drives, frozenset({"pageSize", "pageToken"})),
            ("drives/([^/]+)", self._get_drive, frozenset()),
            ("files", self._list_files, LIST_PARAMETERS),
            ("files/([^/]+)", self._get_file, frozenset({"supportsAllDrives", "acknowledgeAbuse"})),
            ("files/([^/]+)/export", self._export, frozenset({"mimeType"})),
            ("changes", self._list_changes, CHANGES_PARAMETERS),
            ("changes/startPageToken", self._start_changes, START_PARAMETERS),
        )
        for path, handle, allowed in routes:
            match = re.fullmatch(f"/drive/v3/{path}", call.path)
            if match is None or call.method != "GET":
                continue
            for name in sorted(set(call.query) - allowed - COMMON):
                raise Refused(refusal(400, "invalidParameter", "Unknown name", location=name))
            return handle(call, *match.groups())
        raise Refused(refusal(404, "notFound", "The requested URL was not found on this server."))

    def _about(self, call: Call) -> Reply:
        if "fields" not in call.query:
            message = "The 'fields' parameter is required for this method."
            raise Refused(refusal(400, "required", message, location="fields"))
        grant = self.authorization.grant_of(call.bearer)
        person = grant.person if grant else self.authorization.signed_in
        user = {
            "kind": "drive#user",
            "displayName": person.name,
            "emailAddress": person.email,
            "permissionId": person.id,
            "me": True,
        }
        answer = {"kind": "drive#about", "user": user}
        known: Fields = {"kind": {}, "user": USER_FIELDS}
        return json_reply(only(answer, parse_fields(call.query["fields"], known)))

    def _list_drives(self, call: Call) -> Reply:
        ids, token = self._page(call, list(self.content.drives), default=10, largest=100)
        drives = [{"kind": "drive#drive", "id": id, "name": self._drive_name(id)} for id in ids]
        answer = {"kind": "drive#driveList", "drives": drives, **token}
        known: Fields = {"kind": {}, "nextPageToken": {}, "drives": DRIVE_FIELDS}
        return json_reply(only(answer, parse_fields(call.query.get("fields", "*"), known)))

    def _get_drive(self, call: Call, id: str) -> Reply:
        drive = {"kind": "drive#drive", "id": id, "name": self._drive_name(id)}
        return json_reply(only(drive, parse_fields(call.query.get("fields", "*"), DRIVE_FIELDS)))

    def _drive_name(self, id: str) -> str:
        if id not in self.content.drives:
            message = f"Shared drive not found: {id}"
            raise Refused(refusal(404, "notFound", message, location="driveId"))
        return self.content.drives[id]

    def _list_files(self, call: Call) -> Reply:
        asked, fits = call.query, self._corpus(call)
        meets = parse_query(asked.get("q", ""), self.content)
        items = [item for item in self.content.items.values() if fits(item) and meets(item)]
        ordered = [item.id for item in order(items, asked.get("orderBy", ""))]
        ids, token = self._page(call, ordered, default=100, largest=1000)
        files = [self.content.resource(item) for id in ids if (item := self.content.find(id))]
        answer = {"kind": "drive#fileList", "incompleteSearch": False, "files": files, **token}
        mask = asked.get("fields", "kind,nextPageToken,files(kind,id,name,mimeType)")
        return json_reply(only(answer, parse_fields(mask, LIST_FIELDS)))

    def _corpus(self, call: Call) -> Callable[[Item], bool]:
        """What is looked through at all (.../guides/enable-shareddrives): "user" is My Drive and
        what was shared with the user, not what they may see in a shared drive."""
        corpora, drive = call.query.get("corpora", "user"), call.query.get("driveId", "")
        with_drives = wants_all_drives(call)
        if corpora not in ("user", "drive", "allDrives"):
            raise invalid("corpora")
        if (corpora == "drive") != bool(drive):
            raise invalid("driveId", "It is needed if, and only if, corpora is drive.")
        if corpora != "user" and not with_drives:
            raise invalid("corpora", "Shared drives need includeItemsFromAllDrives.")
        if drive:
            self._drive_name(drive)
        return lambda item: (
            (corpora != "user" or not item.drive_id or self.content.is_given(item))
            and (not drive or item.drive_id == drive)
            and self.content.is_visible(item)
        )

    def _get_file(self, call: Call, id: str) -> Reply:
        item = self._find(id, is_for_all=is_true(call, "supportsAllDrives"))
        if call.query.get("alt") == "media":
            return self._download(call, item)
        mask = call.query.get("fields", "kind,id,name,mimeType")
        return json_reply(only(self.content.resource(item), parse_fields(mask, FILE_FIELDS)))

    def _find(self, id: str, *, is_for_all: bool) -> Item:
        item = self.content.find(id)
        if item is None or (item.drive_id and not is_for_all):
            raise not_found(id)
        return item

    def _download(self, call: Call, item: Item) -> Reply:
        """.../guides/manage-downloads: whole, or a part by `Range`."""
        if item.is_google:
            message = "Only files with binary content can be downloaded. Use Export."
            raise Refused(refusal(403, "fileNotDownloadable", message, location="alt"))
        if not item.can_download:
            message = "This file cannot be downloaded by the user."
            raise Refused(refusal(403, "cannotDownloadFile", message))
        headers = {"Content-Type": item.mime_type}
        asked = RANGE.fullmatch(call.headers.get("range", ""))
        if asked is None:
            return Reply(200, item.content, headers)
        size, first = len(item.content), int(asked[1])
        if first >= size:
            raise Refused(refusal(416, "requestedRangeNotSatisfiable", "Range not satisfiable"))
        part = item.content[first : int(asked[2]) + 1 if asked[2] else size]
        span = f"bytes {first}-{first + len(part) - 1}/{size}"
        return Reply(206, part, headers | {"Content-Range": span})

    def _export(self, call: Call, id: str) -> Reply:
        if "mimeType" not in call.query:
            raise Refused(refusal(400, "required", "Required parameter: mimeType"))
        item = self._find(id, is_for_all=True)  # an export has no such parameter
        if not item.is_google:
            message = "Export only supports Docs Editors files."
            raise Refused(refusal(403, "fileNotExportable", message))
        if call.query["mimeType"] not in EXPORTS.get(item.mime_type, ()):
            message = "The requested conversion is not supported."
            raise Refused(refusal(400, "badRequest", message, location="convertTo"))
        if not item.can_download:
            message = "This file cannot be exported by the user."
            raise Refused(refusal(403, "cannotExportFile", message))
        if len(item.content) > EXPORT_MAX_BYTES:
            message = "This file is too large to be exported."
            raise Refused(refusal(403, "exportSizeLimitExceeded", message))
        return Reply(200, item.content, {"Content-Type": call.query["mimeType"]})

    # --- Changes ----------------------------------------------------------------------------------

    def _start_changes(self, call: Call) -> Reply:
        log = self._log_of(call)
        token = self._start_token(log, len(self.content.log))
        return json_reply({"kind": "drive#startPageToken", "startPageToken": token})

    def _log_of(self, call: Call) -> str:
        drive = call.query.get("driveId", "")
        if drive:
            if not is_true(call, "supportsAllDrives"):
                raise invalid("driveId", "A shared drive needs supportsAllDrives.")
            self._drive_name(drive)
        return drive

    def _start_token(self, log: str, position: int) -> str:
        token = str(4711 + len(self._starts))
        self._starts[token] = log, position
        return token

    def _list_changes(self, call: Call) -> Reply:
        log, with_drives = self._log_of(call), wants_all_drives(call)
        if log and not with_drives:
            raise invalid("driveId", "A shared drive needs includeItemsFromAllDrives.")
        token = call.query.get("pageToken")
        if token is None:
            message = "Required parameter: pageToken"
            raise Refused(refusal(400, "required", message, location="pageToken"))
        started, position = self._starts.get(token, (None, 0))
        if started != log:
            raise invalid("pageToken")
        changed = self.content.changed_since(position, log)
        size = page_size(call, 100, 1000)
        changes = [self._change(id, log) for _, id in changed[:size]]
        if call.query.get("includeRemoved", "true") == "false":
            changes = [change for change in changes if not change["removed"]]
        if len(changed) > size:
            following = {"nextPageToken": self._start_token(log, changed[size - 1][0] + 1)}
        else:
            following = {"newStartPageToken": self._start_token(log, len(self.content.log))}
        answer = {"kind": "drive#changeList", "changes": changes, **following}
        mask = call.query.get("fields", "*")
        return json_reply(only(answer, parse_fields(mask, CHANGES_FIELDS)))

    def _change(self, id: str, log: str) -> dict[str, Any]:
        """As the item is now (.../guides/about-changes): a log has no history."""
        common = {"kind": "drive#change", "time": "2026-11-22T20:00:00.000Z"}
        if not log and id.startswith("0ADrive"):
            name = self.content.drives.get(id)
            drive = {} if name is None else {"drive": {"id": id, "name": name}}
            removed = {"removed": name is None, **drive}
            return {**common, "changeType": "drive", "driveId": id, **removed}
        item = self.content.find(id)
        is_here = item is not None and (item.drive_id == log or self.content.is_given(item))
        shown = {"file": self.content.resource(item)} if item is not None and is_here else {}
        return {**common, "changeType": "file", "fileId": id, "removed": not is_here, **shown}

    # --- Pages ------------------------------------------------------------------------------------

    def _page(
        self, call: Call, ids: list[str], *, default: int, largest: int
    ) -> tuple[tuple[str, ...], dict[str, str]]:
        """The ids of this page, and {"nextPageToken": …} where there is another."""
        parameters = frozenset(
            (name, value) for name, value in call.query.items() if name != "pageToken"
        )
        rest = tuple(ids)
        if "pageToken" in call.query:
            page = self._pages.get(call.query["pageToken"])
            if page is None or page.parameters != parameters:
                raise invalid("pageToken")
            rest = page.rest
        size = page_size(call, default, largest)
        if len(rest) <= size:
            return rest, {}
        following = f"~!!~AI9{len(self._pages):05d}"
        self._pages[following] = Page(parameters, rest[size:])
        return rest[:size], {"nextPageToken": following}
