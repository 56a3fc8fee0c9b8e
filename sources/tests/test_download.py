"""GET /ingest/sources/{id}/download, and the links that it gives (docs/specification.md, Sources 10
and 11)."""

import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from django.conf import settings
from django.core import signing
from django.core.files.base import ContentFile
from django.http import FileResponse
from django.test import RequestFactory
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from accounts.tests.factories import bearer, make_user
from config.database.requests import ActingMiddleware
from sources.models import Source, SyncStatus
from sources.originals.files import store_original
from sources.services.downloads import SALT, get_download_url
from sources.tests.factories import make_source
from sources.tests.stores import LocalStore, Store

CONTENT = "<script>alert('ñandú')</script>".encode()
DAY_SECONDS = 86_400
NOT_A_LINK = {
    "error": {
        "code": "NOT_FOUND",
        "message": "This download link is invalid or has expired. Request a new one.",
    }
}

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


def url(source_id: object) -> str:
    return f"/ingest/sources/{source_id}/download"


def make_stored(tenant: Tenant, **over: object) -> Source:
    source = make_source(tenant, **{"original_name": "hours.html", **over})
    source.original_file.name = store_original(tenant, source.pk, ContentFile(CONTENT))
    source.save()
    return source


@pytest.fixture
def stored(tenant: Tenant, store: Store) -> Source:
    return make_stored(tenant)


def path_of(link: str) -> str:
    """Of one of our own links."""
    assert re.fullmatch(re.escape(settings.BASE_URL) + r"/files/[A-Za-z0-9_:-]+", link)
    return link.removeprefix(settings.BASE_URL)


def follow(link: str) -> Answer:
    """As somebody who has nothing but the link."""
    if not link.startswith(settings.BASE_URL):
        answer = requests.get(link, timeout=10)
        return Answer(answer.status_code, answer.headers, answer.content)
    response = APIClient().get(path_of(link))
    body = b"".join(response) if response.streaming else response.content
    return Answer(response.status_code, response.headers, body)


def link_signed(source: Source, *, seconds_ago: float = 0, salt: str = SALT) -> str:
    class Signer(signing.TimestampSigner):
        def timestamp(self) -> str:
            return signing.b62_encode(int(time.time() - seconds_ago))

    token = Signer(salt=salt).sign_object([str(source.tenant_id), str(source.pk)])
    return f"{settings.BASE_URL}/files/{token}"


# --- The endpoint ---------------------------------------------------------------------------------


def test_the_link_gives_the_original_to_save_and_not_to_show(admin_api: APIClient, stored: Source):
    response = admin_api.get(url(stored.pk))
    assert response.status_code == 200
    assert list(response.json()) == ["signed_url"]

    file = follow(response.json()["signed_url"])

    assert (file.status, file.body) == (200, CONTENT)
    assert file.headers["Content-Type"] == "application/octet-stream"
    assert file.headers["Content-Disposition"] == 'attachment; filename="hours.html"'
    assert file.headers["Content-Length"] == str(len(CONTENT))
    assert file.headers["Cache-Control"] == "private, no-store"


def test_the_kernel_sends_a_file_so_that_no_thread_waits_for_a_slow_client(tmp_path: Path):
    path = tmp_path / "original"
    path.write_bytes(CONTENT)

    with path.open("rb") as file:
        middleware = ActingMiddleware(lambda request: FileResponse(file))
        answer = middleware(RequestFactory().get("/"))

        assert isinstance(answer, FileResponse)
        assert answer.file_to_stream is not None  # what wsgi.file_wrapper is given


@pytest.mark.usefixtures("store")
def test_an_upload_can_be_downloaded_in_every_state(admin_api: APIClient, tenant: Tenant):
    for source_type, status in product(("file", "audio"), SyncStatus.values):
        source = make_stored(tenant, source_type=source_type, sync_status=status)

        link = admin_api.get(url(source.pk)).json()["signed_url"]

        assert follow(link).body == CONTENT


def test_the_original_of_a_deleted_source_stays(admin_api: APIClient, stored: Source):
    link = admin_api.get(url(stored.pk)).json()["signed_url"]

    assert admin_api.delete(f"/ingest/sources/{stored.pk}").status_code == 200

    assert follow(link).body == CONTENT
    assert follow(admin_api.get(url(stored.pk)).json()["signed_url"]).body == CONTENT


