"""The description of the API: whole, true to the code, and the same everywhere."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from drf_spectacular.validation import validate_schema

from accounts.models import Role, Tenant
from accounts.tests.factories import bearer, make_user
from config.errors import ServiceError
from config.rest.documentation import make_schema, write_schema
from config.rest.operation_names import OPERATION_NAMES
from config.tests.isolation.url_table import ANY_METHOD, PARAMETER, list_endpoints
from config.tests.test_settings import PRODUCTION

COMMITTED = settings.BASE_DIR / "docs" / "openapi.yaml"
UPDATE = "bin/manage spectacular --file docs/openapi.yaml --validate --fail-on-warn"

# Routes that are no part of the API.
PAGES = {
    ".well-known/security.txt": "whom to tell of a hole, by its own RFC",
    "schema": "the description itself",
    "docs": "the page that shows it",
}
# Of docs/specification.md, "Codes".
SPECIFIED_CODES = {
    "INVALID_REQUEST_BODY": {"400"},
    "MISSING_FIELDS": {"400"},
    "VALIDATION_ERROR": {"400"},
    "UNAUTHORIZED": {"401"},
    "FORBIDDEN": {"403"},
    "NOT_FOUND": {"404"},
    "CONFLICT": {"409"},
    "TOO_MANY_REQUESTS": {"429"},
    "PLAN_LIMIT_REACHED": {"402"},
    "SERVICE_UNAVAILABLE": {"503"},
    "INTERNAL_ERROR": {"500"},
    "INVALID_CREDENTIALS": {"401"},
    "INCORRECT_PASSWORD": {"401"},
    "NO_PASSWORD_SET": {"400"},
    "INVALID_OTP": {"401"},
    "INVALID_OTP_PURPOSE": {"400"},
    "OTP_SEND_FAILED": {"500"},
    "WEAK_PASSWORD": {"400"},
    "NO_WORKSPACE_ACCESS": {"403"},
    "TWO_FACTOR_REQUIRED": {"403"},
    "EMAIL_ALREADY_REGISTERED": {"409"},
    "SLUG_ALREADY_IN_USE": {"409"},
    "INVALID_SLUG": {"400"},
    "ACTIVATION_FAILED": {"400", "500"},
    "SOURCE_NOT_FOUND": {"404"},
    "SOURCE_LIMIT_REACHED": {"402"},
    "INVALID_SOURCE_TYPE": {"400"},
    "SYNC_IN_PROGRESS": {"409"},
    "FILE_TOO_LARGE": {"400"},
    "UNSUPPORTED_FILE_TYPE": {"400"},
    "FILE_PROCESSING_FAILED": {"422"},
    "AGENT_NOT_FOUND": {"404"},
    "INVALID_AGENT_CONFIG": {"400"},
    "CHANNEL_CONNECT_FAILED": {"400"},
    "USER_NOT_FOUND": {"404"},
    "CANNOT_REMOVE_LAST_ADMIN": {"409"},
    "CANNOT_REMOVE_SELF": {"409"},
    "INVALID_ROLE": {"400"},
    "MEMBERSHIP_NOT_FOUND": {"404"},
    "COMPANY_PROFILE_NOT_FOUND": {"404"},
}
# Tags whose errors have another form: the legacy one, OAuth's.
OF_OTHER_FORMS = (["Questions"], ["Programs"])
# Codes that no endpoint of the description answers.
ELSEWHERE = {
    "METHOD_NOT_ALLOWED": "of any address, for methods that are not described",
    "EXPORT_UNDER_WAY": "of the dashboard, like those below",
    "EXPORT_NOT_FOUND": "",
    "WRONG_WORKSPACE_NAME": "",
    "DELETION_BEGUN": "",
    "CONNECTION_NOT_FOUND": "",
    "SIGN_IN_NOT_SET_UP": "",
    "SIGN_IN_EXPIRED": "",
    "SIGN_IN_FAILED": "",
    "OTHER_ACCOUNT": "",
    "INVALID_PROGRAM_REQUEST": "",
    "SYNC_FAILED": "in a source's error_message, like those below",
    "SYNC_TOO_SLOW": "",
    "SYNC_WAITED_TOO_LONG": "",
    "SYNC_ABANDONED": "",
    "ORIGINAL_MISSING": "",
    "ORIGIN_UNAVAILABLE": "",
    "ORIGIN_BUSY": "",
    "REAUTH_REQUIRED": "",
    "EMBEDDING_MODEL_CHANGED": "",
}
# Headers beyond those that every answer of a status has.
OF_SOME_ANSWERS = {"ETag", "Idempotent-Replayed", "Link"}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return make_schema()


def operations(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """What a `$ref` stands for."""
    while "$ref" in node:
        *_, kind, name = node["$ref"].split("/")
        node = schema["components"][kind][name]
    return node


def responses(schema: dict[str, Any], operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {status: resolve(schema, answer) for status, answer in operation["responses"].items()}


def codes(schema: dict[str, Any], operation: dict[str, Any], status: str) -> set[str]:
    error = responses(schema, operation)[status]["content"]["application/json"]["schema"]
    return set(error["properties"]["error"]["properties"]["code"]["enum"])


# --- True to the code -----------------------------------------------------------------------------


def test_it_is_made_without_a_warning_and_is_valid():
    GENERATOR_STATS.reset()
    made = SchemaGenerator().get_schema(request=None, public=True)

    assert not GENERATOR_STATS._warn_cache
    assert not GENERATOR_STATS._error_cache
    validate_schema(made)


def test_the_committed_one_is_that_of_the_code(schema):
    made = OpenApiYamlRenderer().render(schema, renderer_context={})

    assert COMMITTED.read_bytes() == made, f"The API has changed: run {UPDATE}"


def test_it_does_not_depend_on_where_it_is_made(tmp_path: Path):
    made = tmp_path / "openapi.yaml"
    environ = {**os.environ, **PRODUCTION, "BASE_URL": "https://agents.example.com", "PORT": "1"}
    del environ["ENVIRONMENT"], environ["DATA_DIR"]
    subprocess.run(
        [sys.executable, "manage.py", "spectacular", "--file", str(made)],
        env=environ,
        cwd=settings.BASE_DIR,
        check=True,
        timeout=60,
    )

    assert made.read_bytes() == COMMITTED.read_bytes()


# --- Whole ----------------------------------------------------------------------------------------


def test_it_has_every_endpoint_of_the_url_table(schema):
    routes = {
        (endpoint.method, PARAMETER.sub(r"{\1}", endpoint.route))
        for endpoint in list_endpoints()
        if endpoint.method != ANY_METHOD and endpoint.route not in PAGES
    }

    assert {name for name, _ in operations(schema)} == {
        f"{method} /{route}" for method, route in routes
    }


def test_pages_are_routes(schema):
    assert set(PAGES) <= {endpoint.route for endpoint in list_endpoints()}


def test_it_has_every_code_of_the_specification_at_its_status(schema):
    described = described_codes(schema)

    missing = {
        code for code, statuses in SPECIFIED_CODES.items() if described.get(code) != statuses
    }
    assert missing <= set(ELSEWHERE)


def test_it_has_every_code_that_the_code_has(schema):
    ours = {error.code for error in subclasses(ServiceError)}

    assert ours - set(ELSEWHERE) == set(described_codes(schema))


def test_no_code_that_is_elsewhere_is_described(schema):
    assert set(ELSEWHERE).isdisjoint(described_codes(schema))


def described_codes(schema: dict[str, Any]) -> dict[str, set[str]]:
    """The statuses of each."""
    found: dict[str, set[str]] = {}
    for _, operation in operations(schema):
        for status in error_statuses(schema, operation):
            for code in codes(schema, operation, status):
                found.setdefault(code, set()).add(status)
    return found


def error_statuses(schema: dict[str, Any], operation: dict[str, Any]) -> list[str]:
    """Of errors in the standard format."""
    return [
        status
        for status, answer in responses(schema, operation).items()
        if answer.get("content", {}).get("application/json", {}).get("examples")
        and is_coded(answer["content"]["application/json"]["schema"])
    ]


def is_coded(error: dict[str, Any]) -> bool:
    return bool(error.get("properties", {}).get("error", {}).get("type") == "object")


def subclasses(base: type[ServiceError]) -> set[type[ServiceError]]:
    """All that are the product's: tests make some of their own."""
    found = set(base.__subclasses__())
    found |= {deeper for error in found for deeper in subclasses(error)}
    return {error for error in found if ".tests" not in error.__module__}


