"""POST /ingest/sources/preflight (docs/specification.md, Sources 4). What makes a website
indexable: connectors/tests/web/test_preflight.py."""

from collections.abc import Iterator
from typing import Any

import pytest
from celery.exceptions import TaskRevokedError
from celery.exceptions import TimeoutError as ResultTimeout
from django.db import connection
from kombu.exceptions import OperationalError as BrokerError
from redis import ConnectionError as RedisDown
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import client_of, make_tenant
from config.celery import app
from config.jobs.places import take_place
from config.tests.web_server import Site, serve_site
from reasons import Reason, as_reason
from sources.connectors.interface import Preflight
from sources.errors import ExtractionUnavailable
from sources.models import Source, SyncEvent
from sources.services import checking
from sources.services.checking import check_website
from sources.tasks import check_site
from sources.tests.factories import long_paragraph

URL = "/ingest/sources/preflight"
PUBLIC = "http://93.184.216.34/help"  # nothing is asked there


@pytest.fixture
def site(settings) -> Iterator[Site]:
    with serve_site() as site:
        settings.FETCH_ALLOWED_HOSTS = [site.host]
        yield site


@pytest.fixture(autouse=True)
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process."""
    monkeypatch.setitem(app.conf, "task_always_eager", True)


def check(client: APIClient, url: object, **fields: object):
    return client.post(URL, {"source_type": "web", "source_url": url, **fields}, format="json")


def error_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def page(title: str, *paragraphs: str) -> str:
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<html><head><title>{title}</title></head><body><main>{text}</main></body></html>"


def test_a_website_that_can_be_indexed(admin_api: APIClient, tenant: Tenant, site: Site):
    link = '<a href="/returns">Returns</a>'
    site.page("/", page("Our shop", long_paragraph("returns"), long_paragraph("tea"), link))

    response = check(admin_api, site.url + "/")

    assert response.status_code == 200
    assert response.json() == {
        "indexable": True,
        "pages_found": 2,
        "max_pages": tenant.plan.max_pages_per_crawl,
        "sample_title": "Our shop",
    }


def test_one_that_cannot_and_why(admin_api: APIClient, monkeypatch: pytest.MonkeyPatch):
    found = Preflight(is_indexable=False, error=as_reason("There is too little text."))
    monkeypatch.setattr("connectors.web.preflight.check_site", lambda *a, **k: found)

    response = check(admin_api, PUBLIC)

    assert response.status_code == 200
    assert response.json() == {
        "indexable": False,
        "error": "There is too little text.",
        "error_code": "text",
    }


def test_the_pages_of_the_plan_are_told(monkeypatch: pytest.MonkeyPatch, db: None):
    def find(url: str, *, max_pages: int) -> Preflight:
        return Preflight(is_indexable=True, pages_found=3, max_pages=max_pages, sample_title=url)

    monkeypatch.setattr("connectors.web.preflight.check_site", find)

    assert check(client_of(make_tenant(plan="free")), PUBLIC).json() == {
        "indexable": True,
        "pages_found": 3,
        "max_pages": 25,
        "sample_title": PUBLIC,
    }


def test_nothing_is_written_and_no_place_of_the_plan_is_taken(site: Site, db: None):
    tenant = make_tenant(plan="free")
    client = client_of(tenant)
    for _ in range(3):
        assert check(client, site.url).status_code == 200

    assert not Source.objects.for_tenant(tenant).exists()
    assert not SyncEvent.objects.for_tenant(tenant).exists()


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"source_type": None}, "MISSING_FIELDS"),
        ({"source_type": ""}, "MISSING_FIELDS"),
        ({"source_url": None}, "MISSING_FIELDS"),
        ({"source_url": ""}, "MISSING_FIELDS"),
        ({"source_type": "erp_a", "source_url": ""}, "MISSING_FIELDS"),
        ({"source_type": "erp_a"}, "INVALID_SOURCE_TYPE"),
        ({"source_type": "file"}, "INVALID_SOURCE_TYPE"),
        ({"source_type": 7}, "INVALID_SOURCE_TYPE"),
        ({"source_url": 7}, "VALIDATION_ERROR"),
        ({"source_url": "shop.example"}, "VALIDATION_ERROR"),
        ({"source_url": "http://" + "a" * 2000}, "VALIDATION_ERROR"),
        ({"source_url": "http://127.0.0.1/"}, "VALIDATION_ERROR"),
        ({"source_url": "http://169.254.169.254/"}, "VALIDATION_ERROR"),
    ],
)
def test_what_is_wrong_is_told_by_its_code(
    admin_api: APIClient, fields: dict[str, object], error: str
):
    assert error_of(check(admin_api, PUBLIC, **fields)) == (400, error)


# --- Waiting for the worker ---------------------------------------------------------------------


class Answer:
    """Of a worker, or its silence."""

    def __init__(self, outcome: Exception | dict[str, Any]) -> None:
        self.outcome = outcome
        self.is_forgotten = False

    def get(self, *, timeout: float) -> dict[str, Any]:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome

    def forget(self) -> None:
        self.is_forgotten = True


@pytest.mark.parametrize("silence", [ResultTimeout(), TaskRevokedError("expired")])
def test_without_an_answer_in_time_it_is_not_indexable(
    admin_api: APIClient, monkeypatch: pytest.MonkeyPatch, silence: Exception
):
    answer = Answer(silence)
    monkeypatch.setattr(check_site, "apply_async", lambda *a, **k: answer)

    response = check(admin_api, PUBLIC)

    assert response.status_code == 200
    assert response.json() == {
        "indexable": False,
        "error": "The website did not answer in time. Check the address, or try again later.",
        "error_code": "website_check_too_slow",
    }
    assert answer.is_forgotten


@pytest.mark.parametrize(
    "error", [BrokerError("refused"), RedisDown("refused"), RuntimeError("retry limit")]
)
def test_without_a_broker_the_answer_is_503(
    admin_api: APIClient, monkeypatch: pytest.MonkeyPatch, error: Exception
):
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise error

    monkeypatch.setattr(check_site, "apply_async", refuse)

    assert error_of(check(admin_api, PUBLIC)) == (503, "SERVICE_UNAVAILABLE")


def test_when_pages_cannot_be_read_here_the_answer_is_503(
    admin_api: APIClient, monkeypatch: pytest.MonkeyPatch
):
    def fail(*args: Any, **kwargs: Any) -> Any:
        raise ExtractionUnavailable

    monkeypatch.setattr("connectors.web.preflight.check_site", fail)

    assert error_of(check(admin_api, PUBLIC)) == (503, "SERVICE_UNAVAILABLE")


def test_a_request_that_waits_holds_no_connection(
    committed_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    held = []

    def ask(*args: Any, **kwargs: Any) -> Answer:
        held.append(connection.connection)
        return Answer({"is_indexable": False, "error": Reason("page_noindex").to_json()})

    assert Source.objects.for_tenant(committed_tenant).count() == 0
    monkeypatch.setattr(check_site, "apply_async", ask)

    check_website(committed_tenant, source_type="web", source_url=PUBLIC)

    assert held == [None]


# --- Turns ----------------------------------------------------------------------------------------


def test_so_many_checks_of_a_tenant_wait_and_one_more_is_refused(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    answers = Answer({"is_indexable": False, "error": Reason("page_noindex").to_json()})
    monkeypatch.setattr(check_site, "apply_async", lambda *a, **k: answers)
    places = [take_place(checking.WAITING, tenant.pk) for _ in range(checking.WAITING.amount)]

    response = check(admin_api, PUBLIC)

    assert error_of(response) == (429, "TOO_MANY_REQUESTS")
    assert response["Retry-After"] == "10"
    assert response.json()["error"]["message"] == (
        "Too many addresses are being checked right now. Wait for an answer, then try again."
    )
    for place in filter(None, places):
        place.__exit__(None, None, None)
    assert check(admin_api, PUBLIC).status_code == 200


def test_others_are_checked_meanwhile(
    admin_api: APIClient, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    answers = Answer({"is_indexable": False, "error": Reason("page_noindex").to_json()})
    monkeypatch.setattr(check_site, "apply_async", lambda *a, **k: answers)
    for _ in range(checking.WAITING.amount):
        take_place(checking.WAITING, other_tenant.pk)

    assert check(admin_api, PUBLIC).status_code == 200
