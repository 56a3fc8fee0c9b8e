"""A Notion account: connected, looked around in, measured, taken away."""

from __future__ import annotations

from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest

from accounts.models import Tenant
from config.errors import InvalidValue
from connectors.notion.connector import NotionConnector
from connectors.tests.notion.account import NotionAccount, Shop, told
from connectors.tests.providers.notion_server import NotionServer
from connectors.tests.providers.notion_sign_in import workspace_of
from sources.connections import open_credentials
from sources.connectors.interface import Choice, Item
from sources.errors import ReauthRequired
from sources.models import Connection, ConnectionState, Source
from sources.oauth.providers import callback_url
from sources.services.connections import begin_sign_in, disconnect, finish_sign_in
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Call, Reply

# --- Whose account, what is in it, how much -------------------------------------------------------


def test_the_picker_shows_pages_and_databases_as_they_lie(
    account: NotionAccount, shop: Shop
) -> None:
    browse = NotionConnector().browse
    assert browse(account.connection, inside="") == [
        Choice(shop.handbook, "Handbook", is_open=True)
    ]
    assert browse(account.connection, inside=shop.handbook) == [
        Choice(shop.products, "Products", hint="database"),
        Choice(shop.returns, "Returns"),
        Choice(shop.team, "Team", is_open=True),
    ]
    assert browse(account.connection, inside=shop.products) == []


def test_how_much_will_be_read_is_counted(account: NotionAccount, shop: Shop) -> None:
    measure = NotionConnector().measure
    assert measure(account.connection, {"chosen": []}).documents == 5
    team = {"chosen": [{"id": shop.team, "name": "Team"}]}
    assert measure(account.connection, team).documents == 2
    assert account.server.calls_to("blocks") == []


def test_what_is_no_id_cannot_be_chosen() -> None:
    with pytest.raises(InvalidValue):
        NotionConnector().clean_selection({"chosen": [{"id": "../users/me", "name": "me"}]})


# --- Signing in -----------------------------------------------------------------------------------


def connect(tenant: Tenant, notion: NotionServer) -> Connection:
    notion.authorization.redirect_uris = {callback_url()}
    session_id = uuid4()
    address = begin_sign_in(tenant, "notes_app", session_id=session_id)
    wanted = dict(parse_qsl(urlsplit(address).query))
    assert notion.authorization.problem_of(wanted) == ""
    given = {"state": wanted["state"], "code": notion.authorization.make_code(wanted)}
    return finish_sign_in(tenant, given, session_id=session_id)


def sync(connection: Connection) -> list[Item]:
    source = Source(source_type="notes_app", connection=connection, tenant=connection.tenant)
    return list(NotionConnector().read(source, FakeRun()))


def test_a_token_that_ends_in_the_middle_is_renewed_once(
    committed_tenant: Tenant, notion: NotionServer, shop: Shop
) -> None:
    connection = connect(committed_tenant, notion)
    workspace_id, workspace_name = workspace_of(notion.authorization.signed_in)
    assert (connection.account_id, connection.account) == (workspace_id, workspace_name)

    def end_tokens(call: Call, answer: Any) -> Reply:
        notion.authorization.expire_access()
        return cast(Reply, answer(call))

    notion.fail("/search", end_tokens)
    assert [kind for kind, _ in told(sync(connection))].count("read") == 4
    assert len(notion.calls_to("/token")) == 2  # the code, and one renewal


@pytest.mark.parametrize("expires", [True, False])
def test_an_account_that_was_taken_away_is_to_be_connected_again(
    committed_tenant: Tenant, notion: NotionServer, expires: bool
) -> None:
    notion.authorization.expires = expires
    connection = connect(committed_tenant, notion)
    notion.authorization.revoke_all()
    with pytest.raises(ReauthRequired, match="Connect the account again"):
        sync(connection)
    connection.refresh_from_db()
    assert connection.state == ConnectionState.REAUTH_REQUIRED


@pytest.mark.django_db
def test_disconnecting_ends_the_right_at_notion_too(tenant: Tenant, notion: NotionServer) -> None:
    connection = connect(tenant, notion)
    token = str(open_credentials(connection)["access_token"])
    disconnect(tenant, connection.pk)
    assert notion.authorization.grant_of(token) is None