# --- What every endpoint says ---------------------------------------------------------------------


def test_every_endpoint_has_a_name_of_its_own_a_summary_and_a_known_tag(schema):
    tags = {tag["name"] for tag in schema["tags"]}
    ids = [operation["operationId"] for _, operation in operations(schema)]

    assert len(ids) == len(set(ids))
    for name, operation in operations(schema):
        assert operation["summary"], name
        assert set(operation["tags"]) <= tags, name


def test_no_name_is_of_an_endpoint_that_is_gone(schema):
    assert set(OPERATION_NAMES) == {name for name, _ in operations(schema)}
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", name) for name in OPERATION_NAMES.values())


def test_every_answer_has_a_request_id_and_each_429_says_when_to_come_again(schema):
    for name, operation in operations(schema):
        for status, answer in responses(schema, operation).items():
            expected = {"X-Request-ID"}
            expected |= {"Retry-After"} if status == "429" else set()
            expected |= {"WWW-Authenticate"} if status == "401" else set()
            assert set(answer["headers"]) - OF_SOME_ANSWERS == expected, (name, status)


def test_headers_that_ask_for_something_and_answer_it_are_described(schema):
    asked: dict[str, set[str]] = {}
    answered: dict[str, set[str]] = {}
    for name, operation in operations(schema):
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "header":
                asked.setdefault(parameter["name"], set()).add(name)
        for answer in responses(schema, operation).values():
            for header in OF_SOME_ANSWERS & set(answer["headers"]):
                answered.setdefault(header, set()).add(name)

    makers = {"POST /agents", "POST /ingest/sources", "POST /ingest/sources/upload"}
    agent = "/agents/{agent_id}"
    assert asked["Idempotency-Key"] == answered["Idempotent-Replayed"] == makers
    assert asked["If-Match"] == {f"PUT {agent}", f"DELETE {agent}"}
    assert asked["If-None-Match"] == {f"GET {agent}"}
    assert answered["ETag"] == {"POST /agents", f"GET {agent}", f"PUT {agent}"}
    assert answered["Link"] == {
        "GET /agents",
        "GET /auth/tenants",
        "GET /ingest/sources",
        "GET /tenants/me/api-tokens",
        "GET /tenants/me/members",
    }