@pytest.mark.usefixtures("store")
def test_without_a_stored_file_missing_malformed_and_foreign_get_the_same_answer(
    admin_api: APIClient, tenant: Tenant, other_tenant: Tenant
):
    web = make_source(tenant, source_type="web", source_url="https://example.com")
    answers = [
        admin_api.get(url(source_id))
        for source_id in (
            make_source(tenant).pk,
            make_source(tenant, deleted_at=timezone.now()).pk,
            web.pk,
            make_stored(other_tenant).pk,
            make_stored(other_tenant, deleted_at=timezone.now()).pk,
            uuid.UUID(int=7),
            "not-an-id",
        )
    ]

    assert {(answer.status_code, answer.content) for answer in answers} == {
        (404, b'{"error":{"code":"SOURCE_NOT_FOUND","message":"There is no such source."}}')
    }


def test_where_no_files_are_stored_the_answer_is_503(
    admin_api: APIClient, tenant: Tenant, settings
):
    source = make_stored(tenant)
    link = get_download_url(tenant, source.pk)
    settings.STORAGE_URL = "none"

    for response in (admin_api.get(url(source.pk)), admin_api.get(path_of(link))):
        assert response.status_code == 503
        assert response.json()["error"] == {
            "code": "SERVICE_UNAVAILABLE",
            "message": "File storage is not configured here. Set STORAGE_URL, then try again.",
        }


# --- Names ----------------------------------------------------------------------------------------

NAMES = {
    "report.pdf": 'filename="report.pdf"',
    "two words.pdf": 'filename="two words.pdf"',
    "año.pdf": "filename*=utf-8''a%C3%B1o.pdf",
    "../../etc/passwd": 'filename="passwd"',
    "C:\\Users\\me\\prices.xlsx": 'filename="prices.xlsx"',
    'a"; filename="b.exe': 'filename="a_; filename=_b.exe"',
    "a.pdf\r\nSet-Cookie: x=y": 'filename="a.pdfSet-Cookie_ x=y"',
    "gpj.\u202eexe": 'filename="gpj.exe"',
    "a\u2028b\x1f\x7f.txt": 'filename="ab.txt"',
    ".. .": 'filename="file"',
    ".htaccess": 'filename="htaccess"',
    "": 'filename="file"',
    "x" * 250 + ".docx": f'filename="{"x" * 145}.docx"',
    "x" * 250: f'filename="{"x" * 150}"',
}


@pytest.mark.usefixtures("store")
def test_a_name_is_kept_without_what_could_harm(tenant: Tenant):
    answers = {}
    for name in NAMES:
        source = make_stored(tenant, original_name=name)
        answers[name] = follow(get_download_url(tenant, source.pk))

    shown = {name: answer.headers["Content-Disposition"] for name, answer in answers.items()}
    assert shown == {name: f"attachment; {expected}" for name, expected in NAMES.items()}
    assert not any("Set-Cookie" in answer.headers for answer in answers.values())


# --- Links of ours --------------------------------------------------------------------------------


@pytest.fixture
def link(tenant: Tenant) -> str:
    return get_download_url(tenant, make_stored(tenant).pk)


def test_a_file_can_do_nothing_in_a_browser(link: str):
    headers = follow(link).headers

    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in headers


def test_head_answers_as_get_does_without_the_file(api: APIClient, link: str):
    response = api.head(path_of(link))

    assert (response.status_code, response.content) == (200, b"")
    changing = {"X-Request-ID"}
    assert {**response.headers, **dict.fromkeys(changing)} == {
        **follow(link).headers,
        **dict.fromkeys(changing),
    }


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
def test_a_link_is_for_reading(api: APIClient, link: str, method: str):
    assert getattr(api, method)(path_of(link)).status_code == 405


def test_a_link_is_good_for_24_hours(tenant: Tenant):
    source = make_stored(tenant)

    assert follow(link_signed(source, seconds_ago=DAY_SECONDS - 60)).body == CONTENT
    expired = APIClient().get(path_of(link_signed(source, seconds_ago=DAY_SECONDS + 1)))
    assert (expired.status_code, expired.json()) == (404, NOT_A_LINK)


