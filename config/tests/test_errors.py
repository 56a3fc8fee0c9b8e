"""Every error leaves in one form, and says no more than it should."""

import json
import logging
from typing import Any

import pytest
from django.test import Client, override_settings
from rest_framework.test import APIClient

from config.rest.request_id import RequestIdFilter

pytestmark = pytest.mark.urls("config.tests.urls")


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


def error_of(answer: Any) -> tuple[int, str, str]:
    body = answer.json()
    assert answer.headers["Content-Type"] == "application/json"
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message"}
    return answer.status_code, body["error"]["code"], body["error"]["message"]


# --- The standard form ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        ("service", (409, "CONFLICT", "Taken by another.")),
        ("not-found", (404, "NOT_FOUND", "There is nothing at this address.")),
        ("denied", (403, "FORBIDDEN", "Your role does not allow this.")),
        ("drf-denied", (403, "FORBIDDEN", "Your role does not allow this.")),
        ("invalid", (400, "VALIDATION_ERROR", "Too long. Too odd.")),
        ("surrogate", (400, "VALIDATION_ERROR", "? is no name")),
    ],
)
def test_exceptions_become_the_standard_form(
    api: APIClient, failure: str, expected: tuple[int, str, str]
) -> None:
    assert error_of(api.get(f"/fail/{failure}")) == expected


@pytest.mark.parametrize(("failure", "seconds"), [("throttled", "2"), ("limited", "7")])
def test_429_says_when_to_come_again(api: APIClient, failure: str, seconds: str) -> None:
    answer = api.get(f"/fail/{failure}")

    assert error_of(answer)[:2] == (429, "TOO_MANY_REQUESTS")
    assert answer.headers["Retry-After"] == seconds


def test_401_names_the_scheme(api: APIClient) -> None:
    answer = api.get("/auth/me")

    assert error_of(answer)[:2] == (401, "UNAUTHORIZED")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_view_that_names_no_permission_lets_nobody_in(
    api: APIClient, admin_api: APIClient
) -> None:
    assert error_of(api.get("/silent"))[:2] == (401, "UNAUTHORIZED")
    assert error_of(admin_api.get("/silent"))[:2] == (403, "FORBIDDEN")


# --- The legacy form ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("failure", "status", "text"),
    [
        ("service", 409, "Taken by another."),
        ("not-found", 404, "There is nothing at this address."),
        ("surrogate", 400, "? is no name"),
    ],
)
def test_legacy_views_answer_with_the_text_alone(
    api: APIClient, failure: str, status: int, text: str
) -> None:
    answer = api.get(f"/legacy/{failure}")

    assert (answer.status_code, answer.json()) == (status, {"error": text})


def test_legacy_500_is_as_bare(api: APIClient) -> None:
    answer = api.get("/legacy/bug", headers={"X-Request-ID": "r-1"})

    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong on our side. Quote the request id r-1."}


def test_query_endpoint_is_legacy_also_without_a_token(api: APIClient) -> None:
    answer = api.post("/agent/query", {"query": "hello"}, "json")

    assert (answer.status_code, answer.json()) == (
        401,
        {"error": "The access token is missing, invalid, expired or revoked."},
    )


# --- Unknown paths and methods --------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
@pytest.mark.parametrize("path", ["/nothing", "/auth/login/", "/healthz/", "/a%00b", "/%ff"])
def test_unknown_paths_are_not_found_by_any_method(client: Client, method: str, path: str) -> None:
    answer = client.generic(method, path, b"{}", content_type="application/json")

    assert error_of(answer) == (404, "NOT_FOUND", "There is nothing at this address.")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/auth/login"),
        ("PUT", "/auth/login"),
        ("OPTIONS", "/auth/login"),
        ("TRACE", "/auth/login"),
        ("BREW", "/auth/login"),
        ("POST", "/healthz"),
        ("DELETE", "/readyz"),
    ],
)
def test_wrong_methods_are_told(client: Client, method: str, path: str) -> None:
    answer = client.generic(method, path)

    assert error_of(answer) == (405, "METHOD_NOT_ALLOWED", f'Method "{method}" not allowed.')
    assert "Allow" in answer.headers


