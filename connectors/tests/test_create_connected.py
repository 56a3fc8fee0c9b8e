"""POST /ingest/sources with `connection`: an account is connected without the dashboard. What makes
a source of each kind readable: connectors/tests/."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from celery.exceptions import TimeoutError as ResultTimeout
from kombu.exceptions import OperationalError as BrokerError
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import client_of, make_tenant
from config.celery import app
from config.jobs.places import take_place
from connectors.tests.odata.account import fill as fill_items
from connectors.tests.odata.account import make_items
from connectors.tests.providers.json_api_server import TOKEN, JsonApiServer
from connectors.tests.providers.odata_server import ODataServer
from connectors.tests.providers.odoo_shop import make_shop
from connectors.tests.web.test_sync import sync_now
from reasons import Reason
from sources.connections import open_credentials
from sources.connectors.interface import Account, Checked
from sources.connectors.registry import CONNECTORS
from sources.models import Chunk, Connection, Source, SyncEvent
from sources.services import checking
from sources.tasks import check_account
from sources.tests.test_concurrency import in_thread
from sources.tests.test_preflight import Answer

URL = "/ingest/sources"
TYPED_KINDS = [kind for kind, connector in CONNECTORS.items() if connector.connection_fields]
OTHER_KINDS = ["web", "cloud_drive_a", "cloud_drive_b", "notes_app", "messenger_b"]
TOO_LONG = "x" * 4001


@pytest.fixture
def centre(settings: Any) -> Iterator[JsonApiServer]:
    with JsonApiServer() as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host]
        server.add("May I return a bicycle?", "Within thirty days, with the receipt.")
        yield server


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process."""
    monkeypatch.setitem(app.conf, "task_always_eager", True)


def connection_to(server: JsonApiServer, **over: object) -> dict[str, object]:
    """`...`: the field is left out."""
    fields: dict[str, object] = {
        "url": server.list_url,
        "auth": "bearer",
        "auth_secret": TOKEN,
        "id": "/id",
        "title": "/title",
        "body": "/body",
        **over,
    }
    return {name: value for name, value in fields.items() if value is not ...}


def create(client: APIClient, connection: object, kind: str = "api", **headers: str) -> Any:
    body = {"name": "Help", "source_type": kind, "connection": connection}
    return client.post(URL, body, format="json", headers=headers)


def refusal_of(response: Any) -> tuple[int, str, str]:
    error = response.json()["error"]
    return response.status_code, error["code"], error["message"]


def counts(tenant: Tenant) -> tuple[int, int]:
    """Sources and connections."""
    return (
        Source.objects.with_deleted(tenant).count(),
        Connection.objects.for_tenant(tenant).count(),
    )


