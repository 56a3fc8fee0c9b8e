"""How kinds of accounts, and accounts, are shown."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Tenant
from config.wording import in_words
from dashboard.kinds import name_kind
from sources.connectors.interface import Connector
from sources.connectors.registry import CONNECTORS
from sources.models import Connection, ConnectionState, Source
from sources.services.connections import list_connections
from sources.services.reading import list_sources

STATES = {  # the class of a badge, and the words in it
    ConnectionState.CONNECTED: ("good", gettext_lazy("Connected")),
    ConnectionState.REAUTH_REQUIRED: ("warn", gettext_lazy("No access")),
    ConnectionState.REVOKED: ("", gettext_lazy("Disconnected")),
}


@dataclass(frozen=True)
class AccountLine:
    """A connected account. `sources`: those that are read from it."""

    connection: Connection
    sources: tuple[Source, ...] = ()

    @property
    def name(self) -> str:
        return self.connection.account or self.kind

    @property
    def kind(self) -> str:
        return name_kind(self.connection.provider)

    @property
    def tone(self) -> str:
        return STATES[ConnectionState(self.connection.state)][0]

    @property
    def state(self) -> str:
        return str(STATES[ConnectionState(self.connection.state)][1])

    @property
    def reason(self) -> str:
        return in_words(self.connection.error)

    @property
    def connector(self) -> Connector:
        return CONNECTORS[self.connection.provider]

    @property
    def can_choose(self) -> bool:
        is_connected = self.connection.state == ConnectionState.CONNECTED
        return is_connected and (self.connector.is_browsable or self.connector.uses_channel)

    @property
    def can_reconnect(self) -> bool:
        return self.connector.is_set_up and not self.connector.uses_channel

    @property
    def can_disconnect(self) -> bool:
        """A channel's account is disconnected at its agent."""
        is_ours = not self.connector.uses_channel
        return is_ours and self.connection.state != ConnectionState.REVOKED


@dataclass(frozen=True)
class KindCard:
    """A kind of source other than files. `address`: the page that adds one; "" if it cannot be
    added, then `obstacle` says why."""

    connector: Connector
    accounts: tuple[AccountLine, ...] = ()

    @property
    def kind(self) -> str:
        return self.connector.kind

    @property
    def label(self) -> str:
        return name_kind(self.kind)

    @property
    def reads(self) -> str:
        return _(self.connector.reads) if self.connector.reads else ""

    @property
    def is_website(self) -> bool:
        return self.connector.can_be_checked

    @property
    def is_signed_in_to(self) -> bool:
        return self.connector.provider is not None

    @property
    def is_typed_in(self) -> bool:
        return bool(self.connector.connection_fields)

    @property
    def address(self) -> str:
        if self.is_website:
            return reverse("dashboard:source_website")
        if self.obstacle:
            return ""
        page = "connect_by_sign_in" if self.is_signed_in_to else "connect_by_typing"
        return f"{reverse(f'dashboard:{page}')}?{urlencode({'kind': self.kind})}"

    @property
    def obstacle(self) -> str:
        if self.connector.uses_channel:
            return _("Connect it as an agent's channel and it will show up here.")
        if not self.connector.reads_account:
            return _("Not available yet. Export its content and upload it as files.")
        if not self.connector.is_set_up:
            return _("Not available yet: this server has not been set up for it.")
        return ""


def get_card(kind: str) -> KindCard:
    """The card of a kind that an account was connected as."""
    return KindCard(CONNECTORS[kind])


def find_card(kind: str) -> KindCard | None:
    """The card of a kind; None if that kind cannot be connected here."""
    card = get_card(kind) if kind in CONNECTORS else None
    return card if card and card.connector.reads_account and not card.obstacle else None


def list_cards(tenant: Tenant) -> list[KindCard]:
    """A card for each kind in the registry that is not uploaded. Two queries."""
    lines: dict[str, list[AccountLine]] = defaultdict(list)
    for line in list_lines(tenant):
        lines[line.connection.provider].append(line)
    return [
        KindCard(connector, tuple(lines[kind]))
        for kind, connector in CONNECTORS.items()
        if not connector.is_uploaded
    ]


def list_lines(tenant: Tenant) -> list[AccountLine]:
    """The connected accounts, each with its sources. Two queries."""
    connections = list(list_connections(tenant))
    sources: dict[object, list[Source]] = defaultdict(list)
    for source in list_sources(tenant).filter(connection__in=connections):
        sources[source.connection_id].append(source)
    return [AccountLine(row, tuple(sources[row.pk])) for row in connections]
