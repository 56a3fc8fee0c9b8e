"""Each code of docs/specification.md ("Errors, Codes") as a client meets it: a test a code,
named after it, that goes in through HTTP as that client would.
"""

import re
import socket
import sys
from collections.abc import Iterator
from typing import Any

import pyotp
import pytest
from django.apps import apps
from django.conf import settings
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from pytest_django import DjangoCaptureOnCommitCallbacks
from rest_framework.test import APIClient

from accounts.models import Role, Tenant, User
from accounts.tests.factories import PASSWORD, make_tenant, make_user
from agents.tests.factories import make_agent
from config.celery import app
from config.database.acting import as_migrations
from config.errors import ServiceError
from config.tests.test_tenant_walls import APPS
from sources.errors import SyncFailed
from sources.tests.conftest import inline_worker, stored_files  # noqa: F401 - fixtures
from sources.tests.factories import make_source, text_file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_worker", "stored_files")]

# The contract: code → its statuses.
SPECIFIED: dict[str, set[int]] = {
    "INVALID_REQUEST_BODY": {400},
    "MISSING_FIELDS": {400},
    "VALIDATION_ERROR": {400},
    "UNAUTHORIZED": {401},
    "FORBIDDEN": {403},
    "NOT_FOUND": {404},
    "CONFLICT": {409},
    "TOO_MANY_REQUESTS": {429},
    "PLAN_LIMIT_REACHED": {402},
    "SERVICE_UNAVAILABLE": {503},
    "INTERNAL_ERROR": {500},
    "INVALID_CREDENTIALS": {401},
    "INCORRECT_PASSWORD": {401},
    "NO_PASSWORD_SET": {400},
    "INVALID_OTP": {401},
    "INVALID_OTP_PURPOSE": {400},
    "OTP_SEND_FAILED": {500},
    "WEAK_PASSWORD": {400},
    "NO_WORKSPACE_ACCESS": {403},
    "TWO_FACTOR_REQUIRED": {403},
    "EMAIL_ALREADY_REGISTERED": {409},
    "SLUG_ALREADY_IN_USE": {409},
    "INVALID_SLUG": {400},
    "ACTIVATION_FAILED": {400, 500},
    "SOURCE_NOT_FOUND": {404},
    "SOURCE_LIMIT_REACHED": {402},
    "INVALID_SOURCE_TYPE": {400},
    "SYNC_IN_PROGRESS": {409},
    "FILE_TOO_LARGE": {400},
    "UNSUPPORTED_FILE_TYPE": {400},
    "FILE_PROCESSING_FAILED": {422},
    "AGENT_NOT_FOUND": {404},
    "INVALID_AGENT_CONFIG": {400},
    "CHANNEL_CONNECT_FAILED": {400},
    "USER_NOT_FOUND": {404},
    "CANNOT_REMOVE_LAST_ADMIN": {409},
    "CANNOT_REMOVE_SELF": {409},
    "INVALID_ROLE": {400},
    "MEMBERSHIP_NOT_FOUND": {404},
    "COMPANY_PROFILE_NOT_FOUND": {404},
}
# What nothing can answer yet, and the issue that brings it with its test.
NOT_YET: dict[str, str] = {}
# Beyond the specification
ADDED = {
    "METHOD_NOT_ALLOWED": {405},
    "model_not_found": {404},  # OpenAI's, of /v1
    "IDEMPOTENCY_KEY_REUSED": {422},
    "IDEMPOTENT_REQUEST_IN_PROGRESS": {409},
    "PRECONDITION_FAILED": {412},
    "TWO_FACTOR_SETUP_REQUIRED": {403},  # in workspaces that require two-factor alone
    # Of the dashboard alone: no endpoint answers with these.
    "EXPORT_UNDER_WAY": {409},
    "EXPORT_NOT_FOUND": {404},
    "WRONG_WORKSPACE_NAME": {400},
    "DELETION_BEGUN": {409},
    "CONNECTION_NOT_FOUND": {404},
    "SIGN_IN_NOT_SET_UP": {503},
    "SIGN_IN_EXPIRED": {400},
    "SIGN_IN_FAILED": {400},
    "OTHER_ACCOUNT": {409},
    "INVALID_PROGRAM_REQUEST": {400},
}
WRITTEN_CODE = re.compile(r'^ +code(?:: [^=\n]+)? = "(\w+)"$', re.MULTILINE)
NEW_PASSWORD = "another horse battery 2"
WEBSITE = "http://93.184.216.34/help"  # nothing is asked there
NOWHERE = "00000000-0000-4000-8000-000000000007"
TOO_LARGE_BYTES = 20 * 1024 * 1024 + 1  # for an image