def test_with_an_idempotency_key_one_account_is_connected_once(
    admin_api: APIClient, tenant: Tenant, centre: JsonApiServer
) -> None:
    key = {"Idempotency-Key": "8e03978e-40d5-43e8-bc93-6894a57f9324"}
    first = create(admin_api, connection_to(centre), **key)
    asked = len(centre.calls)

    second = create(admin_api, connection_to(centre), **key)
    other = create(admin_api, connection_to(centre, auth_secret="another"), **key)

    assert (first.status_code, second.content) == (201, first.content)
    assert len(centre.calls) == asked  # the repeat asks nobody
    assert (other.status_code, other.json()["error"]["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")
    assert counts(tenant) == (1, 1)


# --- What it answers and stores -------------------------------------------------------------------


def test_an_api_is_connected_and_read(
    admin_api: APIClient, tenant: Tenant, centre: JsonApiServer
) -> None:
    response = create(admin_api, connection_to(centre))

    source = Source.objects.for_tenant(tenant).get()
    assert response.status_code == 201
    assert response.json() == {
        "source_id": str(source.pk),
        "name": "Help",
        "sync_status": "pending",
    }
    source = sync_now(source)
    assert (source.sync_status, source.chunks_count) == ("synced", 1)
    chunk = Chunk.objects.for_tenant(tenant).get()
    assert (chunk.section_title, chunk.text) == (
        "May I return a bicycle?",
        "Within thirty days, with the receipt.",
    )


def test_an_odoo_is_connected_and_read(admin_api: APIClient, tenant: Tenant, settings: Any) -> None:
    with make_shop(19) as shop:
        settings.FETCH_ALLOWED_HOSTS = [shop.host]
        fields = {"url": shop.url, "api_key": shop.key, "models": "product.template"}
        assert create(admin_api, fields, "erp_a").status_code == 201
        source = sync_now(Source.objects.for_tenant(tenant).get())

        wrong = create(admin_api, fields | {"api_key": "a-wrong-key"}, "erp_a")
    assert source.sync_status == "synced"
    assert Chunk.objects.for_tenant(tenant).filter(text__contains="House blend").exists()
    assert refusal_of(wrong)[:2] == (400, "VALIDATION_ERROR")
    assert refusal_of(wrong)[2].startswith("connection.api_key: ")
    assert "a-wrong-key" not in refusal_of(wrong)[2]


def test_an_odata_service_is_connected_and_read(
    admin_api: APIClient, tenant: Tenant, settings: Any
) -> None:
    with ODataServer(make_items()) as erp:
        settings.FETCH_ALLOWED_HOSTS = [erp.host]
        fill_items(erp)
        fields = {
            "service_url": erp.root_url,
            "sign_in": "basic",
            "username": erp.user,
            "password": erp.password,
            "entity_sets": "Items",
        }
        assert create(admin_api, fields, "erp_b").status_code == 201
        source = sync_now(Source.objects.for_tenant(tenant).get())

        wrong = create(admin_api, fields | {"password": "a-wrong-one"}, "erp_b")
    assert source.sync_status == "synced"
    assert Chunk.objects.for_tenant(tenant).filter(text__contains="Bicycle 1").exists()
    assert refusal_of(wrong)[:2] == (400, "VALIDATION_ERROR")
    assert refusal_of(wrong)[2].startswith("connection.")
    assert "a-wrong-one" not in refusal_of(wrong)[2]


@pytest.mark.parametrize("kind", TYPED_KINDS)
def test_what_opens_the_account_is_sealed_and_what_is_read_stands_at_the_source(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """Of every kind that is connected by what is typed."""
    connector, asked = CONNECTORS[kind], list[dict[str, str]]()
    fields = {
        field.name: field.choices[-1][0] if field.choices else f"a {field.name}"
        for field in connector.connection_fields
    }

    def check(given: dict[str, str]) -> Checked:
        asked.append(given)
        return Checked(Account("7", "The shop"), {"chosen": ["a", "b"]})

    monkeypatch.setattr(connector, "check_connection", check)
    assert create(admin_api, fields, kind).status_code == 201

    source = Source.objects.for_tenant(tenant).select_related("connection").get()
    account = source.connection
    assert account is not None
    assert asked == [fields]
    assert source.selection == {"chosen": ["a", "b"]}
    assert (account.provider, account.account_id, account.account) == (kind, "7", "The shop")
    assert open_credentials(account) == {
        field.name: fields[field.name]
        for field in connector.connection_fields
        if not field.is_selection
    }


def test_the_three_kinds_of_the_interface_are_there() -> None:
    assert set(TYPED_KINDS) == {"api", "erp_a", "erp_b"}


@pytest.mark.parametrize("connection", [None, ...])
def test_without_a_connection_it_is_as_before(
    admin_api: APIClient, tenant: Tenant, connection: object
) -> None:
    body = {"name": "Help", "source_type": "api", "source_url": "drive://folder/7"}
    if connection is not ...:
        body["connection"] = connection  # type: ignore[assignment]
    assert admin_api.post(URL, body, format="json").status_code == 201

    source = Source.objects.for_tenant(tenant).get()
    assert (source.source_url, source.connection, source.selection) == (
        "drive://folder/7",
        None,
        {},
    )


def test_the_same_account_twice_is_one_connection_with_the_last_secret(
    admin_api: APIClient, tenant: Tenant, centre: JsonApiServer
) -> None:
    create(admin_api, connection_to(centre))
    centre.token = "a-new-token"
    create(admin_api, connection_to(centre, auth_secret="a-new-token"))

    assert counts(tenant) == (2, 1)
    account = Connection.objects.for_tenant(tenant).get()
    assert open_credentials(account)["auth_secret"] == "a-new-token"


def test_another_tenant_has_a_connection_of_its_own(
    admin_api: APIClient,
    other_api: APIClient,
    tenant: Tenant,
    other_tenant: Tenant,
    centre: JsonApiServer,
) -> None:
    create(other_api, connection_to(centre))
    create(admin_api, connection_to(centre))

    assert (counts(tenant), counts(other_tenant)) == ((1, 1), (1, 1))
    ours = Connection.objects.for_tenant(tenant).get()
    theirs = Connection.objects.for_tenant(other_tenant).get()
    assert bytes(ours.encrypted_credentials) != bytes(theirs.encrypted_credentials)


# --- Secrets --------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_refused", [False, True])
def test_a_secret_is_in_no_answer_no_event_and_no_line_of_the_log(
    admin_api: APIClient,
    tenant: Tenant,
    centre: JsonApiServer,
    caplog: pytest.LogCaptureFixture,
    is_refused: bool,
) -> None:
    caplog.set_level(logging.DEBUG)
    centre.may_read = not is_refused
    url = f"{centre.list_url}?page=1"
    response = create(admin_api, connection_to(centre, url=url))
    assert response.status_code == (400 if is_refused else 201)

    texts = [response.content.decode(), admin_api.get(URL).content.decode()]
    for source in Source.objects.for_tenant(tenant):
        sync_now(source)
        texts += [
            admin_api.get(f"{URL}/{source.pk}/{page}").content.decode()
            for page in ("status", "history", "preview")
        ]
    events = SyncEvent.objects.for_tenant(tenant).values_list("details", flat=True)
    assert TOKEN not in "".join((caplog.text, *texts, *map(str, events)))
    assert "Within thirty days" not in caplog.text


def test_brokers_are_given_nothing_that_they_could_read(
    admin_api: APIClient, centre: JsonApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []

    def send(arguments: tuple[str, ...], **options: object) -> Answer:
        sent.extend((arguments, options))
        return Answer({"refused": "No.", "field": "url"})

    monkeypatch.setattr(check_account, "apply_async", send)
    create(admin_api, connection_to(centre))
    assert sent
    assert TOKEN not in str(sent)
    assert centre.list_url not in str(sent)


# --- What it refuses ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "message"),
    [
        (
            {"url": ...},
            Reason("of_document", name="connection.url", reason=Reason("field_required")),
        ),
        (
            {"url": " "},
            Reason("of_document", name="connection.url", reason=Reason("field_required")),
        ),
        ({"id": ""}, Reason("of_document", name="connection.id", reason=Reason("field_required"))),
        (
            {"auth": "oauth"},
            Reason(
                "of_document",
                name="connection.auth",
                reason=Reason("choose_value", choices="none, bearer, header, basic"),
            ),
        ),
        (
            {"url": "x" * 2001},
            Reason(
                "of_document",
                name="connection.url",
                reason=Reason("too_many_characters", limit=2000),
            ),
        ),
        ({"url": 7}, "connection.url: Not a valid string."),
        ({"url": ["a"]}, "connection.url: Not a valid string."),
        ({"title": {"a": "b"}}, "connection.title: Not a valid string."),
        ({"url": "https://a\0b/"}, "connection.url: Null characters are not allowed."),
        ({"url": "http://10.0.0.7/"}, "connection.url: Only addresses that begin with https://"),
        (
            {"body": "body"},
            Reason("of_document", name="connection.body", reason=Reason("pointer_needs_slash")),
        ),
        ({"auth_secret": "wrong"}, "connection.auth_secret: 127.0.0.1 does not accept these"),
        (
            {"auth_secret": TOO_LONG},
            Reason(
                "of_document",
                name="connection.auth_secret",
                reason=Reason("too_many_characters", limit=4000),
            ),
        ),
        ({"items": "/data"}, "connection.items: The answer has no list at /data."),
        ({"token": TOKEN}, "connection: There is no field “token”. The fields are: url, auth,"),
    ],
)
def test_what_is_wrong_is_told_at_its_field(
    admin_api: APIClient,
    tenant: Tenant,
    centre: JsonApiServer,
    over: dict[str, object],
    message: str,
) -> None:
    status, code, told = refusal_of(create(admin_api, connection_to(centre, **over)))
    assert (status, code) == (400, "VALIDATION_ERROR")
    assert str(told).startswith(str(message))
    assert TOKEN not in told
    assert counts(tenant) == (0, 0)


@pytest.mark.parametrize("connection", ["url", 7, ["url"], True])
def test_it_must_be_an_object(admin_api: APIClient, connection: object) -> None:
    status, code, told = refusal_of(create(admin_api, connection))
    assert (status, code) == (400, "VALIDATION_ERROR")
    assert told.startswith("connection: Expected a dictionary")


@pytest.mark.parametrize("kind", sorted(set(OTHER_KINDS) - set(TYPED_KINDS)))
def test_other_kinds_take_none(
    admin_api: APIClient, tenant: Tenant, centre: JsonApiServer, kind: str
) -> None:
    body = {"name": "Help", "source_type": kind, "source_url": "http://93.184.216.34/help"}
    response = admin_api.post(URL, body | {"connection": connection_to(centre)}, format="json")
    assert refusal_of(response) == (
        400,
        "VALIDATION_ERROR",
        "connection: Sources of this type are connected in the dashboard, not here.",
    )
    assert (counts(tenant), centre.calls) == ((0, 0), [])


def test_members_may_not(as_role: Any, tenant: Tenant, centre: JsonApiServer) -> None:
    assert create(as_role("member"), connection_to(centre)).status_code == 403
    assert (counts(tenant), centre.calls) == ((0, 0), [])


# --- Limits ---------------------------------------------------------------------------------------


def test_a_full_plan_asks_nobody(db: None, centre: JsonApiServer) -> None:
    tenant = make_tenant(plan="free")
    client = client_of(tenant)
    assert create(client, connection_to(centre)).status_code == 201
    centre.calls.clear()

    response = create(client, connection_to(centre))
    assert refusal_of(response)[:2] == (402, "SOURCE_LIMIT_REACHED")
    assert (counts(tenant), centre.calls) == ((1, 1), [])


def test_two_at_once_fill_the_plan_exactly(
    committed_tenant: Tenant, centre: JsonApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are checked; what the second would have kept is not."""
    committed_tenant.plan.max_connectors = 1
    committed_tenant.plan.save()
    both = Barrier(2)

    def look(*arguments: object) -> dict[str, Any]:
        both.wait(20)
        account = {"id": "7", "label": "The help centre"}
        return {"account": account, "selection": {}, "amount": None, "passages": ()}

    monkeypatch.setattr(checking, "ask_worker", look)
    client = client_of(committed_tenant)
    with ThreadPoolExecutor(2) as threads:
        asked = in_thread(lambda _: create(client, connection_to(centre)).status_code)
        assert sorted(threads.map(asked, range(2))) == [201, 402]
    assert counts(committed_tenant) == (1, 1)


def test_so_many_of_a_tenant_are_checked_at_once(
    admin_api: APIClient, other_api: APIClient, tenant: Tenant, centre: JsonApiServer
) -> None:
    """Websites among them."""
    for _ in range(checking.WAITING.amount):
        take_place(checking.WAITING, tenant.pk)

    response = create(admin_api, connection_to(centre))
    assert refusal_of(response)[:2] == (429, "TOO_MANY_REQUESTS")
    assert response["Retry-After"] == "10"
    assert create(other_api, connection_to(centre)).status_code == 201


def test_without_an_answer_in_time_nothing_is_stored(
    admin_api: APIClient, tenant: Tenant, centre: JsonApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check_account, "apply_async", lambda *a, **k: Answer(ResultTimeout()))
    assert refusal_of(create(admin_api, connection_to(centre))) == (
        400,
        "VALIDATION_ERROR",
        "connection: There was no answer in time. Check the address, or try again later.",
    )
    assert counts(tenant) == (0, 0)


def test_without_a_broker_the_answer_is_503(
    admin_api: APIClient, tenant: Tenant, centre: JsonApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise BrokerError("refused")

    monkeypatch.setattr(check_account, "apply_async", refuse)
    response = create(admin_api, connection_to(centre))
    assert refusal_of(response)[:2] == (503, "SERVICE_UNAVAILABLE")
    assert counts(tenant) == (0, 0)
