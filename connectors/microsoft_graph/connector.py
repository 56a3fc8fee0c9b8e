"""OneDrive and SharePoint as a source: the files in chosen drives, sites and folders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from connectors.microsoft_graph.chosen import parse_choice
from connectors.microsoft_graph.graph import (
    PROVIDER,
    UNREADABLE,
    MicrosoftGraph,
    base_url,
    opened,
)
from connectors.microsoft_graph.items import NAME_MAX_CHARS, facet, id_of, text_of
from connectors.microsoft_graph.listing import MALWARE, DriveListing
from connectors.microsoft_graph.picker import count_documents, list_choices
from reasons import Reason
from sources.connectors.calling import Api, CallRefused
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
    DocumentRefused,
    RemoteDocument,
    RemoteFile,
    chosen_of,
    connection_of,
    read_documents,
)
from sources.connectors.whole_files import WholeFiles
from sources.errors import OriginUnavailable
from sources.models import Connection, Source

# By status: why a file cannot be fetched at the moment (learn.microsoft.com/graph/errors).
REASONS = {
    403: Reason("download_forbidden"),
    404: Reason("removed_or_forbidden"),
    423: Reason("locked"),
}


class MicrosoftGraphConnector(Connector):
    """The external id of a document is "DRIVE/ITEM", its etag the hash of its content there."""

    kind = "cloud_drive_b"
    label = "OneDrive and SharePoint"
    fields = (SOURCE_URL,)  # over REST, an address that people note: nothing is read from there
    provider = PROVIDER
    is_browsable = True
    needs_choice = True
    reads = gettext_noop("The files in the drives, sites and folders that you choose.")

    def account_of(self, api: Api, tokens: Mapping[str, Any]) -> Account:
        told = facet(api.get(f"{base_url()}/me", {"$select": "id,displayName,userPrincipalName"}))
        names = (told.get("userPrincipalName"), told.get("displayName"))
        label = next((name for each in names if (name := text_of(each, NAME_MAX_CHARS))), "")
        account_id = id_of(told.get("id"))
        if not account_id or not label:
            raise OriginUnavailable(UNREADABLE)
        return Account(account_id, label)

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        """The choices inside a choice, or at the top. Also raises InvalidValue, for an id that is
        not ours."""
        with opened(connection) as graph:
            return list_choices(graph, inside)

    def clean_selection(self, given: Mapping[str, Any]) -> dict[str, Any]:
        selection = super().clean_selection(given)
        for each in selection["chosen"]:
            parse_choice(each["id"])
        return selection

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent:
        with opened(connection) as graph:
            return count_documents(graph, selection["chosen"])

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        connection, chosen = connection_of(source), chosen_of(source)
        with opened(connection) as graph:
            listing = DriveListing(graph, WholeFiles(context))
            with context.step("fetch"):
                listed = list(listing.list_documents(chosen))
            context.keep_cursor(listing.cursor)
            yield from read_documents(listed, context, partial(fetch, graph), total=len(listed))


def fetch(graph: MicrosoftGraph, document: RemoteDocument, folder: Path) -> RemoteFile:
    """remote.Fetch of a file in a drive."""
    drive_id, _, item_id = document.external_id.partition("/")
    path = folder / "content"
    try:
        graph.download(drive_id, item_id, path)
    except CallRefused as refused:
        error = facet(facet(refused.content()).get("error"))
        if error.get("code") == "malwareDetected":
            raise DocumentRefused(MALWARE, is_final=True) from refused
        if refused.status in REASONS:
            raise DocumentRefused(REASONS[refused.status]) from refused
        raise
    return RemoteFile(path, document.filename)
