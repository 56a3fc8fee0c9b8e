"""Bodies of pages are judged before any of them is read: nothing but an upload is multipart."""

import io
from typing import Any

import pytest
from django.test import Client

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
        ("application/json", MEGABYTE + 1, "The request body is too large."),
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