def test_a_forged_link_is_answered_as_an_expired_one(
    admin_api: APIClient, tenant: Tenant, link: str
):
    payload, timestamp, signature = path_of(link).removeprefix("/files/").split(":")
    other = path_of(get_download_url(tenant, make_stored(tenant).pk)).removeprefix("/files/")
    access_token = bearer(make_user(tenant), tenant)["Authorization"].removeprefix("Bearer ")
    foreign_salt = link_signed(make_stored(tenant), salt="another.use").rpartition("/")[2]
    forged = [
        f"{payload}:{timestamp}:{signature[:-1]}",
        f"{payload}:{timestamp}:",
        f"{payload}:{signature}",
        f"{payload}:zzzzzz:{signature}",
        f"{other.split(':')[0]}:{timestamp}:{signature}",
        foreign_salt,
        access_token,
        "ñ:ñ:ñ",
        "%00",
        "x" * 4000,
    ]

    answers = [admin_api.get(f"/files/{token}") for token in forged]

    assert [(a.status_code, a.json()) for a in answers] == [(404, NOT_A_LINK)] * len(forged)


def test_a_link_opens_no_other_door(api: APIClient, tenant: Tenant, link: str):
    token = path_of(link).removeprefix("/files/")
    headers = {"Authorization": f"Bearer {token}"}

    assert api.get("/ingest/sources", headers=headers).status_code == 401


def test_a_link_names_ids_and_no_path(tenant: Tenant):
    source = make_stored(tenant)
    token = path_of(get_download_url(tenant, source.pk)).removeprefix("/files/")

    assert signing.loads(token, salt=SALT) == [str(tenant.pk), str(source.pk)]


def test_a_link_to_a_file_of_another_tenant_leads_nowhere(tenant: Tenant, other_tenant: Tenant):
    """Not even one that we had signed: the source is looked up within the tenant."""
    source = make_stored(other_tenant)
    source.tenant_id = tenant.pk

    assert follow(link_signed(source)).status == 404


def test_links_of_a_tenant_that_is_gone_are_not_valid(other_tenant: Tenant):
    link = get_download_url(other_tenant, make_stored(other_tenant).pk)
    other_tenant.delete()

    response = APIClient().get(path_of(link))

    assert (response.status_code, response.json()) == (404, NOT_A_LINK)


def test_a_link_to_a_file_that_is_lost_says_so(tenant: Tenant, link: str, local_store: LocalStore):
    local_store.remove(local_store.keys()[0])

    response = APIClient().get(path_of(link))

    assert response.status_code == 404
    assert response.json()["error"] == {
        "code": "NOT_FOUND",
        "message": "The stored file is missing. Upload it again.",
    }


def test_a_row_that_points_out_of_the_storage_serves_nothing(
    tenant: Tenant, local_store: LocalStore
):
    source = make_stored(tenant)
    (local_store.folder.parent / "secret").write_text("outside")
    source.original_file.name = "../secret"
    source.save()

    assert follow(get_download_url(tenant, source.pk)).status == 404


def test_a_link_is_a_key_and_does_not_stand_in_the_log(
    link: str, local_store: LocalStore, caplog: pytest.LogCaptureFixture
):
    local_store.break_down()

    assert follow(link).status == 503

    assert "503 SERVICE_UNAVAILABLE" in caplog.text
    assert urlsplit(link).path.rsplit("/", 1)[-1] not in caplog.text


def test_while_the_storage_is_down_a_link_answers_503(link: str, local_store: LocalStore):
    local_store.break_down()

    assert follow(link).status == 503


# --- Links of S3 ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("s3_store")
def test_a_link_of_s3_is_signed_for_24_hours(tenant: Tenant):
    source = make_stored(tenant)

    link = urlsplit(get_download_url(tenant, source.pk))
    query = parse_qs(link.query)

    assert link.path.endswith(f"/{tenant.pk}/{source.pk}/original")
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert query["X-Amz-Expires"] == ["86400"]
    assert query["X-Amz-Credential"][0].split("/")[2:] == ["eu-west-1", "s3", "aws4_request"]
    # What the file is served as is signed too: the holder of the link cannot change it.
    assert query["response-content-type"] == ["application/octet-stream"]
    assert "se%2Fcret" not in link.query