def test_every_code_has_an_example(schema):
    for name, operation in operations(schema):
        for status in error_statuses(schema, operation):
            answer = responses(schema, operation)[status]["content"]["application/json"]
            shown = [resolve(schema, example)["value"] for example in answer["examples"].values()]
            assert {value["error"]["code"] for value in shown} == codes(schema, operation, status)
            assert all(value["error"]["message"] for value in shown), name


def test_a_token_is_asked_for_where_it_is_needed(schema):
    public = {name for name, operation in operations(schema) if operation["security"] == []}

    assert public == {
        "GET /files/{token}",
        "GET /healthz",
        "GET /readyz",
        "GET /webhooks/messenger_b/agent/{agent_id}",
        "GET /.well-known/oauth-authorization-server",
        "GET /.well-known/oauth-protected-resource",
        "GET /.well-known/oauth-protected-resource/tenants/me/mcp",
        "POST /auth/2fa/verify",
        "POST /auth/activate",
        "POST /auth/login",
        "POST /auth/logout",
        "POST /auth/otp/send",
        "POST /auth/otp/verify",
        "POST /auth/refresh",
        "POST /auth/reset-password",
        "POST /auth/signup",
        "POST /oauth/register",
        "POST /oauth/revoke",
        "POST /oauth/token",
        "POST /public/agents/{agent_id}/query",
        "POST /public/agents/{agent_id}/sessions",
        "POST /webhooks/messenger_a/{agent_id}",
        "POST /webhooks/messenger_b/agent/{agent_id}",
    }
    for name, operation in operations(schema):
        if name not in public:
            assert operation["security"] == [{"bearerToken": []}], name
            assert {"401", "429"} <= set(operation["responses"]), name


def test_an_endpoint_that_refuses_roles_says_403(schema):
    described = schema["paths"]

    assert "403" in described["/ingest/sources"]["get"]["responses"]
    assert "403" not in described["/auth/me"]["get"]["responses"]


def test_every_endpoint_with_a_body_says_what_is_wrong_with_it(schema):
    for name, operation in operations(schema):
        assert "500" in operation["responses"], name
        if "requestBody" in operation and operation["tags"] not in OF_OTHER_FORMS:
            body_codes = {"INVALID_REQUEST_BODY", "MISSING_FIELDS", "VALIDATION_ERROR"}
            assert body_codes <= codes(schema, operation, "400"), name


