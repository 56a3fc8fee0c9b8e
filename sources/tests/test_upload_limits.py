"""How much of an upload is read: FILE_TOO_LARGE costs neither disk nor patience."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from rest_framework.test import APIClient

from accounts.models import Tenant
from sources.errors import FileTooLarge
from sources.models import Source
from sources.services.uploads import ingest_file
from sources.tests.conftest import files_below

URL = "/ingest/sources/upload"
LIMIT = 200_000

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_worker")]


@pytest.fixture(autouse=True)
def upload_temp_dir(settings, tmp_path: Path) -> Path:
    """Where a body is kept while it streams in."""
    folder = tmp_path / "uploads"
    folder.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = str(folder)
    settings.UPLOAD_MAX_BYTES = LIMIT
    return folder


class Body(io.BytesIO):
    """A body that counts what is read of it. It may say that it is longer than it is."""

    bytes_read = 0

    def read(self, size: int | None = -1) -> bytes:
        block = super().read(size)
        self.bytes_read += len(block)
        return block


def form_with(content: bytes) -> bytes:
    head = '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    return head.encode() + content + b"\r\n--xyz--\r\n"


def send(client: APIClient, body: Body, *, content_length: int | None = None):
    environ: dict[str, Any] = {
        "wsgi.input": body,
        "CONTENT_LENGTH": str(content_length or len(body.getvalue())),
    }
    return client.generic("POST", URL, "-", "multipart/form-data; boundary=xyz", **environ)


def assert_too_large(response) -> None:
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "FILE_TOO_LARGE"


def text_of(size_bytes: int) -> bytes:
    return (b"Returns are free. " * (size_bytes // 18 + 1))[:size_bytes]


def test_a_file_may_have_exactly_the_limit(admin_api: APIClient):
    assert send(admin_api, Body(form_with(text_of(LIMIT)))).status_code == 201


def test_a_byte_more_is_too_large(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, upload_temp_dir: Path
):
    body = Body(form_with(text_of(LIMIT + 1)))

    assert_too_large(send(admin_api, body))
    assert not Source.objects.for_tenant(tenant).exists()
    assert files_below(stored_files) == files_below(upload_temp_dir) == []


def test_a_body_of_ten_gigabytes_is_refused_unread(admin_api: APIClient, upload_temp_dir: Path):
    body = Body(form_with(text_of(LIMIT)))

    assert_too_large(send(admin_api, body, content_length=10 * 1024**3))
    assert body.bytes_read == 0
    assert files_below(upload_temp_dir) == []


def test_nothing_over_the_limit_is_written_to_disk(
    admin_api: APIClient, upload_temp_dir: Path, monkeypatch: pytest.MonkeyPatch
):
    written = []
    write = TemporaryFileUploadHandler.receive_data_chunk

    def count(self, raw_data: bytes, start: int) -> None:
        written.append(len(raw_data))
        write(self, raw_data, start)

    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", count)

    assert_too_large(send(admin_api, Body(form_with(text_of(LIMIT + 70_000)))))
    assert LIMIT - 2 * TemporaryFileUploadHandler.chunk_size <= sum(written) <= LIMIT
    assert files_below(upload_temp_dir) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(form_with(text_of(1000))[:-20], id="cut short"),
        pytest.param(form_with(b"one")[:-4] + b"\r\n" + form_with(b"two"), id="two files"),
        pytest.param(form_with(b"\0\0\0"), id="unsupported"),
        pytest.param(form_with(b""), id="empty"),
        pytest.param(form_with(text_of(1000)), id="indexed"),
    ],
)
def test_no_temporary_file_is_left(admin_api: APIClient, upload_temp_dir: Path, body: bytes):
    send(admin_api, Body(body))

    assert files_below(upload_temp_dir) == []


def test_form_fields_are_limited_too(admin_api: APIClient, upload_temp_dir: Path, settings):
    name = b"n" * (settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    form = b'--xyz\r\nContent-Disposition: form-data; name="name"\r\n\r\n' + name + b"\r\n"

    response = send(admin_api, Body(form + form_with(b"text")))

    assert response.status_code == 400
    assert response.json()["error"]["code"] == "INVALID_REQUEST_BODY"
    assert files_below(upload_temp_dir) == []


def test_commands_have_the_same_limit(tenant: Tenant):
    file = SimpleUploadedFile("a.txt", text_of(LIMIT + 1))

    with pytest.raises(FileTooLarge):
        ingest_file(tenant, file=file, filename="a.txt")