@pytest.fixture
def ana(tenant: Tenant) -> User:
    """An admin, and not the only one."""
    make_user(tenant, role=Role.ADMIN)
    return make_user(tenant, role=Role.ADMIN, email="ana@acme.example")


@pytest.fixture
def client(ana: User) -> APIClient:
    return log_in(ana.email)


def log_in(email: str, password: str = PASSWORD) -> APIClient:
    client = APIClient(raise_request_exception=False)
    answer = post(client, "/auth/login", email=email, password=password)
    assert answer.status_code == 200, answer.content
    return with_token(answer)


def with_token(answer: Any) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {answer.json()['access_token']}")
    return client


def post(client: APIClient, path: str, **body: Any) -> Any:
    return client.post(path, body, format="json")


def add_website(client: APIClient, url: str = WEBSITE, **over: Any) -> Any:
    body = {"name": "Help", "source_type": "web", "source_url": url, **over}
    return post(client, "/ingest/sources", **body)


def upload(client: APIClient, file: SimpleUploadedFile) -> Any:
    return client.post("/ingest/sources/upload", {"file": file}, format="multipart")


def mailed_code() -> str:
    found = re.search(r"\b\d{6}\b", str(mail.outbox[-1].body))
    assert found, mail.outbox[-1].body
    return found[0]


def assert_error(answer: Any, status: int, code: str) -> str:
    """Status, envelope and headers; the message, which says something."""
    assert status in SPECIFIED[code]
    body = answer.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message"}
    assert (answer.status_code, body["error"]["code"]) == (status, code)
    assert_headers(answer)
    message = body["error"]["message"]
    assert isinstance(message, str)
    assert message
    return message


def assert_legacy_error(answer: Any, status: int) -> str:
    body = answer.json()
    assert (answer.status_code, body.keys()) == (status, {"error"})
    assert isinstance(body["error"], str)
    assert body["error"]
    assert_headers(answer)
    return str(body["error"])


def assert_headers(answer: Any) -> None:
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Request-ID"]
    if answer.status_code == 401:
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    if answer.status_code == 429:
        assert int(answer.headers["Retry-After"]) >= 1


# --- General --------------------------------------------------------------------------------------


def test_INVALID_REQUEST_BODY(api: APIClient) -> None:
    answer = api.post("/auth/login", "{", content_type="application/json")

    assert_error(answer, 400, "INVALID_REQUEST_BODY")


def test_MISSING_FIELDS(api: APIClient) -> None:
    answer = post(api, "/auth/login", email="ana@acme.example", password="")

    assert "password" in assert_error(answer, 400, "MISSING_FIELDS")


def test_VALIDATION_ERROR(client: APIClient) -> None:
    answer = add_website(client, name="n" * 201)

    assert "name" in assert_error(answer, 400, "VALIDATION_ERROR")


def test_UNAUTHORIZED(api: APIClient, client: APIClient) -> None:
    assert client.get("/ingest/sources").status_code == 200
    tokens = post(api, "/auth/login", email="ana@acme.example", password=PASSWORD)
    post(api, "/auth/logout", refresh_token=tokens.json()["refresh_token"])

    assert_error(api.get("/ingest/sources"), 401, "UNAUTHORIZED")
    assert_error(with_token(tokens).get("/ingest/sources"), 401, "UNAUTHORIZED")
    assert_legacy_error(post(api, "/agent/query", query="When do you open?"), 401)


def test_FORBIDDEN(tenant: Tenant) -> None:
    member = make_user(tenant, role=Role.MEMBER)

    assert_error(add_website(log_in(member.email)), 403, "FORBIDDEN")


def test_NOT_FOUND(api: APIClient, client: APIClient) -> None:
    assert_error(api.get("/nowhere"), 404, "NOT_FOUND")
    assert_error(client.delete(f"/tenants/me/api-tokens/{NOWHERE}"), 404, "NOT_FOUND")


def test_CONFLICT(client: APIClient) -> None:
    first = add_website(client, name="Our help")

    answer = add_website(client, url=f"{WEBSITE.upper()}/#top")

    message = assert_error(answer, 409, "CONFLICT")
    assert "Our help" in message
    assert first.json()["source_id"] in message


