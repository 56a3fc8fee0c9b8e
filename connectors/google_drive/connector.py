"""Google Drive as a source: the choices in an account become documents."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from django.utils.translation import gettext_noop

from connectors.google_drive.answers import FOLDER, DriveFile
from connectors.google_drive.changes import follow_changes, retell
from connectors.google_drive.drive import LABEL, MY_DRIVE, Drive, NotThere, is_busy
from connectors.google_drive.fetching import fetch_file
from connectors.google_drive.listing import Listing, document_of
from connectors.google_drive.tree import Tree
from sources.connectors.calling import Api
from sources.connectors.interface import (
    SOURCE_URL,
    Account,
    Choice,
    Connector,
    Extent,
    Item,
    SyncContext,
)
from sources.connectors.remote import (
    Listed,
    RemoteDocument,
    chosen_of,
    connection_of,
    open_signed_in,
    read_documents,
)
from sources.connectors.whole_files import WholeFiles
from sources.models import Connection, Source
from sources.oauth.providers import OAuthProvider

# Only "offline" gives a refresh token, and people who consented before get one only when they are
# asked again (developers.google.com/identity/protocols/oauth2/web-server, read 2026-11-22).
PROVIDER = OAuthProvider(
    label="Google",
    registration="GOOGLE_CLIENT",
    authorize_setting="GOOGLE_SIGN_IN_URL",
    authorize_path="/o/oauth2/v2/auth",
    token_setting="GOOGLE_TOKEN_URL",  # noqa: S106 - where the token comes from
    token_path="/token",  # noqa: S106 - likewise
    revoke_path="/revoke",
    scopes=("https://www.googleapis.com/auth/drive.readonly",),
    parameters={"access_type": "offline", "prompt": "consent"},
)
SHARED_WITH_ME = "shared-with-me"  # of the picker alone: no folder of Drive
BROWSED_MAX = 1000  # shown of a folder
BROWSED_ORDER = "folder,name_natural"
MEASURE_SECONDS = 8.0


class GoogleDriveConnector(Connector):
    """`external_id` of its documents is Drive's id of the file, which stays when it moves.

    `source_url` may be given, and stays a note for people: what is read is chosen.
    """

    kind = "cloud_drive_a"
    label = LABEL
    provider = PROVIDER
    fields = (SOURCE_URL,)
    is_browsable = True
    needs_choice = True
    reads = gettext_noop(
        "The folders, shared drives and files that you choose: documents, spreadsheets,"
        " presentations, PDF files, texts, images and recordings."
    )

    def account_of(self, api: Api, tokens: Mapping[str, Any]) -> Account:
        return Drive(api).account()

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        with opened(connection) as drive:
            if not inside:
                return [
                    Choice(MY_DRIVE, "My Drive", is_open=True),
                    Choice(SHARED_WITH_ME, "Shared with me", is_open=True, can_be_read=False),
                    *(Choice(*each, is_open=True) for each in drive.shared_drives.items()),
                ]
            return [choice_of(file) for file in islice(content_of(drive, inside), BROWSED_MAX)]

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent:
        stops_at = time.monotonic() + MEASURE_SECONDS
        sizes: dict[str, int] = {}
        with opened(connection) as drive:
            for item in Listing(drive, selection.get("chosen", [])).documents():
                if isinstance(item, RemoteDocument):
                    sizes[item.external_id] = item.size_bytes or 0
                if time.monotonic() > stops_at:
                    return Extent(len(sizes), is_more=True, size_bytes=sum(sizes.values()))
        return Extent(len(sizes), size_bytes=sum(sizes.values()))

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        connection, chosen = connection_of(source), chosen_of(source)
        with opened(connection) as drive:
            with context.step("fetch"):
                look = look_again(drive, chosen, WholeFiles(context))
            if look is None:
                listing = Listing(drive, chosen)
                look = Look(listing.tree, listing.documents())
            yield from read_documents(
                look.listed, context, partial(fetch_file, drive), total=look.total
            )
            context.keep_cursor(look.tree.to_cursor())


@dataclass(frozen=True)
class Look:
    """`tree` is complete once all of `listed` was taken; `total` counts it, None where it is not
    known yet."""

    tree: Tree
    listed: Iterable[Listed]
    total: int | None = None


def look_again(
    drive: Drive, chosen: Sequence[Mapping[str, str]], context: SyncContext
) -> Look | None:
    """Looks only at the changes since the last sync. None if everything has to be looked at."""
    tree = Tree.of(context.cursor)
    if tree is None:
        return None
    news = follow_changes(drive, tree, frozenset(choice["id"] for choice in chosen))
    if news is None:
        return None
    total = len(context.known.keys() | context.known_failures.keys() | news.keys())
    return Look(tree, retell(drive, tree, news, context), total)


@contextmanager
def opened(connection: Connection) -> Iterator[Drive]:
    """Raises SyncFailed and its kind for all that goes wrong."""
    with open_signed_in(LABEL, connection, PROVIDER, is_busy=is_busy) as api:
        yield Drive(api)


def content_of(drive: Drive, inside: str) -> Iterator[DriveFile]:
    """The content of a folder, in the order for display. Raises as Drive."""
    if inside == SHARED_WITH_ME:
        return drive.shared_with_me(order=BROWSED_ORDER)
    folder = drive.find(inside)
    if folder is None:
        raise NotThere
    return drive.children(folder.id, drive_id=folder.drive_id, order=BROWSED_ORDER)


def choice_of(file: DriveFile) -> Choice:
    is_folder = file.kind == FOLDER
    can_be_read = is_folder or isinstance(document_of(file, ""), RemoteDocument)
    return Choice(file.id, file.name, is_open=is_folder, can_be_read=can_be_read)
