"""Bodies of pages are judged before any of them is read: nothing but an upload is multipart."""

import io
from typing import Any

import pytest
from django.test import Client
from gunicorn.config import Config

from accounts.models import Plan, Role, Tenant
from accounts.tests.factories import client_of
from config.rest.body_limits import STRANGERS_MAX_BYTES
from config.serving.arrival import Arrival, Body, BodyNeeded
from config.tests.served import head

FORM, PARTS = "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"
MEGABYTE = 1024 * 1024
PAGES = ("/dashboard/sign-in", "/dashboard/sign-up", "/activate", "/admin/login/", "/demo")

pytestmark = pytest.mark.django_db


class Unread(io.BytesIO):
    """Nobody may read it."""

    def read(self, size: int | None = -1) -> bytes:
        raise AssertionError("a body was read")


def send(path: str, content_type: str, length: int) -> Any:
    client = Client(raise_request_exception=False, enforce_csrf_checks=True)
    environ: dict[str, Any] = {"wsgi.input": Unread(), "CONTENT_LENGTH": str(length)}
    return client.generic("POST", path, "-", content_type, **environ)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    ("content_type", "length"),
    [
        (PARTS, 100),
        (PARTS, 60 * MEGABYTE),
        ("Multipart/Form-Data ; boundary=b", 100),
        (FORM, STRANGERS_MAX_BYTES + 1),
        (FORM, MEGABYTE + 1),
        (FORM, 60 * MEGABYTE),
        ("text/plain", 60 * MEGABYTE),
    ],
)
def test_a_page_refuses_without_reading(path: str, content_type: str, length: int):
    answer = send(path, content_type, length)

    assert answer.status_code in (400, 404, 405)
    assert (answer.status_code == 400) or path == "/demo"


@pytest.mark.parametrize(
    ("content_type", "length", "message"),
    [
        ("application/json", STRANGERS_MAX_BYTES + 1, "The request body is too large."),
        (FORM, 60 * MEGABYTE, "The request body is too large."),
        (PARTS, 100, "multipart/form-data is not taken here."),
    ],
)
def test_an_endpoint_refuses_without_reading(content_type: str, length: int, message: str):
    answer = send("/auth/login", content_type, length)

    error = {"code": "INVALID_REQUEST_BODY", "message": message}
    assert (answer.status_code, answer.json()["error"]) == (400, error)


@pytest.mark.parametrize("path", ["/dashboard/sources/upload", "/ingest/sources/upload"])
def test_an_upload_of_nobody_is_not_read(path: str):
    assert send(path, PARTS, 40 * MEGABYTE).status_code in (302, 401)


# --- A body that the web server still waits for ---------------------------------------------------


class Awaited(Unread):
    """Nothing of it has come."""

    has_come = False


def upload(client: Any, body: Any) -> Any:
    environ: dict[str, Any] = {"wsgi.input": body, "CONTENT_LENGTH": str(40 * MEGABYTE)}
    return client.generic("POST", "/ingest/sources/upload", b"-", PARTS, **environ)


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER])
def test_who_may_not_upload_is_told_without_the_file(tenant: Tenant, role: Role):
    assert upload(client_of(tenant, role=role), Awaited()).status_code == 403


def test_who_may_not_upload_is_counted(tenant: Tenant):
    Plan.objects.update(max_requests_per_minute=2)
    member = client_of(tenant, role=Role.MEMBER)

    statuses = [upload(member, Awaited()).status_code for _ in range(3)]

    assert statuses == [403, 403, 429]


def test_who_has_used_up_the_minute_is_told_without_the_file(tenant: Tenant):
    Plan.objects.update(max_requests_per_minute=1)
    admin = client_of(tenant)
    assert admin.get("/agents").status_code == 200

    assert upload(admin, Awaited()).status_code == 429


def test_who_lacks_a_second_factor_is_told_without_the_file(tenant: Tenant):
    tenant.requires_two_factor = True
    tenant.save()

    answer = upload(client_of(tenant), Awaited())

    assert (answer.status_code, answer.json()["error"]["code"]) == (
        403,
        "TWO_FACTOR_SETUP_REQUIRED",
    )


def test_a_file_that_is_wanted_counts_for_its_tenant_and_as_no_request(tenant: Tenant):
    Plan.objects.update(max_requests_per_minute=1)
    admin = client_of(tenant)
    arrival = Arrival(Config(), ("127.0.0.1", 1))
    arrival.take(head("POST", "/", f"Content-Length: {40 * MEGABYTE}"))
    for _ in range(2):
        with pytest.raises(BodyNeeded):
            upload(admin, Body(arrival))

    arrival.close()
    assert arrival.tenant_id == str(tenant.pk)
    assert admin.get("/agents").status_code == 200