def test_TOO_MANY_REQUESTS(tenant: Tenant, client: APIClient) -> None:
    tenant.plan.max_requests_per_minute = 2
    tenant.plan.save()
    assert [client.get("/auth/me").status_code for _ in range(2)] == [200, 200]

    assert_error(client.get("/auth/me"), 429, "TOO_MANY_REQUESTS")
    assert_legacy_error(post(client, "/agent/query", query="When do you open?"), 429)


def test_TOO_MANY_REQUESTS_of_who_guesses(api: APIClient, ana: User) -> None:
    def guess() -> Any:
        return post(api, "/auth/login", email=ana.email, password="not it")

    assert [guess().status_code for _ in range(10)] == [401] * 10

    assert_error(guess(), 429, "TOO_MANY_REQUESTS")


def test_PLAN_LIMIT_REACHED() -> None:
    tenant = make_tenant(plan="free")
    client = log_in(make_user(tenant).email)
    website = add_website(client).json()["source_id"]
    make_documents(tenant, 25)
    hourly = {"frequency": "1h"}

    schedule = client.put(f"/ingest/sources/{website}/schedule", hourly, format="json")

    assert_error(upload(client, text_file()), 402, "PLAN_LIMIT_REACHED")
    assert_error(schedule, 402, "PLAN_LIMIT_REACHED")


def test_PLAN_LIMIT_REACHED_of_queries() -> None:
    tenant = make_tenant(plan="free")
    client = log_in(make_user(tenant).email)
    tenant.plan.max_queries_per_month = 1
    tenant.plan.save()
    assert post(client, "/agent/query", query="When do you open?").status_code == 200

    assert_legacy_error(post(client, "/agent/query", query="When do you open?"), 402)


def make_documents(tenant: Tenant, number: int) -> None:
    for _ in range(number):
        make_source(tenant)


def test_SERVICE_UNAVAILABLE(client: APIClient, settings: Any) -> None:
    settings.STORAGE_URL = "none"

    message = assert_error(upload(client, text_file()), 503, "SERVICE_UNAVAILABLE")

    assert "STORAGE_URL" in message


def test_INTERNAL_ERROR(client: APIClient) -> None:
    break_writes_of("sources_source")

    answer = add_website(client)

    message = assert_error(answer, 500, "INTERNAL_ERROR")
    assert answer.headers["X-Request-ID"] in message
    assert "broken on purpose" not in message


def break_writes_of(table: str) -> None:
    """As a full disk would; until the test's transaction ends."""
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse_writes() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'broken on purpose'; END $$"
        )
        cursor.execute(
            f"CREATE TRIGGER refuse_writes BEFORE INSERT OR UPDATE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION refuse_writes()"
        )


# --- Logging in -----------------------------------------------------------------------------------


def test_INVALID_CREDENTIALS(api: APIClient, ana: User) -> None:
    for email, password in ((ana.email, "not it"), ("nobody@acme.example", PASSWORD)):
        answer = post(api, "/auth/login", email=email, password=password)

        assert_error(answer, 401, "INVALID_CREDENTIALS")


def test_INVALID_CREDENTIALS_before_the_signup_code(api: APIClient) -> None:
    assert sign_up(api).status_code == 201

    answer = post(api, "/auth/login", email="eva@nova.example", password=NEW_PASSWORD)

    assert_error(answer, 401, "INVALID_CREDENTIALS")


def test_INCORRECT_PASSWORD(client: APIClient) -> None:
    answer = change_password(client, "not it", NEW_PASSWORD)

    assert_error(answer, 401, "INCORRECT_PASSWORD")


def change_password(client: APIClient, current: str, new: str) -> Any:
    return post(client, "/auth/change-password", current_password=current, new_password=new)


def test_NO_PASSWORD_SET(
    api: APIClient, client: APIClient, django_capture_on_commit_callbacks: Any
) -> None:
    """Somebody invited who proves the address by a code has no password yet."""
    invite(client, django_capture_on_commit_callbacks)
    send_code(api, "bea@acme.example", "login")
    login = post(
        api, "/auth/otp/verify", email="bea@acme.example", code=mailed_code(), purpose="login"
    )

    answer = change_password(with_token(login), "none", NEW_PASSWORD)

    assert_error(answer, 400, "NO_PASSWORD_SET")


def send_code(api: APIClient, email: str, purpose: str) -> Any:
    return post(api, "/auth/otp/send", email=email, purpose=purpose)


