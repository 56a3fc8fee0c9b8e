"""A provider of nothing but sign-ins, and a connector of it: for what all kinds share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sources.connectors.calling import Api
from sources.connectors.interface import Account, Connector, Item, SyncContext
from sources.models import Connection, Source
from sources.oauth.providers import CALLBACK_PATH, OAuthProvider
from sources.oauth.tokens import SignedIn
from sources.tests.providers.authorization import Authorization
from sources.tests.providers.server import Call, ProviderServer, Reply, json_reply

PROVIDER = OAuthProvider(
    label="Plain Drive",
    registration="GOOGLE_CLIENT",
    authorize_setting="GOOGLE_SIGN_IN_URL",
    authorize_path="/authorize",
    token_setting="GOOGLE_TOKEN_URL",
    token_path="/token",
    scopes=("drive.readonly",),
    revoke_path="/revoke",
)


class PlainDrive(ProviderServer):
    """Tells whoever signed in who they are."""

    def __init__(self, base_url: str) -> None:
        super().__init__()
        self.authorization = Authorization(
            redirect_uris={f"{base_url}{CALLBACK_PATH}"}, scopes=frozenset(PROVIDER.scopes)
        )

    def answer(self, call: Call) -> Reply:
        reply = self.authorization.answer(call)
        if reply is not None:
            return reply
        grant = self.authorization.grant_of(call.bearer)
        if grant is None:
            return json_reply({"error": "token"}, 401)
        return json_reply({"id": grant.person.id, "email": grant.person.email})


class PlainDriveConnector(Connector):
    kind = "cloud_drive_a"
    label = PROVIDER.label
    provider = PROVIDER
    is_browsable = True

    def __init__(self, url: str) -> None:
        self.url = url

    def account_of(self, api: Api, tokens: Mapping[str, Any]) -> Account:
        told = api.get(f"{self.url}/me")
        return Account(told["id"], told["email"])

    def whose(self, connection: Connection) -> str:
        """With the connection's own tokens."""
        with Api(self.label, SignedIn(connection, PROVIDER), connection=connection) as api:
            return str(api.get(f"{self.url}/me")["email"])

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        yield from ()
