"""POST /ingest/sources (docs/specification.md, Sources 1 to 3)."""

import socket
import uuid
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import client_of, make_tenant
from config.errors import Conflict
from config.tests.parallel import look_over_all_tenants
from sources.errors import SourceLimitReached
from sources.models import Source, SyncEvent
from sources.services import creating
from sources.services.creating import create_source
from sources.services.editing import delete_source
from sources.tests.factories import make_source
from sources.tests.test_concurrency import in_thread

URL = "/ingest/sources"
SITE = "https://shop.example/help"
ADDRESSES = {"shop.example": "93.184.216.34", "intranet.example": "10.0.0.7"}
CONNECTORS = ("cloud_drive_a", "cloud_drive_b", "notes_app", "messenger_b", "erp_a", "erp_b", "api")
WAIT_SECONDS = 20


@pytest.fixture(autouse=True)
def name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Knows ADDRESSES, and what is an address already."""
    look_up = socket.getaddrinfo

    def answer(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(host, str) and host.endswith(".example"):
            if host not in ADDRESSES:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            host = ADDRESSES[host]
        return look_up(host, port, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", answer)


def create(client: APIClient, **fields: object):
    body = {"name": "Shop", "source_type": "web", "source_url": SITE, **fields}
    return client.post(URL, {k: v for k, v in body.items() if v is not ...}, format="json")


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def count(tenant: Tenant) -> int:
    return Source.objects.with_deleted(tenant).count()


# --- What it answers and stores -----------------------------------------------------------------


def test_a_website_waits_for_its_first_sync(admin_api: APIClient, tenant: Tenant):
    response = create(admin_api)

    source = Source.objects.for_tenant(tenant).get()
    assert response.status_code == 201
    assert response.json() == {
        "source_id": str(source.pk),
        "name": "Shop",
        "sync_status": "pending",
    }
    assert (source.source_type, source.source_url) == ("web", SITE)
    assert (source.sync_run_id, source.last_synced_at, source.chunks_count) == (None, None, 0)


def test_history_tells_the_creation(admin_api: APIClient, tenant: Tenant):
    create(admin_api)

    event = SyncEvent.objects.for_tenant(tenant).get()
    assert (event.action, event.details) == ("source_created", {"provider": "web"})


@pytest.mark.parametrize("kind", CONNECTORS)
def test_connectors_are_made_in_reference_mode(admin_api: APIClient, tenant: Tenant, kind: str):
    """Their address is kept as it is, and not asked for anything."""
    response = create(admin_api, source_type=kind, source_url="drive://folder/7")

    source = Source.objects.for_tenant(tenant).get()
    assert response.status_code == 201
    assert (source.source_type, source.source_url) == (kind, "drive://folder/7")


@pytest.mark.parametrize("url", [..., None, ""])
def test_their_address_may_be_left_out(admin_api: APIClient, url: object):
    assert create(admin_api, source_type="notes_app", source_url=url).status_code == 201


def test_a_new_source_comes_last_in_the_list(admin_api: APIClient, tenant: Tenant):
    make_source(tenant, name="a", position=7)
    make_source(tenant, name="b", position=2)

    create(admin_api, name="c")

    listed = [(source["name"], source["position"]) for source in admin_api.get(URL).json()]
    assert listed == [("b", 2), ("a", 7), ("c", 8)]


def test_at_the_end_of_all_positions_too(admin_api: APIClient, tenant: Tenant):
    make_source(tenant, name="a", position=2**31 - 1)

    create(admin_api, name="b")

    assert [source["name"] for source in admin_api.get(URL).json()] == ["a", "b"]


# --- What it refuses, in this order -------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"name": ...}, "MISSING_FIELDS"),
        ({"name": None}, "MISSING_FIELDS"),
        ({"name": " "}, "MISSING_FIELDS"),
        ({"source_type": ...}, "MISSING_FIELDS"),
        ({"source_type": None}, "MISSING_FIELDS"),
        ({"source_type": ""}, "MISSING_FIELDS"),
        ({"name": "", "source_type": "ftp"}, "MISSING_FIELDS"),
        ({"name": ..., "source_type": 7}, "MISSING_FIELDS"),
        ({"source_type": "ftp"}, "INVALID_SOURCE_TYPE"),
        ({"source_type": "WEB"}, "INVALID_SOURCE_TYPE"),
        ({"source_type": "file"}, "INVALID_SOURCE_TYPE"),
        ({"source_type": "audio"}, "INVALID_SOURCE_TYPE"),
        ({"source_type": 7}, "INVALID_SOURCE_TYPE"),
        ({"source_type": ["web"]}, "INVALID_SOURCE_TYPE"),
        ({"source_type": {"web": 1}}, "INVALID_SOURCE_TYPE"),
        ({"source_type": "ftp", "source_url": ...}, "INVALID_SOURCE_TYPE"),
        ({"source_url": ...}, "MISSING_FIELDS"),
        ({"source_url": None}, "MISSING_FIELDS"),
        ({"source_url": "  "}, "MISSING_FIELDS"),
        ({"source_url": 7}, "VALIDATION_ERROR"),
        ({"source_url": "https://shop.example/" + "a" * 2000}, "VALIDATION_ERROR"),
        ({"source_url": "shop.example"}, "VALIDATION_ERROR"),
        ({"source_url": "ftp://shop.example/"}, "VALIDATION_ERROR"),
        ({"source_url": "https://"}, "VALIDATION_ERROR"),
        ({"source_url": "https://ana:secret@shop.example/"}, "VALIDATION_ERROR"),
        ({"name": "n" * 201}, "VALIDATION_ERROR"),
        ({"name": "a\0b"}, "VALIDATION_ERROR"),
        ({"name": 7}, "VALIDATION_ERROR"),
    ],
)
def test_what_is_wrong_is_told_by_its_code(
    admin_api: APIClient, tenant: Tenant, fields: dict[str, object], error: str
):
    assert error_of(create(admin_api, **fields)) == (400, error)
    assert count(tenant) == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://localhost:8000/",
        "http://169.254.169.254/latest/meta-data/",
        "http://10.1.2.3/",
        "http://[::1]/",
        "http://0x7f000001/",
        "https://intranet.example/",
    ],
)
def test_an_address_that_is_not_public_is_refused(admin_api: APIClient, tenant: Tenant, url: str):
    assert error_of(create(admin_api, source_url=url)) == (400, "VALIDATION_ERROR")
    assert count(tenant) == 0


def test_a_name_that_is_not_known_yet_is_accepted(admin_api: APIClient):
    assert create(admin_api, source_url="https://soon.example/").status_code == 201


# --- Duplicates ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        SITE,
        "HTTPS://Shop.Example/HELP",
        SITE + "/",
        "https://shop.example:443/help",
        SITE + "#returns",
    ],
)
def test_the_same_website_twice_is_a_conflict_that_names_the_first(
    admin_api: APIClient, tenant: Tenant, url: str
):
    first = create(admin_api, name="Tienda").json()["source_id"]

    response = create(admin_api, source_url=url)

    assert error_of(response) == (409, "CONFLICT")
    assert response.json()["error"]["message"] == (
        f'The source "Tienda" ({first}) already has this address.'
    )
    assert count(tenant) == 1


@pytest.mark.parametrize(
    "url",
    [SITE + "/returns", SITE + "?lang=es", "http://shop.example/help", "https://shop.example"],
)
def test_another_address_is_another_website(admin_api: APIClient, url: str):
    create(admin_api)

    assert create(admin_api, source_url=url).status_code == 201


def test_another_tenant_may_have_the_same_one(admin_api: APIClient, other_api: APIClient):
    create(other_api)

    assert create(admin_api).status_code == 201


def test_a_deleted_website_may_be_made_again(admin_api: APIClient, tenant: Tenant):
    first = create(admin_api).json()["source_id"]
    delete_source(tenant, uuid.UUID(first))

    assert create(admin_api).status_code == 201


def test_only_websites_are_compared(admin_api: APIClient):
    for _ in range(2):
        assert create(admin_api, source_type="erp_a").status_code == 201


def test_the_database_refuses_what_was_written_past_the_lock(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    looks = iter([lambda source: None, creating.refuse_duplicate])
    first = create(admin_api).json()["source_id"]
    monkeypatch.setattr(creating, "refuse_duplicate", lambda source: next(looks)(source))

    response = create(admin_api)

    assert error_of(response) == (409, "CONFLICT")
    assert first in response.json()["error"]["message"]
    assert count(tenant) == 1


# --- The plan -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("plan", "limit"), [("free", 1), ("starter", 3), ("pro", 10)])
@pytest.mark.django_db
def test_a_plan_holds_so_many_connectors(plan: str, limit: int):
    tenant = make_tenant(plan=plan)
    client = client_of(tenant)
    for _ in range(limit):
        assert create(client, source_type="erp_a").status_code == 201

    response = create(client, source_type="erp_a")

    assert error_of(response) == (402, "SOURCE_LIMIT_REACHED")
    assert response.json()["error"]["message"] == (
        f"Your {plan.title()} plan's limit of connected sources ({limit}) is reached. Delete one,"
        " or change the plan."
    )
    assert count(tenant) == limit


@pytest.mark.parametrize(
    "over",
    [
        {"source_type": "file"},
        {"source_type": "audio"},
        {"sync_status": "error", "last_synced_at": None},
        {"deleted_at": timezone.now()},
    ],
)
@pytest.mark.django_db
def test_what_does_not_count(over: dict[str, object]):
    """Uploads, those that failed and never indexed anything, deleted ones."""
    tenant = make_tenant(plan="free")
    make_source(tenant, **{"source_type": "web", **over})

    assert create(client_of(tenant)).status_code == 201


@pytest.mark.django_db
def test_one_that_failed_after_it_was_indexed_counts():
    tenant = make_tenant(plan="free")
    make_source(tenant, source_type="web", sync_status="error", last_synced_at=timezone.now())

    assert error_of(create(client_of(tenant))) == (402, "SOURCE_LIMIT_REACHED")


@pytest.mark.django_db
def test_connectors_of_other_tenants_do_not_count(other_tenant: Tenant):
    make_source(other_tenant, source_type="web")

    assert create(client_of(make_tenant(plan="free"))).status_code == 201


@pytest.mark.django_db
def test_a_duplicate_in_a_full_plan_is_told_as_a_duplicate():
    client = client_of(make_tenant(plan="free"))
    create(client)

    assert error_of(create(client)) == (409, "CONFLICT")


# --- Many at once -------------------------------------------------------------------------------


def create_together(tenant: Tenant, urls: list[str]) -> list[type[Exception] | None]:
    start = Barrier(len(urls))

    def create_one(url: str) -> type[Exception] | None:
        start.wait(WAIT_SECONDS)
        try:
            create_source(tenant, name="Shop", source_type="web", source_url=url)
        except (Conflict, SourceLimitReached) as error:
            return type(error)
        return None

    with ThreadPoolExecutor(len(urls), initializer=look_over_all_tenants) as threads:
        return list(threads.map(in_thread(create_one), urls))


def test_the_same_website_many_times_at_once_is_made_once(committed_tenant: Tenant):
    outcomes = create_together(committed_tenant, [SITE] * 6)

    assert (outcomes.count(None), outcomes.count(Conflict)) == (1, 5)
    assert count(committed_tenant) == 1


def test_websites_at_the_same_time_fill_the_plan_exactly(committed_tenant: Tenant):
    committed_tenant.plan.max_connectors = 2
    committed_tenant.plan.save()

    outcomes = create_together(committed_tenant, [f"{SITE}/{number}" for number in range(6)])

    assert (outcomes.count(None), outcomes.count(SourceLimitReached)) == (2, 4)
    positions = Source.objects.for_tenant(committed_tenant).values_list("position", flat=True)
    assert sorted(positions) == [0, 1]
