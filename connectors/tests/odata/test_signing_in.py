"""Ways to sign in to an OData service."""

from __future__ import annotations

import pytest

from accounts.models import Tenant
from connectors.odata.connector import ODataConnector
from connectors.tests.odata.account import (
    make_source,
    sync,
    typed,
)
from connectors.tests.providers.odata_server import TOKEN_PATH, ODataServer
from sources.errors import (
    ConnectionRefused,
    OriginUnavailable,
    ReauthRequired,
)
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Reply, json_reply

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("sign_in", ["basic", "key", "client"])
def test_every_way_to_sign_in_reads(erp: ODataServer, tenant: Tenant, sign_in: str) -> None:
    erp.sign_in = sign_in
    told, _ = sync(make_source(tenant, typed(erp)))
    assert len(told) == 5
    assert len(erp.calls_to(TOKEN_PATH)) == (1 if sign_in == "client" else 0)


def test_a_token_that_ends_in_the_middle_is_replaced_once(erp: ODataServer, tenant: Tenant) -> None:
    erp.sign_in, erp.page_max = "client", 2
    items = ODataConnector().read(make_source(tenant, typed(erp)), FakeRun())
    first = next(items)
    erp.expire_access()
    assert len([first, *items]) == 5
    assert len(erp.calls_to(TOKEN_PATH)) == 2


@pytest.mark.parametrize(
    ("sign_in", "change", "field"),
    [
        ("basic", {"password": "other"}, "password"),
        ("key", {"key": "other"}, "key"),
        ("client", {"client_secret": "other"}, "client_secret"),
        ("client", {"scope": "other"}, "client_secret"),
    ],
)
def test_who_is_refused_has_to_connect_again(
    erp: ODataServer, tenant: Tenant, sign_in: str, change: dict[str, str], field: str
) -> None:
    erp.sign_in = sign_in
    with pytest.raises(ReauthRequired):
        sync(make_source(tenant, typed(erp, **change)))
    with pytest.raises(ConnectionRefused) as refused:
        ODataConnector().check_connection(typed(erp, **change, entity_sets="Items"))
    assert refused.value.field == field


def test_a_token_address_that_fails_may_work_later(erp: ODataServer, tenant: Tenant) -> None:
    erp.sign_in = "client"
    for reply in (Reply(500), Reply(200, b"<html>"), json_reply({"access_token": "a\nb"})):
        erp.fail(TOKEN_PATH, reply)
        with pytest.raises(OriginUnavailable):
            sync(make_source(tenant, typed(erp)))
