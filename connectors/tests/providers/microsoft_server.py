"""A stand-in for Microsoft Graph v1.0 (OneDrive, SharePoint) and for Microsoft's sign-in.

By learn.microsoft.com/graph/api/resources/onedrive, .../driveitem-delta, .../driveitem-get-content,
/graph/errors, /graph/paging and /entra/identity-platform/v2-oauth2-auth-code-flow, read 2026-11-22.
"""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from connectors.tests.providers.microsoft_downloads import DownloadServer
from connectors.tests.providers.microsoft_drives import Drive, Item, Kind, show_drive, show_item
from connectors.tests.providers.microsoft_feeds import PAGE_ITEMS, Feed, begin, turn
from sources.tests.providers.authorization import Authorization, Grant
from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

SCOPES = frozenset({"User.Read", "Files.Read.All", "Sites.Read.All", "offline_access"})
TOP_MAX = 999
PROPERTIES = frozenset(
    {"id", "name", "size", "webUrl", "parentReference", "createdDateTime", "lastModifiedDateTime"}
    | {"eTag", "cTag", "root", "folder", "file", "package", "remoteItem", "deleted", "malware"}
    | {"driveType", "owner", "displayName", "userPrincipalName", "mail"}
)


@dataclass
class Site:
    id: str
    name: str
    drives: list[Drive] = field(default_factory=list)


@dataclass(frozen=True)
class Page:
    """The rest of a list, behind a $skiptoken."""

    path: str
    rest: tuple[dict[str, Any], ...]


class Problem(Exception):
    """An error as Graph tells it (learn.microsoft.com/graph/errors)."""

    def __init__(self, status: int, code: str, message: str = "", **headers: str) -> None:
        self.status, self.code, self.message, self.headers = status, code, message or code, headers
        super().__init__(code)

    @property
    def reply(self) -> Reply:
        inner = {"date": "2026-11-22T10:00:00", "request-id": secrets.token_hex(8)}
        error = {"code": self.code, "message": self.message, "innerError": inner}
        return json_reply({"error": error}, self.status, **self.headers)


def throttled(seconds: float) -> Reply:
    """For `fail` (learn.microsoft.com/graph/throttling)."""
    return Problem(429, "activityLimitReached", Retry_After=f"{seconds:g}").reply