# --- Unexpected failures --------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/fail/bug", "/plain"])
def test_a_bug_is_a_bare_500_with_the_request_id(
    client: Client, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.get(path, headers={"X-Request-ID": "r-42"})

    assert error_of(answer) == (
        500,
        "INTERNAL_ERROR",
        "Something went wrong on our side. Quote the request id r-42.",
    )
    assert answer.headers["X-Request-ID"] == "r-42"
    assert "hunter2" not in answer.content.decode()


@pytest.mark.parametrize("path", ["/fail/bug", "/plain"])
def test_a_bug_is_logged_with_its_trace_and_the_request_id(
    client: Client, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.handler.addFilter(RequestIdFilter())

    client.get(path, headers={"X-Request-ID": "r-42"})

    records = [record for record in caplog.records if record.exc_info]
    assert [(r.levelname, str(r.exc_info[1]), r.request_id) for r in records] == [  # type: ignore[index, attr-defined]
        ("ERROR", "the password is hunter2", "r-42")
    ]


def test_client_errors_are_logged_as_warnings_with_their_code(
    api: APIClient, caplog: pytest.LogCaptureFixture
) -> None:
    api.get("/fail/service")

    assert [(r.name, r.levelno, r.getMessage()) for r in caplog.records] == [
        (
            "config.rest.handling",
            logging.WARNING,
            "GET /fail/service -> 409 CONFLICT: Taken by another.",
        )
    ]


def test_what_is_not_configured_is_a_refusal_and_no_error_of_ours(
    api: APIClient, caplog: pytest.LogCaptureFixture
) -> None:
    api.get("/fail/not-configured")

    (record,) = caplog.records
    assert (record.levelno, record.exc_info) == (logging.WARNING, None)
    assert record.getMessage() == (
        "GET /fail/not-configured -> 503 SERVICE_UNAVAILABLE: Set STORAGE_URL."
    )


def test_a_database_that_went_away_is_503_and_an_error_in_the_log(
    api: APIClient, caplog: pytest.LogCaptureFixture
) -> None:
    answer = api.get("/fail/database-away")

    assert error_of(answer) == (
        503,
        "SERVICE_UNAVAILABLE",
        "This cannot be done right now. Try again in a few seconds.",
    )
    assert answer.headers["Retry-After"] == "5"
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info


def test_no_request_can_forge_a_line_of_the_log(
    api: APIClient, caplog: pytest.LogCaptureFixture
) -> None:
    api.get("/fail/x%0A2026-01-01 INFO root: all is well")

    assert "\n" not in caplog.records[0].getMessage()


def test_a_foreign_host_is_a_bad_request_and_no_error_of_ours(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    with override_settings(ALLOWED_HOSTS=["our.example"]):
        answer = client.get("/admin/login/", headers={"Host": "evil.example"})

    assert error_of(answer) == (400, "INVALID_REQUEST_BODY", "The request is malformed.")
    logged = [(record.levelno, record.exc_info) for record in caplog.records]
    assert logged == [(logging.WARNING, None)]


def test_a_form_without_its_token_is_forbidden() -> None:
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "x"})

    assert error_of(answer)[:2] == (403, "FORBIDDEN")


# --- Bodies ---------------------------------------------------------------------------------------


def echo(api: APIClient, body: Any, content_type: str = "application/json") -> Any:
    data: Any = body if isinstance(body, bytes) else json.dumps(body)
    return api.generic("POST", "/echo", data, content_type=content_type)


BROKEN_BODIES = {
    "no JSON": b"{",
    "text": b"hello",
    "white space": b"  ",
    "array": b'["name"]',
    "string": b'"name"',
    "null": b"null",
    "number": b"1",
    "not a number": b'{"name": NaN}',
    "no UTF-8": b'{"name": "\xff"}',
    "UTF-16": '{"name": "a"}'.encode("utf-16"),
    "nested too deeply": b'{"name": ' + b"[" * 100_000,
    "number of 5,000 digits": b'{"count": ' + b"1" * 5000 + b"}",
    "more than a megabyte": b'{"name": "' + b"a" * 1_100_000 + b'"}',
}


@pytest.mark.parametrize("body", BROKEN_BODIES.values(), ids=BROKEN_BODIES.keys())
def test_broken_bodies(api: APIClient, body: bytes) -> None:
    assert error_of(echo(api, body))[:2] == (400, "INVALID_REQUEST_BODY")


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/xml",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "nonsense",
    ],
)
def test_wrong_content_types(api: APIClient, content_type: str) -> None:
    assert error_of(echo(api, {"name": "a"}, content_type))[:2] == (400, "INVALID_REQUEST_BODY")


