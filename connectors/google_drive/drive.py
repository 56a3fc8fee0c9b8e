"""Calls of Google Drive's API v3.

developers.google.com/workspace/drive/api/reference/rest/v3, read 2026-11-22.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings

from config.http import FetchedPage
from connectors.google_drive.answers import (
    FILE_FIELDS,
    ID,
    Change,
    DriveFile,
    identifier,
    items,
    mapping,
    name_of,
    parse_change,
    parse_file,
    text,
    token_of,
)
from connectors.google_drive.problems import NO_SCOPE, NOT_THERE, UNREADABLE
from sources.connectors.calling import Api, CallRefused, with_query
from sources.connectors.interface import Account
from sources.connectors.remote import refuse_to_list
from sources.errors import OriginUnavailable, ReauthRequired, SyncFailed

LABEL = "Google Drive"
CHANGES_FIELDS = (
    "nextPageToken,newStartPageToken"
    f",changes(changeType,removed,fileId,driveId,drive/name,file({FILE_FIELDS}))"
)
MY_DRIVE = "root"  # its top folder, whatever its id is
ALL_DRIVES = {"supportsAllDrives": "true", "includeItemsFromAllDrives": "true"}
PAGE_SIZE = "1000"  # the largest
PAGES_MAX = 1000  # of one list: one that never ends is not believed
LOG_PAGES_MAX = 50  # beyond, looking through the chosen folders is quicker
ACCOUNT_MAX_CHARS = 200
# .../guides/handle-errors, read 2026-11-22: "403: User rate limit exceeded" and its kin.
BUSY_REASONS = frozenset({"userRateLimitExceeded", "rateLimitExceeded", "dailyLimitExceeded"})


class NotThere(SyncFailed):
    """The requested item does not exist, or this account may not see it."""

    default_message = NOT_THERE


class Drive:
    """The part of Google Drive that an account sees. All methods raise ReauthRequired and
    OriginUnavailable, and SyncFailed for calls that Drive refuses, unless they say otherwise.
    `drive_id`: of a shared drive, "" for the account."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._url = f"{settings.GOOGLE_API_URL}/drive/v3"

    def account(self) -> Account:
        fields = "user(permissionId,emailAddress,displayName)"
        user = mapping(self._get("about", {"fields": fields}).get("user"))
        label = text(user.get("emailAddress")) or text(user.get("displayName")) or LABEL
        return Account(identifier(user.get("permissionId")), label[:ACCOUNT_MAX_CHARS])

    @cached_property
    def shared_drives(self) -> Mapping[str, str]:
        """Names by id, of those that the account is a member of."""
        query = {"pageSize": "100", "fields": "nextPageToken,drives(id,name)"}
        drives = [each for page in self._pages("drives", query) for each in items(page, "drives")]
        return {identifier(each.get("id")): name_of(each) for each in drives}

    def find(self, id: str) -> DriveFile | None:
        """The file; None if it does not exist, or this account may not see it. `id`: may be
        anything that people send; MY_DRIVE stands for a folder."""
        if not ID.fullmatch(id):
            return None
        query = {"fields": FILE_FIELDS, "supportsAllDrives": "true"}
        try:
            return parse_file(self._get(f"files/{id}", query))
        except NotThere:
            return None

    def children(self, folder: str, *, drive_id: str, order: str = "") -> Iterator[DriveFile]:
        """The children of a folder that are not in the trash; none once the folder is gone.
        `order`: "orderBy" of the API."""
        with suppress(NotThere):
            yield from self._files(f"'{identifier(folder)}' in parents", drive_id, order)

    def shared_with_me(self, *, order: str) -> Iterator[DriveFile]:
        return self._files("sharedWithMe = true", "", order)

    def _files(self, condition: str, drive_id: str, order: str) -> Iterator[DriveFile]:
        query = {
            "q": f"{condition} and trashed = false",
            "fields": f"nextPageToken,incompleteSearch,files({FILE_FIELDS})",
            "pageSize": PAGE_SIZE,
            **self._corpus(drive_id),
            **({"orderBy": order} if order else {}),
        }
        for page in self._pages("files", query):
            if page.get("incompleteSearch") is True:  # what is missing would be removed here
                raise OriginUnavailable(UNREADABLE)
            yield from map(parse_file, items(page, "files"))

    def _corpus(self, drive_id: str) -> dict[str, str]:
        """A shared drive is looked through as such by its members alone: others were given single
        folders of it."""
        if drive_id and drive_id in self.shared_drives:
            return {"corpora": "drive", "driveId": drive_id, **ALL_DRIVES}
        return {"corpora": "allDrives" if drive_id else "user", **ALL_DRIVES}

    # --- Change logs (.../guides/about-changes) ---------------------------------------------------

    def start_token(self, drive_id: str) -> str:
        """The token for the current position of the log."""
        query = {"supportsAllDrives": "true", **log_of(drive_id)}
        return token_of(self._get("changes/startPageToken", query).get("startPageToken"))

    def changes_since(self, drive_id: str, token: str) -> tuple[list[Change], str]:
        """The changes since then, oldest first, and the token for the log's new position: "" if
        there is so much that the rest was not read.

        Raises CallRefused when the token is not known any more, or the shared drive is not ours.
        """
        changes: list[Change] = []
        for _ in range(LOG_PAGES_MAX):
            query = {
                "pageToken": token,
                "pageSize": PAGE_SIZE,
                "fields": CHANGES_FIELDS,
                **ALL_DRIVES,
                **log_of(drive_id),
            }
            page = mapping(self._api.get(f"{self._url}/changes", query))
            changes += map(parse_change, items(page, "changes"))
            if page.get("nextPageToken") is None:
                return changes, token_of(page.get("newStartPageToken"))
            token = token_of(page["nextPageToken"])
        return changes, ""

    # --- Content ----------------------------------------------------------------------------------

    def download(self, id: str, path: Path, *, max_bytes: int) -> None:
        """Raises CallRefused, config.http.TooLarge."""
        query = {"alt": "media", "supportsAllDrives": "true"}
        url = with_query(f"{self._url}/files/{identifier(id)}", query)
        self._api.download(url, path, max_bytes=max_bytes)

    def export(self, id: str, path: Path, *, content_type: str, max_bytes: int) -> None:
        """Raises CallRefused, config.http.TooLarge. Each export is made
        afresh: one that breaks off begins again."""
        url = with_query(f"{self._url}/files/{identifier(id)}/export", {"mimeType": content_type})
        self._api.download(url, path, max_bytes=max_bytes, may_resume=False)

    # --- Calls ------------------------------------------------------------------------------------

    def _get(self, path: str, query: Mapping[str, str]) -> Mapping[str, Any]:
        try:
            return mapping(self._api.get(f"{self._url}/{path}", query))
        except CallRefused as refused:
            raise failure_of(refused) from refused

    def _pages(self, path: str, query: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
        following: dict[str, str] = {}
        for _ in range(PAGES_MAX):
            page = self._get(path, {**query, **following})
            yield page
            if page.get("nextPageToken") is None:
                return
            following = {"pageToken": token_of(page["nextPageToken"])}
        raise OriginUnavailable(UNREADABLE)


def log_of(drive_id: str) -> dict[str, str]:
    return {"driveId": drive_id} if drive_id else {}


# --- Refusals -------------------------------------------------------------------------------------


def reason_of(content: Any) -> str:
    """The reason of an error in Google's words; "" if it has none."""
    match content:
        case {"error": {"errors": [{"reason": str(reason)}, *_]}}:
            return reason
    return ""


def is_busy(answer: FetchedPage) -> bool:
    """Quota that is used up for now is said with 403 too."""
    content = CallRefused(LABEL, answer).content()
    return answer.status == 403 and reason_of(content) in BUSY_REASONS


def failure_of(refused: CallRefused) -> SyncFailed:
    """The failure of a sync for which this refusal makes listing impossible."""
    if refused.status == 404:
        return NotThere()
    if refused.status == 403 and reason_of(refused.content()) == "insufficientPermissions":
        return ReauthRequired(NO_SCOPE)
    return refuse_to_list(refused)
