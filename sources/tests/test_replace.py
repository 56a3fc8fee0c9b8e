"""PUT /ingest/sources/{id}/file: a new version in the place of the one before."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import DjangoCaptureOnCommitCallbacks
from rest_framework.test import APIClient

from accounts.models import Role, Tenant
from conftest import AsRole
from sources.models import Chunk, Source
from sources.services.replacing import plain_name
from sources.tests.conftest import files_below
from sources.tests.factories import make_source, text_file

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_worker")]

PNG_HEAD = b"\x89PNG\r\n\x1a\n"
OLD = "Lavender soap costs 5.80 euros a bar, in every shop of ours and on the website too."
NEW = "Lavender soap costs 6.20 euros a bar, in every shop of ours and on the website too."


@pytest.fixture
def source(admin_api: APIClient, tenant: Tenant) -> Source:
    file = text_file(OLD, filename="prices.txt")
    admin_api.post("/ingest/sources/upload", {"file": file}, format="multipart")
    return Source.objects.for_tenant(tenant).get()


def replace(api: APIClient, source_id: object, file: SimpleUploadedFile) -> Any:
    return api.put(f"/ingest/sources/{source_id}/file", {"file": file}, format="multipart")


@pytest.fixture
def replace_and_read(
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> Callable[..., Any]:
    """`replace`, and a worker has done its part when it returns."""

    def replace_it(api: APIClient, source_id: object, file: SimpleUploadedFile) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            return replace(api, source_id, file)

    return replace_it


def texts(source: Source) -> list[str]:
    chunks = Chunk.objects.for_tenant(source.tenant).filter(source=source)
    return [chunk.text for chunk in chunks]


def test_the_new_version_answers_alone_and_the_old_file_is_gone(
    admin_api: APIClient,
    source: Source,
    stored_files: Path,
    replace_and_read: Callable[..., Any],
) -> None:
    answer = replace_and_read(admin_api, source.pk, text_file(NEW, filename="prices 2027.txt"))

    assert (answer.status_code, answer.json()["source_id"]) == (202, str(source.pk))
    source.refresh_from_db()
    assert (source.sync_status, source.name) == ("synced", "prices 2027.txt")
    assert texts(source) == [NEW]
    assert len(files_below(stored_files)) == 1


def test_a_file_that_cannot_be_read_leaves_the_version_before_answering(
    admin_api: APIClient, source: Source, replace_and_read: Callable[..., Any]
) -> None:
    broken = SimpleUploadedFile("prices.pdf", b"%PDF-1.7 and nothing else")

    assert replace_and_read(admin_api, source.pk, broken).status_code == 202

    source.refresh_from_db()
    assert (source.sync_status, source.chunks_count) == ("error", 1)
    assert texts(source) == [OLD]


def test_a_name_that_somebody_gave_stays(admin_api: APIClient, source: Source) -> None:
    Source.objects.for_tenant(source.tenant).update(name="Our prices")

    replace(admin_api, source.pk, text_file(NEW, filename="other.txt"))

    source.refresh_from_db()
    assert (source.name, source.original_name) == ("Our prices", "other.txt")


@pytest.mark.parametrize(
    ("file", "code"),
    [
        (SimpleUploadedFile("a.exe", b"MZ\x90\0" + bytes(100)), "UNSUPPORTED_FILE_TYPE"),
        (
            SimpleUploadedFile("a.png", b"\x89PNG\r\n\x1a\n".ljust(21 << 20, b"\0")),
            "FILE_TOO_LARGE",
        ),
    ],
)
def test_a_refused_file_changes_nothing(
    admin_api: APIClient, source: Source, file: SimpleUploadedFile, code: str, stored_files: Path
) -> None:
    before = files_below(stored_files)

    answer = replace(admin_api, source.pk, file)

    assert answer.json()["error"]["code"] == code
    source.refresh_from_db()
    assert (source.sync_status, source.name) == ("synced", "prices.txt")
    assert files_below(stored_files) == before


def test_only_uploads_of_ones_own_are_replaced(
    admin_api: APIClient, tenant: Tenant, other_tenant: Tenant
) -> None:
    website = make_source(tenant, source_type="web")
    theirs = make_source(other_tenant)

    assert replace(admin_api, website.pk, text_file(NEW)).status_code == 400
    assert replace(admin_api, theirs.pk, text_file(NEW)).status_code == 404
    assert replace(admin_api, "nonsense", text_file(NEW)).status_code == 404


def test_only_admins_replace(as_role: AsRole, source: Source) -> None:
    assert replace(as_role(Role.MEMBER), source.pk, text_file(NEW)).status_code == 403


@pytest.mark.parametrize(
    ("one", "other", "are_versions"),
    [
        ("Tarifas 2026.pdf", "tarifas_2027.pdf", True),
        ("Price list (1).xlsx", "Price list.xlsx", True),
        ("Condiciones v2.docx", "Condiciones definitivas.docx", False),
        ("menu copia.pdf", "Menu.pdf", True),
        ("Horario.pdf", "Precios.pdf", False),
        ("2026.pdf", "2027.pdf", True),
    ],
)
def test_names_that_differ_in_a_number_or_a_year_are_versions(
    one: str, other: str, are_versions: bool
) -> None:
    assert (plain_name(one) == plain_name(other)) == are_versions
