"""A Notion workspace as a source: the pages that somebody shared with us become documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.utils.translation import gettext_noop

from config.errors import InvalidValue
from connectors.notion.calls import HEADERS, LABEL, Notion, clean_id, is_busy
from connectors.notion.listing import NotionListing
from connectors.notion.reading import NotionReading
from connectors.notion.shapes import line
from reasons import Reason
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
from sources.connectors.remote import connection_of, open_signed_in
from sources.errors import OriginUnavailable
from sources.models import Connection, Source
from sources.oauth.providers import OAuthProvider

# Found by a search while somebody waits: twenty calls.
LOOKED_AT_MAX = 2000
BLOCKS_ASKED_MAX = 30  # likewise, a call or more each

# Neither scopes nor PKCE: what may be read is chosen on Notion's own page
# (developers.notion.com/guides/get-started/authorization, read 2026-11-22).
PROVIDER = OAuthProvider(
    label=LABEL,
    registration="NOTION_CLIENT",
    authorize_setting="NOTION_API_URL",
    authorize_path="/v1/oauth/authorize",
    token_setting="NOTION_API_URL",  # noqa: S106 - the name of a setting
    token_path="/v1/oauth/token",  # noqa: S106
    revoke_path="/v1/oauth/revoke",
    uses_pkce=False,
    is_json=True,
    revokes_access=True,
    headers=HEADERS,
    parameters={"owner": "user"},
)


class NotionConnector(Connector):
    """A page is a document, a row of a database too. An account is a workspace."""

    kind = "notes_app"
    label = LABEL
    fields = (SOURCE_URL,)
    provider = PROVIDER
    is_browsable = True
    reads = gettext_noop(
        "The text of pages, their properties, and the rows of databases that were shared"
        " with this service. Attachments, images and comments are not read."
    )

    def account_of(self, api: Api, tokens: Mapping[str, Any]) -> Account:
        """The workspace, whichever of its people signs in
        (developers.notion.com/reference/create-a-token, read 2026-11-22)."""
        workspace_id = clean_id(tokens.get("workspace_id"))
        if not workspace_id:
            raise OriginUnavailable(Reason("origin_without_owner", label=LABEL))
        return Account(workspace_id, line(tokens.get("workspace_name")) or LABEL)

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        """Pages and databases by their names, as they lie in one another. Rows are read with their
        database. Of a workspace of thousands of pages, those that were edited last."""
        with opened(connection) as notion:
            listing = NotionListing(notion, asks_max=BLOCKS_ASKED_MAX)
            listing.search(limit=LOOKED_AT_MAX)
            parents = {item.id: listing.parent_of(item) for item in listing.items.values()}
        shown = [
            item
            for item in listing.items.values()
            if (parent := listing.items.get(parents[item.id])) is None or parent.is_page
        ]
        holders = {parents[item.id] for item in shown}
        return [
            Choice(
                item.id,
                item.title,
                is_open=item.id in holders,
                hint="" if item.is_page else gettext_noop("database"),
            )
            for item in sorted(shown, key=lambda item: item.title.casefold())
            if inside == (parents[item.id] if parents[item.id] in listing.items else "")
        ]

    def clean_selection(self, given: Mapping[str, Any]) -> dict[str, Any]:
        selection = super().clean_selection(given)
        if not all(clean_id(each["id"]) for each in selection["chosen"]):
            raise InvalidValue(Reason("chosen_unknown"))
        return selection

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent:
        """Counts what a search finds, at most LOOKED_AT_MAX."""
        with opened(connection) as notion:
            listing = NotionListing(notion, asks_max=BLOCKS_ASKED_MAX)
            is_more = listing.search(limit=LOOKED_AT_MAX)
            found = listing.within(chosen_ids(selection))
        return Extent(sum(item.is_page for item in found), is_more=is_more)

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        with opened(connection_of(source)) as notion:
            yield from NotionReading(notion, context, chosen_ids(source.selection)).items()


@contextmanager
def opened(connection: Connection) -> Iterator[Notion]:
    """Raises SyncFailed and its kind for all that goes wrong."""
    with open_signed_in(LABEL, connection, PROVIDER, is_busy=is_busy) as api:
        yield Notion(api)


def chosen_ids(selection: Mapping[str, Any]) -> frozenset[str]:
    """Empty: everything that is shared."""
    return frozenset(clean_id(each["id"]) for each in selection.get("chosen", ()))