@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
def test_a_body_of_unknown_length_is_refused_and_not_taken_for_empty(
    api: APIClient, content_type: str
) -> None:
    chunked = {"Transfer-Encoding": "chunked"}
    answer = api.generic("POST", "/echo", "", content_type=content_type, headers=chunked)

    message = "Send the length of the body in a Content-Length header."
    assert error_of(answer) == (400, "INVALID_REQUEST_BODY", message)


def test_without_a_content_type_there_is_no_body(api: APIClient) -> None:
    answer = api.generic("POST", "/echo", "", content_type="", headers={"Transfer-Encoding": "x"})

    assert error_of(answer) == (400, "MISSING_FIELDS", "Missing: name.")


@pytest.mark.parametrize("charset", ["utf-8", "latin-1", "base64", "rot13", "none"])
def test_json_is_utf_8_whatever_charset_is_named(api: APIClient, charset: str) -> None:
    answer = echo(api, '{"name": "ñandú"}'.encode(), f"application/json; charset={charset}")

    assert (answer.status_code, answer.json()) == (200, {"name": "ñandú"})


@pytest.mark.parametrize("body", [{}, {"name": None}, {"name": ""}, {"name": "  "}, b""])
def test_absent_null_and_empty_are_missing(api: APIClient, body: Any) -> None:
    assert error_of(echo(api, body)) == (400, "MISSING_FIELDS", "Missing: name.")


def test_every_missing_field_is_named_with_its_place(api: APIClient) -> None:
    answer = echo(api, {"items": [{"size": "a"}, {}, {"size": ""}]})

    assert error_of(answer) == (400, "MISSING_FIELDS", "Missing: name, items.1.size, items.2.size.")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"name": 5}, "name: Not a valid string."),
        ({"name": True}, "name: Not a valid string."),
        ({"name": ["a"]}, "name: Not a valid string."),
        ({"name": {"a": 1}}, "name: Not a valid string."),
        ({"name": "a" * 11}, "name: Ensure this field has no more than 10 characters."),
        ({"name": "a\x00"}, "name: Null characters are not allowed."),
        ({"name": "\ud800"}, "name: Surrogate characters are not allowed: U+D800."),
        ({"name": "a", "count": "x"}, "count: A valid integer is required."),
        ({"name": "a", "count": 0}, "count: Ensure this value is greater than or equal to 1."),
        ({"name": "a", "items": [{"size": 1}]}, "items.0.size: Not a valid string."),
        ({"name": "a", "items": 1}, 'items: Expected a list of items but got type "int".'),
    ],
)
def test_wrong_values(api: APIClient, body: Any, message: str) -> None:
    assert error_of(echo(api, body)) == (400, "VALIDATION_ERROR", message)


def test_a_missing_field_is_told_before_a_wrong_one(api: APIClient) -> None:
    assert error_of(echo(api, {"count": "x"})) == (400, "MISSING_FIELDS", "Missing: name.")


@pytest.mark.parametrize("accept", ["*/*", "text/html", "application/xml", "nonsense"])
def test_the_answer_is_json_whatever_is_accepted(api: APIClient, accept: str) -> None:
    answer = api.post("/echo?format=xml", {"name": "a"}, "json", headers={"Accept": accept})

    assert (answer.status_code, answer.json()) == (200, {"name": "a"})
