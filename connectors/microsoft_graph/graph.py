"""Calls of Microsoft Graph v1.0 (learn.microsoft.com/graph/api/resources/onedrive, read
2026-11-22)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin

from django.conf import settings

from config.http import FetchedPage
from connectors.microsoft_graph.items import DriveItem, facet, read_item
from reasons import Reason
from sources.connectors.calling import Api, CallRefused, FixedHeaders
from sources.connectors.remote import DocumentRefused, open_signed_in
from sources.errors import OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection
from sources.oauth.providers import OAuthProvider

LABEL = "Microsoft 365"
PAGES_MAX = 2000  # of one list: 400,000 items
ITEM_PROPERTIES = (
    "id,name,size,eTag,cTag,webUrl,lastModifiedDateTime,parentReference"
    ",file,folder,package,remoteItem,root,deleted,malware"
)
TOO_MANY = Reason("too_many_files")
# For a refusal to list something: it is not there, or this account may not read it
# (learn.microsoft.com/graph/errors). Any other says nothing of what is there.
ABSENT = frozenset({403, 404, 410})
UNREADABLE = Reason("origin_answer_unreadable", label=LABEL)

PROVIDER = OAuthProvider(
    label="Microsoft",
    registration="MICROSOFT_CLIENT",
    authorize_setting="MICROSOFT_SIGN_IN_URL",
    authorize_path="/oauth2/v2.0/authorize",
    token_setting="MICROSOFT_SIGN_IN_URL",  # noqa: S106 - the name of a setting
    token_path="/oauth2/v2.0/token",  # noqa: S106 - an address
    scopes=("User.Read", "Files.Read.All", "Sites.Read.All", "offline_access"),
    parameters={"prompt": "select_account"},
)


@dataclass(frozen=True)
class ChangesPage:
    """A page of a feed of changes. It has a `next_link` if there are more pages, else the
    `delta_link` for the changes from then on."""

    items: tuple[DriveItem, ...]
    next_link: str
    delta_link: str


class MicrosoftGraph:
    """An account there. For several threads. All of it raises as calling.Api.call.

    Args:
        files: for the contents of files, whose addresses open without a token and are on other
            hosts: none goes there.
    """

    def __init__(self, api: Api, files: Api) -> None:
        self._api = api
        self._files = files

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Mapping[str, Any]:
        return facet(self._api.get(base_url() + path, query))

    def find_item(self, drive_id: str, item_id: str) -> DriveItem | None:
        return read_item(self.get(item_path(drive_id, item_id), {"$select": ITEM_PROPERTIES}))

    def list_all(self, path: str, query: Mapping[str, str], *, at_most: int) -> list[Any]:
        """The first entries of a list, over all its pages."""
        answer = self.get(path, query)
        found = values_of(answer)
        while len(found) < at_most and (link := link_in(answer, "@odata.nextLink")):
            answer = facet(self._api.get(link))
            found += values_of(answer)
        return found[:at_most]

    def tell_changes(
        self, drive_id: str, item_id: str, *, since: str = ""
    ) -> Iterator[ChangesPage]:
        """Yields the content of a folder, or its changes `since` a delta link. The same item may
        come several times: the last is right.

        learn.microsoft.com/graph/api/driveitem-delta, read 2026-11-22. A link that is too old is
        refused with 410.
        """
        begin = f"{base_url()}{item_path(drive_id, item_id)}/delta"
        query = None if since else {"$select": ITEM_PROPERTIES}
        link = since or begin
        for _ in range(PAGES_MAX):
            answer = facet(self._api.get(checked_link(link), query))
            read = [read_item(raw) for raw in values_of(answer)]
            page = ChangesPage(
                tuple(item for item in read if item is not None),
                link_in(answer, "@odata.nextLink"),
                link_in(answer, "@odata.deltaLink"),
            )
            yield page
            if not page.next_link:
                return
            link, query = page.next_link, None
        raise SyncFailed(TOO_MANY)

    def download(self, drive_id: str, item_id: str, path: Path) -> None:
        """Raises config.http.TooLarge, and DocumentRefused where its address opens nothing."""
        address = self._address_of_content(drive_id, item_id)
        try:
            self._files.download(address, path, max_bytes=settings.UPLOAD_MAX_BYTES)
        except ReauthRequired as error:
            raise DocumentRefused(Reason("download_interrupted", label=LABEL)) from error

    def _address_of_content(self, drive_id: str, item_id: str) -> str:
        """Good for minutes (learn.microsoft.com/graph/api/driveitem-get-content)."""
        url = f"{base_url()}{item_path(drive_id, item_id)}/content"
        try:
            self._api.call("GET", url)
        except CallRefused as refused:
            address = refused.answer.headers.get("Location", "")
            if refused.status != 302 or not address:
                raise
            return urljoin(url, address)
        raise OriginUnavailable(UNREADABLE)


@contextmanager
def opened(connection: Connection) -> Iterator[MicrosoftGraph]:
    """Raises SyncFailed and its kind for all that goes wrong."""
    with (
        open_signed_in(LABEL, connection, PROVIDER, is_busy=is_over_bandwidth) as api,
        Api(LABEL, FixedHeaders({}), connection=connection) as files,
    ):
        yield MicrosoftGraph(api, files)


def is_over_bandwidth(answer: FetchedPage) -> bool:
    """An answer of its own (learn.microsoft.com/graph/errors), which is a 429 otherwise."""
    return answer.status == 509


def base_url() -> str:
    return f"{settings.MICROSOFT_API_URL}/v1.0"


def drive_path(drive_id: str) -> str:
    return f"/drives/{quote(drive_id, safe='')}"


def item_path(drive_id: str, item_id: str) -> str:
    """`item_id`: "" for the folder that all others lie in."""
    inside = f"items/{quote(item_id, safe='')}" if item_id else "root"
    return f"{drive_path(drive_id)}/{inside}"


def site_path(site_id: str) -> str:
    return f"/sites/{quote(site_id, safe=',')}"


def values_of(answer: Mapping[str, Any]) -> list[Any]:
    """Raises OriginUnavailable for what is not a list."""
    values = answer.get("value")
    if not isinstance(values, list):
        raise OriginUnavailable(UNREADABLE)
    return values


def link_in(answer: Mapping[str, Any], name: str) -> str:
    """The address of another page; "" where there is none."""
    link = answer.get(name)
    return checked_link(link) if link else ""


def checked_link(link: object) -> str:
    """Raises OriginUnavailable for one that leads elsewhere: our token goes with it."""
    if not isinstance(link, str) or not link.startswith(f"{base_url()}/"):
        raise OriginUnavailable(UNREADABLE)
    return link
