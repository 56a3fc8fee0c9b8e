"""What the measurement asks of a connector's stand-in: the same of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings

from accounts.models import Tenant
from sources.connections import keep_credentials
from sources.connectors.registry import CONNECTORS
from sources.models import Connection, Source
from sources.oauth.tokens import credentials_of, expiry_of
from sources.tests.providers.authorization import Authorization
from sources.tests.providers.server import Call, ProviderServer, Reply


class Trial(ABC):
    """A connector beside its running stand-in. Used with `with`.

    `lists`, `contents`: regular expressions for "METHOD /path" of the calls that list, and of those
    that fetch one document; "" where what is listed is the content.
    """

    kind: str
    lists: str
    contents: str = ""
    server: ProviderServer
    selection: Mapping[str, Any]

    @property
    def label(self) -> str:
        return CONNECTORS[self.kind].label

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Django's, by which the product finds the stand-in."""

    @abstractmethod
    def fill(self, count: int) -> None:
        """So many documents, each of one passage or two; sets `selection` to all of them."""

    @abstractmethod
    def change(self, count: int) -> None:
        """The text of so many of them."""

    @abstractmethod
    def credentials(self) -> dict[str, Any]:
        """What opens the account: a token answer, or what somebody would type."""

    def revoke(self) -> None:
        """Its owner takes the right away, there."""
        raise NotImplementedError

    def reconnect(self, source: Source) -> None:
        """Its owner gives the right again."""
        connection = source.connection
        if connection is None:
            raise RuntimeError("the source has no account")
        self.open(connection)

    def open(self, connection: Connection) -> None:
        given = self.credentials()
        if CONNECTORS[self.kind].provider is not None:
            connection.expires_at, given = expiry_of(given), credentials_of(given)
        keep_credentials(connection, given)

    def expire(self) -> bool:
        """Whether access ends by itself and can be renewed; then it has ended."""
        return False

    def document_of(self, call: Call) -> str | None:
        """Which document a call fetches; None for all others."""
        return None

    def busy(self) -> Reply:
        """What it says to too many requests."""
        return Reply(429, headers={"Retry-After": "1"})

    def __enter__(self) -> Trial:
        self.server.start()
        use_settings(self.all_settings())
        return self

    def __exit__(self, *_: object) -> None:
        self.server.stop()

    def all_settings(self) -> dict[str, Any]:
        return {"FETCH_ALLOWED_HOSTS": [self.server.host], **self.settings()}

    def connect(self, tenant: Tenant) -> Source:
        """An account, and a source that reads `selection` of it."""
        connection = Connection(
            tenant=tenant, provider=self.kind, account="ana@company.example", account_id="1001"
        )
        self.open(connection)
        return Source.objects.for_tenant(tenant).create(
            name=self.label,
            source_type=self.kind,
            connection=connection,
            selection=dict(self.selection),
        )


class SignedInTrial(Trial):
    """Of a provider that people sign in to."""

    authorization: Authorization

    def credentials(self) -> dict[str, Any]:
        return self.authorization.sign_in()

    def revoke(self) -> None:
        self.authorization.revoke_all()

    def expire(self) -> bool:
        self.authorization.expire_access()
        return True


def use_settings(values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(settings, name, value)


TrialMaker = Callable[[], Trial]
