"""New sources: files, each in a request of its own, websites, and accounts elsewhere."""

import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest
from django.test import Client

from accounts.models import Role, Tenant
from accounts.tests.factories import make_tenant
from dashboard.tests.factories import pages_of
from reasons import Reason
from sources.connectors.interface import Preflight
from sources.connectors.registry import CONNECTORS
from sources.models import Source, SyncEvent, SyncStatus
from sources.tests.conftest import stored_files  # noqa: F401 - a fixture
from sources.tests.factories import make_source, text_file

ADD, UPLOAD = "/dashboard/sources/add", "/dashboard/sources/upload"
EARLIER = "/dashboard/sources/earlier"
CHECK, NEW = "/dashboard/sources/add/website", "/dashboard/sources/add/website/new"
WEBSITE = "http://93.184.216.34/help"  # nothing is asked there
HTMX = {"HX-Request": "true"}
MEGABYTE = 1024 * 1024
PNG_HEAD = b"\x89PNG\r\n\x1a\n"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stored_files")]


def text_of(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


def sources(tenant: Tenant) -> list[Source]:
    return list(Source.objects.for_tenant(tenant))


# --- Files --------------------------------------------------------------------------------------


def test_a_file_is_stored_and_read_by_somebody_else(pages: Client, tenant: Tenant) -> None:
    answer = pages.post(UPLOAD, {"file": text_file(filename="faq.txt")}, headers=HTMX)

    (source,) = sources(tenant)
    assert (answer.status_code, source.sync_status, source.name) == (201, "syncing", "faq.txt")
    assert f'data-live="{source.pk}"' in text_of(answer)
    assert b"<html" not in answer.content


def test_a_file_of_a_name_that_is_there_is_asked_about_before_it_is_sent(
    pages: Client, tenant: Tenant
) -> None:
    source = make_source(tenant, name="Prices", original_name="prices.txt")

    asked = pages.get(EARLIER, {"name": "prices.txt"}, headers=HTMX)

    assert asked.status_code == 200
    assert f'data-replaces="{source.pk}"' in text_of(asked)
    assert pages.get(EARLIER, {"name": "other.txt"}, headers=HTMX).status_code == 204


def test_another_tenants_file_of_that_name_is_not_asked_about(pages: Client) -> None:
    make_source(make_tenant(), original_name="prices.txt")

    assert pages.get(EARLIER, {"name": "prices.txt"}, headers=HTMX).status_code == 204


def test_a_new_version_takes_the_place_of_the_one_before(pages: Client, tenant: Tenant) -> None:
    pages.post(UPLOAD, {"file": text_file(filename="prices.txt")}, headers=HTMX)
    [source] = sources(tenant)

    given = {"file": text_file(filename="prices.txt"), "replaces": source.pk}
    answer = pages.post(UPLOAD, given, headers=HTMX)

    assert (answer.status_code, len(sources(tenant))) == (201, 1)


def test_files_of_nearly_the_same_name_are_told_on_their_page(
    pages: Client, tenant: Tenant
) -> None:
    old = make_source(tenant, name="Tarifas 2026", original_name="tarifas 2026.pdf")
    new = make_source(tenant, name="Tarifas 2027", original_name="Tarifas_2027.pdf")

    page = text_of(pages.get(f"/dashboard/sources/{new.pk}"))

    assert "nearly the same name" in page
    assert f'href="/dashboard/sources/{old.pk}"' in page


def test_without_script_the_page_of_the_source_follows(pages: Client, tenant: Tenant) -> None:
    answer = pages.post(UPLOAD, {"file": text_file()})

    assert answer["Location"] == f"/dashboard/sources/{sources(tenant)[0].pk}"


@pytest.mark.parametrize(
    ("file", "words"),
    [
        (SimpleUploadedFile("a.exe", b"MZ\x90\0" + bytes(100)), "Files of this type"),
        (
            SimpleUploadedFile("a.png", b"\x89PNG\r\n\x1a\n".ljust(21 * MEGABYTE, b"\0")),
            "too large",
        ),
        ("", "required"),
    ],
)
def test_a_file_that_is_refused_says_why(
    pages: Client, tenant: Tenant, file: Any, words: str
) -> None:
    for headers in ({}, HTMX):
        if file:
            file.seek(0)
        answer = pages.post(UPLOAD, {"file": file}, headers=headers)

        assert answer.status_code == 400
        assert words in text_of(answer)
        assert (b"<html" in answer.content) == (not headers)
    assert sources(tenant) == []


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_more_than_fifty_megabytes_are_refused_while_they_come(
    pages: Client, tenant: Tenant, headers: dict[str, str]
) -> None:
    file = io.BytesIO(bytes(50 * MEGABYTE + 1))
    file.name = "large.txt"

    answer = pages.post(UPLOAD, {"file": file}, headers=headers)

    assert answer.status_code == 400
    assert "This file is too large." in text_of(answer)
    assert sources(tenant) == []


def test_two_files_in_a_request_are_refused(pages: Client, tenant: Tenant) -> None:
    answer = pages.post(UPLOAD, {"file": [text_file(), text_file()]})

    assert answer.status_code == 400
    assert "Send one file per request." in text_of(answer)
    assert sources(tenant) == []


def test_a_full_plan_says_so_at_the_file(db: None) -> None:
    tenant = make_tenant(plan="free")
    for _ in range(25):
        make_source(tenant)

    answer = pages_of(tenant).post(UPLOAD, {"file": text_file()})

    assert answer.status_code == 400
    assert "You have reached the limit of your plan." in text_of(answer)
    assert len(sources(tenant)) == 25


def test_a_form_of_another_site_uploads_nothing(tenant: Tenant) -> None:
    pages = pages_of(tenant)
    pages.handler.enforce_csrf_checks = True

    answer = pages.post(UPLOAD, {"file": text_file()})

    assert answer.status_code == 403
    assert sources(tenant) == []


def test_the_token_of_the_page_lets_a_file_in(tenant: Tenant) -> None:
    pages = pages_of(tenant)
    pages.handler.enforce_csrf_checks = True
    pages.get(ADD)
    token = pages.cookies["csrftoken"].value

    by_header = pages.post(UPLOAD, {"file": text_file()}, headers={"X-CSRFToken": token})
    by_form = pages.post(UPLOAD, {"file": text_file(), "csrfmiddlewaretoken": token})

    assert (by_header.status_code, by_form.status_code) == (302, 302)


@pytest.mark.parametrize("role", [Role.MEMBER, Role.VIEWER, Role.API_USER])
def test_of_who_may_not_upload_not_a_byte_is_read(
    tenant: Tenant, role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HttpRequest, "_load_post_and_files", lambda _: pytest.fail("was read"))
    pages = pages_of(tenant, role=role)
    pages.handler.enforce_csrf_checks = True

    assert pages.post(UPLOAD, {"file": text_file()}).status_code == 403


# --- Websites -----------------------------------------------------------------------------------


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A worker finds every website good; which were asked for."""
    asked: list[str] = []

    def check_website(tenant: Tenant, *, source_type: str, source_url: str) -> Preflight:
        asked.append(source_url)
        return Preflight(
            is_indexable=True, pages_found=1200, max_pages=25, sample_title="Acme: <b>help</b>"
        )

    monkeypatch.setattr("dashboard.sources.adding.check_website", check_website)
    return asked


def test_a_website_is_shown_before_it_is_added(
    pages: Client, tenant: Tenant, found: list[str]
) -> None:
    answer = pages.post(CHECK, {"source_url": "acme.example"}, headers=HTMX)

    page = text_of(answer)
    assert found == ["https://acme.example"]
    assert "1,200" in page
    assert "more pages than your plan includes" in page
    assert "Acme: &lt;b&gt;help&lt;/b&gt;" in page
    assert 'value="https://acme.example"' in page
    assert sources(tenant) == []


def test_without_script_it_is_a_whole_page(pages: Client, found: list[str]) -> None:
    assert b"<html" in pages.post(CHECK, {"source_url": WEBSITE}).content


def test_a_website_that_cannot_be_read_says_why(
    pages: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Preflight(is_indexable=False, error=Reason("page_needs_login"))
    monkeypatch.setattr("dashboard.sources.adding.check_website", lambda *_, **__: refused)

    page = text_of(pages.post(CHECK, {"source_url": WEBSITE}))

    assert "The page asks for a login (HTTP 401)." in page
    assert f'value="{WEBSITE}"' in page


@pytest.mark.parametrize(
    "address", ["", "http://127.0.0.1/", "ftp://acme.example/", "http://a\0b/", "x" * 2001]
)
def test_an_address_that_may_not_be_read_is_told_at_its_field(
    pages: Client, tenant: Tenant, address: str
) -> None:
    for where, body in ((CHECK, {}), (NEW, {"name": "Help"})):
        answer = pages.post(where, {"source_url": address, **body})

        assert answer.status_code == 400
        assert "id_source_url_error" in text_of(answer)
    assert sources(tenant) == []


def test_adding_a_website_begins_to_read_it(pages: Client, tenant: Tenant) -> None:
    answer = pages.post(NEW, {"source_url": WEBSITE, "name": "Help"})

    (source,) = sources(tenant)
    assert answer["Location"] == f"/dashboard/sources/{source.pk}"
    assert (source.name, source.source_type, source.source_url) == ("Help", "web", WEBSITE)
    events = SyncEvent.objects.for_tenant(tenant).order_by("created_at")
    assert [event.action for event in events] == ["source_created", "sync_started"]


def test_the_same_website_twice_is_told_at_its_field(pages: Client, tenant: Tenant) -> None:
    pages.post(NEW, {"source_url": WEBSITE, "name": "Help"})

    answer = pages.post(NEW, {"source_url": WEBSITE, "name": "Help again"})

    assert answer.status_code == 400
    assert "This website is already one of your sources." in text_of(answer)
    assert 'value="Help again"' in text_of(answer)
    assert len(sources(tenant)) == 1


def test_a_plan_without_room_says_so(db: None) -> None:
    tenant = make_tenant(plan="free")
    make_source(tenant, source_type="web", sync_status=SyncStatus.SYNCED)

    answer = pages_of(tenant).post(NEW, {"source_url": WEBSITE, "name": "Help"})

    assert answer.status_code == 400
    assert "Your plan does not allow more connected sources." in text_of(answer)


# --- Accounts elsewhere -------------------------------------------------------------------------


def test_every_kind_of_the_registry_has_its_place(pages: Client) -> None:
    page = text_of(pages.get("/dashboard/sources/connect"))

    kinds = [each for each in CONNECTORS.values() if not each.is_uploaded]
    assert [kind.label for kind in kinds if f"<h2>{kind.label}</h2>" not in page] == []
    assert page.count("this server has not been set up for it") == len(
        [kind for kind in kinds if kind.provider]
    )