def test_INVALID_OTP(api: APIClient, ana: User) -> None:
    assert send_code(api, ana.email, "login").status_code == 200
    wrong = f"{(int(mailed_code()) + 1) % 1_000_000:06}"

    for email in (ana.email, "nobody@acme.example"):
        answer = post(api, "/auth/otp/verify", email=email, code=wrong, purpose="login")

        assert_error(answer, 401, "INVALID_OTP")


def test_INVALID_OTP_PURPOSE(api: APIClient, ana: User) -> None:
    assert_error(send_code(api, ana.email, "payment"), 400, "INVALID_OTP_PURPOSE")


def test_OTP_SEND_FAILED(api: APIClient, ana: User, closed_port: int, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", closed_port

    for email in (ana.email, "nobody@acme.example"):
        assert_error(send_code(api, email, "reset"), 500, "OTP_SEND_FAILED")
    assert_error(sign_up(api), 500, "OTP_SEND_FAILED")


@pytest.fixture
def closed_port() -> Iterator[int]:
    """Bound, so that nobody else listens there, and not listening."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_WEAK_PASSWORD(client: APIClient) -> None:
    assert_error(change_password(client, PASSWORD, "123456789"), 400, "WEAK_PASSWORD")


def test_NO_WORKSPACE_ACCESS(api: APIClient) -> None:
    nobodys = make_user()

    answer = post(api, "/auth/login", email=nobodys.email, password=PASSWORD)

    assert_error(answer, 403, "NO_WORKSPACE_ACCESS")


def test_TWO_FACTOR_REQUIRED(api: APIClient, client: APIClient, ana: User) -> None:
    secret = post(client, "/auth/2fa/setup").json()["secret"]
    confirmed = post(client, "/auth/2fa/confirm", code=pyotp.TOTP(secret).now())
    assert confirmed.status_code == 200

    assert_error(send_code(api, ana.email, "login"), 403, "TWO_FACTOR_REQUIRED")


# --- Signing up and coming in ---------------------------------------------------------------------


def sign_up(api: APIClient, **over: str) -> Any:
    body = {
        "email": "eva@nova.example",
        "password": NEW_PASSWORD,
        "tenant_name": "Nova",
        "slug": "nova",
        **over,
    }
    return post(api, "/auth/signup", **body)


def test_EMAIL_ALREADY_REGISTERED(api: APIClient, ana: User) -> None:
    assert_error(sign_up(api, email=ana.email), 409, "EMAIL_ALREADY_REGISTERED")


def test_SLUG_ALREADY_IN_USE(api: APIClient, tenant: Tenant) -> None:
    assert_error(sign_up(api, slug=tenant.slug), 409, "SLUG_ALREADY_IN_USE")


@pytest.mark.parametrize("slug", ["ab", "a" * 64, "no spaces", "ñandú"])
def test_INVALID_SLUG(api: APIClient, slug: str) -> None:
    assert_error(sign_up(api, slug=slug), 400, "INVALID_SLUG")


def invite(client: APIClient, on_commit: DjangoCaptureOnCommitCallbacks) -> str:
    """The token in the mail that a worker sends."""
    with on_commit(execute=True):
        body = {"email": "bea@acme.example", "role": "viewer"}
        assert post(client, "/tenants/me/members", **body).status_code == 201
    assert app.conf.task_always_eager
    found = re.search(r"/activate#token=([\w-]+)", str(mail.outbox[-1].body))
    assert found, mail.outbox[-1].body
    return found[1]


def test_ACTIVATION_FAILED(
    api: APIClient, client: APIClient, django_capture_on_commit_callbacks: Any
) -> None:
    token = invite(client, django_capture_on_commit_callbacks)
    assert post(api, "/auth/activate", token=token, password=NEW_PASSWORD).status_code == 200

    for used_or_unknown in (token, "unknown"):
        answer = post(api, "/auth/activate", token=used_or_unknown, password=NEW_PASSWORD)

        assert_error(answer, 400, "ACTIVATION_FAILED")


def test_ACTIVATION_FAILED_on_our_side(
    api: APIClient, client: APIClient, django_capture_on_commit_callbacks: Any
) -> None:
    token = invite(client, django_capture_on_commit_callbacks)
    break_writes_of("accounts_session")

    answer = post(api, "/auth/activate", token=token, password=NEW_PASSWORD)

    assert_error(answer, 500, "ACTIVATION_FAILED")


# --- Sources --------------------------------------------------------------------------------------


def test_SOURCE_NOT_FOUND(client: APIClient, other_tenant: Tenant) -> None:
    website = add_website(client).json()["source_id"]
    theirs = make_source(other_tenant).pk

    for source_id, what in ((NOWHERE, "status"), (theirs, "status"), (website, "download")):
        answer = client.get(f"/ingest/sources/{source_id}/{what}")

        assert_error(answer, 404, "SOURCE_NOT_FOUND")


def test_SOURCE_LIMIT_REACHED() -> None:
    client = log_in(make_user(make_tenant(plan="free")).email)
    assert add_website(client).status_code == 201

    answer = add_website(client, url="http://93.184.216.34/shop")

    assert_error(answer, 402, "SOURCE_LIMIT_REACHED")


def test_INVALID_SOURCE_TYPE(client: APIClient) -> None:
    for source_type in ("ftp", "file"):
        answer = add_website(client, source_type=source_type)

        assert_error(answer, 400, "INVALID_SOURCE_TYPE")


def test_SYNC_IN_PROGRESS(client: APIClient) -> None:
    path = f"/ingest/sources/{add_website(client).json()['source_id']}/sync"
    assert client.post(path).status_code == 202

    assert_error(client.post(path), 409, "SYNC_IN_PROGRESS")


def test_FILE_TOO_LARGE(client: APIClient) -> None:
    content = b"\x89PNG\r\n\x1a\n".ljust(TOO_LARGE_BYTES, b"\0")
    image = SimpleUploadedFile("photo.png", content)

    assert_error(upload(client, image), 400, "FILE_TOO_LARGE")


def test_UNSUPPORTED_FILE_TYPE(client: APIClient) -> None:
    program = SimpleUploadedFile("notes.txt", b"\x7fELF\0\0\0")

    assert_error(upload(client, program), 400, "UNSUPPORTED_FILE_TYPE")


def test_FILE_PROCESSING_FAILED(client: APIClient) -> None:
    blank = SimpleUploadedFile("notes.txt", b"  \n\n")

    assert_error(upload(client, blank), 422, "FILE_PROCESSING_FAILED")


# --- Agents ---------------------------------------------------------------------------------------


def test_AGENT_NOT_FOUND(client: APIClient, other_tenant: Tenant) -> None:
    for agent_id in (NOWHERE, make_agent(other_tenant).pk):
        assert_error(client.get(f"/agents/{agent_id}"), 404, "AGENT_NOT_FOUND")

        by_path = post(client, f"/agents/{agent_id}/query", query="When do you open?")
        by_body = post(client, "/agent/query", query="When do you open?", agent_id=str(agent_id))

        assert assert_legacy_error(by_path, 404) == assert_legacy_error(by_body, 404)


def test_INVALID_AGENT_CONFIG(client: APIClient) -> None:
    wrong: dict[str, Any] = {
        "status": "asleep",
        "allowed_origins": ["example.com"],
        "transcript_retention_days": 8,
        "lead_notification_email": "nobody",
    }
    agent = post(client, "/agents", name="Sales").json()["id"]

    for field, value in wrong.items():
        created = post(client, "/agents", name="Support", **{field: value})
        changed = client.put(f"/agents/{agent}", {field: value}, format="json")

        assert field in assert_error(created, 400, "INVALID_AGENT_CONFIG")
        assert field in assert_error(changed, 400, "INVALID_AGENT_CONFIG")


@pytest.mark.parametrize(
    ("channel_type", "config"),
    [
        ("messenger_a", {"bot_token": "700000001:nobodys"}),
        (
            "messenger_b",
            {
                "phone_number_id": "100000000001",
                "system_user_token": "nobodys",
                "app_secret": "nobodys",
                "verify_token": "nobodys",
            },
        ),
    ],
)
def test_CHANNEL_CONNECT_FAILED(
    client: APIClient, closed_port: int, settings: Any, channel_type: str, config: dict[str, str]
) -> None:
    settings.MESSENGER_A_API_URL = settings.MESSENGER_B_API_URL = f"http://127.0.0.1:{closed_port}"
    agent = post(client, "/agents", name="Sales").json()["id"]

    answer = client.put(f"/agents/{agent}/channels/{channel_type}", config, format="json")

    assert_error(answer, 400, "CHANNEL_CONNECT_FAILED")
    assert client.get(f"/agents/{agent}").json()["active_channels"] == []


# --- Members and company --------------------------------------------------------------------------


def set_role(client: APIClient, user_id: object, role: str) -> Any:
    return client.patch(f"/tenants/me/members/{user_id}", {"role": role}, format="json")


def test_USER_NOT_FOUND(client: APIClient, other_tenant: Tenant) -> None:
    for user_id in (NOWHERE, make_user(other_tenant).pk):
        assert_error(set_role(client, user_id, "viewer"), 404, "USER_NOT_FOUND")


def test_CANNOT_REMOVE_LAST_ADMIN(tenant: Tenant) -> None:
    only = make_user(tenant, role=Role.ADMIN)
    client = log_in(only.email)

    assert_error(set_role(client, only.pk, "member"), 409, "CANNOT_REMOVE_LAST_ADMIN")
    assert_error(client.delete("/tenants/me/membership"), 409, "CANNOT_REMOVE_LAST_ADMIN")


def test_CANNOT_REMOVE_SELF(client: APIClient, ana: User) -> None:
    answer = client.delete(f"/tenants/me/members/{ana.pk}")

    assert_error(answer, 409, "CANNOT_REMOVE_SELF")


def test_INVALID_ROLE(tenant: Tenant, client: APIClient) -> None:
    somebody = make_user(tenant, role=Role.VIEWER)

    assert_error(set_role(client, somebody.pk, "owner"), 400, "INVALID_ROLE")


def test_MEMBERSHIP_NOT_FOUND(client: APIClient) -> None:
    assert client.delete("/tenants/me/membership").status_code == 204

    assert_error(client.delete("/tenants/me/membership"), 404, "MEMBERSHIP_NOT_FOUND")


def test_COMPANY_PROFILE_NOT_FOUND(client: APIClient) -> None:
    answer = client.get("/tenants/me/company-profile")

    assert_error(answer, 404, "COMPANY_PROFILE_NOT_FOUND")


# --- All of them, and no other --------------------------------------------------------------------


def codes_with_a_test() -> set[str]:
    names = (name.removeprefix("test_") for name in dir(sys.modules[__name__]))
    return {name for name in names if re.fullmatch(r"[A-Z]+(_[A-Z]+)*", name)} & SPECIFIED.keys()


def test_every_code_of_the_specification_has_its_test() -> None:
    assert len(SPECIFIED) == 40
    assert codes_with_a_test() | NOT_YET.keys() == SPECIFIED.keys()
    assert codes_with_a_test() & NOT_YET.keys() == set()


def test_what_is_not_yet_there_is_not_there() -> None:
    """When its error is written, its test is due."""
    assert NOT_YET.keys() & written_codes().keys() == set()


def test_no_code_is_written_that_is_not_specified() -> None:
    known = SPECIFIED.keys() | ADDED.keys() | codes_of_sync_failures()

    assert {code: path for code, path in written_codes().items() if code not in known} == {}


def test_these_searches_find_what_is_there() -> None:
    assert written_codes()["SOURCE_NOT_FOUND"] == "sources/errors.py"
    assert "INTERNAL_ERROR" in written_codes()
    assert "SYNC_TOO_SLOW" in codes_of_sync_failures()


def test_every_error_has_the_status_of_its_code() -> None:
    may_have = SPECIFIED | ADDED

    assert [
        (error.__name__, error.code, error.status)
        for error in error_classes(ServiceError)
        if not issubclass(error, SyncFailed) and error.status not in may_have[error.code]
    ] == []


def codes_of_sync_failures() -> set[str]:
    """They stand in a source's history; no answer has them."""
    return {error.code for error in error_classes(SyncFailed)}


def error_classes(root: type[ServiceError]) -> set[type[ServiceError]]:
    """With its subclasses, as far as they are imported: each app's are once its URLs are."""
    assert apps.ready
    below = (error_classes(error) for error in root.__subclasses__())
    ours = {root}.union(*below)
    return {error for error in ours if ".tests." not in error.__module__}


def written_codes() -> dict[str, str]:
    """`code = "…"` in a class's body, and its file."""
    return {code: path for path, text in product_files() for code in WRITTEN_CODE.findall(text)}


def product_files() -> Iterator[tuple[str, str]]:
    """(path from the root, text) of our own code, without its tests."""
    for name in APPS:
        for file in sorted((settings.BASE_DIR / name).rglob("*.py")):
            if "tests" not in file.parts:
                yield str(file.relative_to(settings.BASE_DIR)), file.read_text()
