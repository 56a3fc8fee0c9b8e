"""WhatsApp Business as a source: profile, templates and products of an agent's channel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from config.errors import InvalidValue
from connectors.whatsapp_business.graph import Graph, GraphRefused, is_id, open_graph
from connectors.whatsapp_business.problems import NO_CHANNEL, NOTHING_CHOSEN
from connectors.whatsapp_business.published import (
    PRODUCT_FIELDS,
    TEMPLATE_FIELDS,
    make_product,
    make_template,
    read_profile,
    text_of,
)
from reading.passages import ExtractedDocument
from reasons import Reason
from sources.connectors.interface import (
    SOURCE_URL,
    Choice,
    Connector,
    Extent,
    Failed,
    Item,
    SyncContext,
    Unchanged,
    clean_chosen,
)
from sources.connectors.remote import Fetched, Listed, RemoteDocument, read_documents
from sources.errors import ReauthRequired, SyncFailed
from sources.models import Connection, Source

# "profile", "templates:<id of the business account>", "catalogue:<id>".
CHOICE = re.compile(r"(profile)|(templates|catalogue):([0-9]{1,50})")
COUNTED_MAX = 2000  # then it is "more than"


class WhatsAppBusinessConnector(Connector):
    """Reads with what connects an agent's channel. Chats are never asked for."""

    kind = "messenger_b"
    label = "WhatsApp Business"
    uses_channel = True
    fields = (SOURCE_URL,)  # kept where it is given, for the person who made the source; not called
    is_browsable = True
    reads = gettext_noop(
        "What your business publishes on WhatsApp: its profile, product catalogues and approved"
        " message templates. Chats with customers are never read."
    )

    def browse(self, connection: Connection, *, inside: str) -> Sequence[Choice]:
        """The choices; without those that the system user may not see."""
        with open_graph(connection) as graph:
            choices = [Choice("profile", "Business profile")]
            with suppress(GraphRefused):  # then the list is shorter
                account = graph.find_account()
                if account:
                    choices.append(Choice(f"templates:{account}", "Approved message templates"))
                    edge = graph.list(f"{account}/product_catalogs", fields="id,name")
                    choices += [choice_of(each) for each in edge if is_id(each.get("id"))]
        return choices

    def clean_selection(self, given: Mapping[str, Any]) -> dict[str, Any]:
        chosen = clean_chosen(given.get("chosen", []))
        if not all(CHOICE.fullmatch(each["id"]) for each in chosen):
            raise InvalidValue(Reason("chosen_unknown"))
        return {"chosen": chosen}

    def measure(self, connection: Connection, selection: Mapping[str, Any]) -> Extent | None:
        documents = 0
        with open_graph(connection) as graph:
            for choice in selection["chosen"]:
                try:
                    found = iter_published(graph, choice)
                    documents += sum(1 for _ in islice(found, COUNTED_MAX + 1 - documents))
                except GraphRefused:
                    continue
        return Extent(min(documents, COUNTED_MAX), is_more=documents > COUNTED_MAX)

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        if source.connection is None:
            raise ReauthRequired(NO_CHANNEL)
        chosen = source.selection.get("chosen", [])
        if not chosen:
            raise SyncFailed(NOTHING_CHOSEN)
        with open_graph(source.connection) as graph:
            listed = list_published(graph, chosen, context)
            yield from read_documents(listed, context, take_text, at_once=1)


def take_text(document: RemoteDocument, folder: Path) -> Fetched:
    """The document's text, which came with its list."""
    if not isinstance(document.handle, ExtractedDocument):
        raise TypeError(f"No text: {document.handle!r}")
    return document.handle


def list_published(
    graph: Graph, chosen: Sequence[Mapping[str, str]], context: SyncContext
) -> Iterator[Listed]:
    """Reports a choice that cannot be read as a document that failed; what is known of it stays."""
    for choice in chosen:
        try:
            yield from iter_published(graph, choice)
        except GraphRefused as refused:
            yield Failed(choice["id"], refused.reason, title=choice["name"])
            own = (id_ for id_ in context.known if f"{id_}:".startswith(f"{choice['id']}:"))
            yield from map(Unchanged, own)


def iter_published(graph: Graph, choice: Mapping[str, str]) -> Iterator[RemoteDocument]:
    """Raises as Graph.get."""
    found = CHOICE.fullmatch(choice["id"])
    if found is None:
        return
    if found[1]:
        yield read_profile(graph)
    elif found[2] == "templates":
        fields = ",".join(TEMPLATE_FIELDS)
        edge = graph.list(f"{found[3]}/message_templates", status="APPROVED", fields=fields)
        yield from filter(None, (make_template(choice["id"], each) for each in edge))
    else:
        edge = graph.list(f"{found[3]}/products", fields=",".join(PRODUCT_FIELDS))
        products = (make_product(choice["id"], each, catalogue=choice["name"]) for each in edge)
        yield from filter(None, products)


def choice_of(catalogue: Mapping[str, Any]) -> Choice:
    return Choice(f"catalogue:{catalogue['id']}", text_of(catalogue.get("name")) or "Catalogue")