class MicrosoftServer(ProviderServer):
    """`drive`: the own one of whoever signs in. Its paths are those of graph.microsoft.com and of
    login.microsoftonline.com: one host for both."""

    def __init__(self) -> None:
        super().__init__()
        self.downloads = DownloadServer()
        self.authorization = Authorization(
            authorize_path="/common/oauth2/v2.0/authorize",
            token_path="/common/oauth2/v2.0/token",
            revoke_path="",  # there is none: people take the right away in their account
            scopes=SCOPES,
            rotates=True,
        )
        self.clock = itertools.count(1)
        self.drives: dict[str, Drive] = {}
        self.drive = self.add_drive("OneDrive", type="business")
        self.sites: list[Site] = []
        self._feeds: dict[str, Feed] = {}
        self._pages: dict[str, Page] = {}

    def start(self) -> None:
        super().start()
        self.downloads.start()

    def stop(self) -> None:
        super().stop()
        self.downloads.stop()

    @property
    def sign_in_url(self) -> str:
        return f"{self.url}/common"

    @property
    def hosts(self) -> tuple[str, ...]:
        return self.host, self.downloads.host

    # --- What people there do ---------------------------------------------------------------------

    def add_drive(self, name: str, *, type: str) -> Drive:
        drive = Drive(f"b!drive-{len(self.drives) + 1}", name, type, self.clock)
        self.drives[drive.id] = drive
        return drive

    def add_site(self, name: str, *libraries: str) -> Site:
        drives = [self.add_drive(library, type="documentLibrary") for library in libraries]
        site = Site(f"company.sharepoint.com,site-{len(self.sites) + 1},web-1", name, drives)
        self.sites.append(site)
        return site

    def forget_feeds(self) -> None:
        """All that was given of the feeds of changes is too old from now on."""
        self._feeds.clear()

    # --- What Graph answers -----------------------------------------------------------------------

    def answer(self, call: Call) -> Reply:
        if (reply := self.authorization.answer(call)) is not None:
            return reply
        try:
            with self.lock:
                return self.answer_graph(call)
        except Problem as problem:
            return problem.reply

    def answer_graph(self, call: Call) -> Reply:
        grant = self.authorization.grant_of(call.bearer)
        if grant is None:
            raise Problem(401, "InvalidAuthenticationToken", WWW_Authenticate="Bearer")
        for pattern, scope, parameters, answer in self.routes:
            found = re.fullmatch(f"/v1.0{pattern}", call.path)
            if found is None:
                continue
            if call.method != "GET":
                raise Problem(405, "Request_BadRequest", Allow="GET")
            if scope not in grant.scopes:
                raise Problem(403, "accessDenied", f"{scope} is missing.")
            check_parameters(call.query, parameters)
            return answer(call, grant, *found.groups())
        raise Problem(400, "BadRequest", "Resource not found for the segment.")

    @property
    def routes(self) -> tuple[tuple[str, str, str, Callable[..., Reply]], ...]:
        """Path, scope, parameters, rule."""
        drive, files, paged = "/drives/([^/]+)", "Files.Read.All", "$select $top $skiptoken"
        item = rf"{drive}/(?:items/([^/]+)|root)"
        return (
            ("/me", "User.Read", "$select", self.show_person),
            ("/me/drive", files, "$select", self.show_own_drive),
            ("/me/drives", files, paged, self.list_own_drives),
            ("/sites", "Sites.Read.All", "search $select $top $skiptoken", self.find_sites),
            ("/sites/([^/]+)/drives", "Sites.Read.All", paged, self.list_site_drives),
            (drive, files, "$select", self.show_drive),
            (item, files, "$select", self.show_item),
            (f"{item}/children", files, paged, self.list_children),
            (
                rf"{item}/delta(?:\(token='([^']+)'\))?",
                files,
                "$select $top token",
                self.tell_changes,
            ),
            (f"{drive}/items/([^/]+)/content", files, "", self.give_content),
        )

    def show_person(self, call: Call, grant: Grant) -> Reply:
        person = grant.person
        shown = {"id": person.id, "displayName": person.name, "userPrincipalName": person.email}
        return json_reply(select(shown, call.query.get("$select", "")))

    def show_own_drive(self, call: Call, _: Grant) -> Reply:
        return json_reply(select(show_drive(self.drive), call.query.get("$select", "")))

    def list_own_drives(self, call: Call, _: Grant) -> Reply:
        return self.list_page(call, [show_drive(self.drive)])

    def find_sites(self, call: Call, _: Grant) -> Reply:
        if self.drive.type == "personal":
            raise Problem(400, "BadRequest", "Unable to retrieve tenant service info.")
        if "$skiptoken" not in call.query and not call.query.get("search"):
            raise Problem(400, "invalidRequest", "search is missing.")
        words = call.query.get("search", "*").strip("*").lower()
        found = [site for site in self.sites if words in site.name.lower()]
        shown = [{"id": site.id, "displayName": site.name, "name": site.name} for site in found]
        return self.list_page(call, shown)

    def list_site_drives(self, call: Call, _: Grant, site_id: str) -> Reply:
        for site in self.sites:
            if site.id == site_id:
                return self.list_page(call, [show_drive(drive) for drive in site.drives])
        raise Problem(404, "itemNotFound")

    def show_drive(self, call: Call, _: Grant, drive_id: str) -> Reply:
        drive = self.find_drive(drive_id)
        return json_reply(select(show_drive(drive), call.query.get("$select", "")))

    def show_item(self, call: Call, _: Grant, drive_id: str, item_id: str | None) -> Reply:
        item = self.find_item(drive_id, item_id)
        return json_reply(select(show_item(item), call.query.get("$select", "")))

    def list_children(self, call: Call, _: Grant, drive_id: str, item_id: str | None) -> Reply:
        folder = self.find_item(drive_id, item_id)
        return self.list_page(call, [show_item(item) for item in folder.children])

    def give_content(self, _: Call, grant: Grant, drive_id: str, item_id: str) -> Reply:
        item = self.find_item(drive_id, item_id)
        if item.refusal is not None:
            raise Problem(*item.refusal)
        if item.kind is not Kind.FILE:
            raise Problem(400, "invalidRequest", "You cannot get content for a folder.")
        return Reply(302, b"", {"Location": self.downloads.address_of(item)})

    def find_drive(self, drive_id: str) -> Drive:
        drive = self.drives.get(drive_id)
        if drive is None:
            raise Problem(404, "itemNotFound", "The resource could not be found.")
        if drive.is_closed:
            raise Problem(403, "accessDenied", "The caller does not have permission.")
        return drive

    def find_item(self, drive_id: str, item_id: str | None) -> Item:
        drive = self.find_drive(drive_id)
        item = drive.items.get(item_id) if item_id else drive.root
        if item is None or not item.is_there:
            raise Problem(404, "itemNotFound", "The resource could not be found.")
        return item

    # --- Pages ------------------------------------------------------------------------------------

    def list_page(self, call: Call, items: list[dict[str, Any]]) -> Reply:
        """`items`: all of them, of which the first page is given. A page after it goes on with what
        there was then."""
        rest = tuple(select(item, call.query.get("$select", "")) for item in items)
        if token := call.query.get("$skiptoken"):
            page = self._pages.get(token)
            if page is None or page.path != call.path:
                raise Problem(400, "invalidRequest", "The skip token is not valid.")
            rest = page.rest
        count = int(call.query.get("$top", PAGE_ITEMS))
        answer: dict[str, Any] = {"value": rest[:count]}
        if rest[count:]:
            token = secrets.token_urlsafe(12)
            self._pages[token] = Page(call.path, rest[count:])
            query = urlencode({**call.query, "$skiptoken": token}, safe="$")
            answer["@odata.nextLink"] = f"{self.url}{quote(call.path)}?{query}"
        return json_reply(answer)

    def tell_changes(
        self, call: Call, _: Grant, drive_id: str, item_id: str | None, inside: str | None
    ) -> Reply:
        folder = self.find_item(drive_id, item_id)
        address = f"{self.url}{quote(call.path.partition('(')[0])}"
        token = inside or call.query.get("token", "")
        begun = Feed(folder, call.query.get("$select", ""), int(call.query.get("$top", PAGE_ITEMS)))
        feed = self._feeds.get(token) if token else begun
        if feed is None or feed.folder is not folder:
            raise Problem(410, "resyncRequired", "Resync required.", Location=address)
        told, after = turn(feed if feed.then else begin(feed))
        token = secrets.token_urlsafe(12)
        self._feeds[token] = after
        kind = "@odata.nextLink" if after.then else "@odata.deltaLink"
        value = [select(item, feed.select) for item in told]
        return json_reply({"value": value, kind: f"{address}(token='{token}')"})


def check_parameters(query: Mapping[str, str], allowed: str) -> None:
    for name, value in query.items():
        if name not in allowed.split():
            raise Problem(400, "invalidRequest", f"{name} is not supported.")
        if name == "$top" and not (value.isdecimal() and 1 <= int(value) <= TOP_MAX):
            raise Problem(400, "invalidRequest", "$top is out of range.")
        if name == "$select" and not set(value.split(",")) <= PROPERTIES:
            raise Problem(400, "invalidRequest", "$select names an unknown property.")


def select(shown: dict[str, Any], names: str) -> dict[str, Any]:
    """The properties that were asked for; all when none was."""
    return {name: value for name, value in shown.items() if not names or name in names.split(",")}