def test_questions_answer_the_legacy_format(schema):
    for path in ("/agent/query", "/agents/{agent_id}/query"):
        operation = schema["paths"][path]["post"]
        errors = responses(schema, operation)
        del errors["200"]
        assert set(errors) >= {"400", "401", "404", "429", "500"}
        for answer in errors.values():
            assert answer["content"]["application/json"]["schema"] == {
                "type": "object",
                "properties": {"error": {"type": "string"}},
                "required": ["error"],
            }


def test_bodies_that_are_no_json_object(schema):
    upload = schema["paths"]["/ingest/sources/upload"]["post"]["requestBody"]
    order = schema["paths"]["/ingest/sources/reorder"]["patch"]["requestBody"]
    file = schema["paths"]["/files/{token}"]["get"]["responses"]["200"]

    assert set(upload["content"]) == {"multipart/form-data"}
    assert schema["components"]["schemas"]["Upload"] == {
        "type": "object",
        "properties": {
            "file": {"type": "string", "format": "binary"},
            "name": {"type": "string", "default": "", "maxLength": 200},
        },
        "required": ["file"],
    }
    assert order["content"]["application/json"]["schema"] == {
        "type": "array",
        "items": {"$ref": "#/components/schemas/PlacedSource"},
    }
    assert set(file["content"]) == {"application/octet-stream"}


def test_fields_that_may_be_null_or_absent(schema):
    source = schema["components"]["schemas"]["Source"]

    assert source["properties"]["last_synced_at"] == {
        "type": "string",
        "format": "date-time",
        "nullable": True,
    }
    assert "last_synced_at" in source["required"]
    assert "error_message" not in source["required"]


# --- GET /schema and GET /docs --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("*/*", "application/vnd.oai.openapi"),
        ("text/html", "application/vnd.oai.openapi"),
        ("application/yaml", "application/yaml"),
        ("application/json,*/*;q=0.5", "application/json"),
        ("application/vnd.oai.openapi+json", "application/vnd.oai.openapi+json"),
    ],
)
def test_schema_comes_in_the_form_that_is_asked_for(client: Client, accept: str, media_type: str):
    answer = client.get("/schema", headers={"Accept": accept})

    assert (answer.status_code, answer["Content-Type"]) == (200, media_type)
    if media_type.endswith("json"):
        assert answer.json() == make_schema()
    else:
        assert answer.content == COMMITTED.read_bytes()


def test_schema_is_made_once(client: Client, monkeypatch: pytest.MonkeyPatch):
    client.get("/schema")
    monkeypatch.setattr(SchemaGenerator, "get_schema", None)

    assert client.get("/schema").content == write_schema("application/vnd.oai.openapi")


@pytest.mark.parametrize("path", ["/schema", "/docs"])
def test_pages_need_no_token_and_only_get_is_theirs(client: Client, path: str):
    assert client.get(path, headers={"Authorization": "Bearer x"}).status_code == 200
    refused = client.post(path)
    assert (refused.status_code, refused.json()["error"]["code"]) == (405, "METHOD_NOT_ALLOWED")


@pytest.mark.django_db
def test_in_production_the_description_needs_a_token(client: Client, tenant: Tenant, settings: Any):
    settings.PUBLIC_API_DOCS = False
    headers = bearer(make_user(tenant, role=Role.VIEWER), tenant)

    refused = client.get("/schema")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert client.get("/schema", headers={"Authorization": "Bearer x"}).status_code == 401
    assert client.get("/schema", headers=headers).content == COMMITTED.read_bytes()
    led = client.get("/docs")
    assert (led.status_code, led["Location"]) == (302, "/dashboard/docs")
    assert client.get("/dashboard/docs/schema").status_code == 302


def test_docs_loads_nothing_from_elsewhere(client: Client):
    answer = client.get("/docs")
    page = answer.content.decode()
    assets = re.findall(r'(?:src|href)="([^"]+)"', page)

    assert answer["Content-Type"] == "text/html; charset=utf-8"
    assert "script-src 'self';" in answer["Content-Security-Policy"]
    assert "<script>" not in page
    assert len(assets) == 5
    for asset in assets:
        assert asset.startswith("/")
        file = client.get(asset)
        assert file.status_code == 200, asset
        assert file.getvalue(), asset  # read to its end, it is closed
