"""Stored originals: the same in a folder and on S3."""

import hashlib
import io
import threading
import tracemalloc
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.core.files import File
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from sources.errors import OriginalMissing, StorageUnavailable
from sources.models import Source, SyncEvent
from sources.originals import files
from sources.originals.files import (
    delete_original,
    delete_originals,
    delete_unnamed,
    fetch_original,
    store_original,
    store_version,
)
from sources.tests.factories import make_source, text_file
from sources.tests.stores import LocalStore, S3Store, Store

CONTENT = "Opens at nine, ñandú.".encode()
MEGABYTE = 1024 * 1024

pytestmark = pytest.mark.django_db


@pytest.fixture
def source(tenant: Tenant) -> Source:
    return make_source(tenant, original_name="hours.txt")


@pytest.fixture
def stored(source: Source, store: Store) -> Source:
    return with_original(source)


def with_original(source: Source, content: bytes = CONTENT) -> Source:
    file = SimpleUploadedFile("../../hours.html", content, content_type="text/html")
    source.original_file.name = store_original(source.tenant, source.pk, file)
    source.save()
    return source


# --- Storing, fetching, deleting ------------------------------------------------------------------


def test_a_file_is_stored_under_its_tenant_and_source_and_never_under_its_name(
    stored: Source, store: Store
):
    key = f"{stored.tenant_id}/{stored.pk}/original"

    assert stored.original_file.name == key
    assert store.keys() == [key]
    assert store.read(key) == CONTENT


@pytest.mark.usefixtures("store")
def test_what_is_fetched_is_what_was_stored(stored: Source, tmp_path: Path):
    fetched = fetch_original(stored, tmp_path)

    assert fetched.path == tmp_path / "original"
    assert fetched.path.read_bytes() == CONTENT
    assert fetched.sha256 == hashlib.sha256(CONTENT).hexdigest()


@pytest.mark.usefixtures("store")
def test_it_can_be_fetched_again_for_another_attempt(stored: Source, tmp_path: Path):
    first = fetch_original(stored, tmp_path)
    assert fetch_original(stored, tmp_path) == first


@pytest.mark.usefixtures("store")
def test_a_file_of_several_blocks_comes_whole(source: Source, tmp_path: Path):
    content = bytes(range(256)) * 4096 * 3 + b"end"

    fetched = fetch_original(with_original(source, content), tmp_path)

    assert fetched.path.stat().st_size == 3 * MEGABYTE + 3
    assert fetched.sha256 == hashlib.sha256(content).hexdigest()


def test_deleting_removes_that_file_alone_and_may_be_repeated(stored: Source, store: Store):
    other = with_original(make_source(stored.tenant))

    for _ in range(2):
        delete_original(stored.tenant, stored.pk)

    assert store.keys() == [other.original_file.name]


def test_deleting_leaves_no_empty_folder(source: Source, local_store: LocalStore):
    with_original(source)
    delete_original(source.tenant, source.pk)

    assert list((local_store.folder / str(source.tenant_id)).iterdir()) == []


def test_all_of_a_tenant_is_deleted_also_without_a_row_and_nothing_of_another(
    stored: Source, other_tenant: Tenant, store: Store
):
    lost = make_source(stored.tenant)
    with_original(lost)
    lost.delete()
    theirs = with_original(make_source(other_tenant))

    assert delete_originals(stored.tenant) == 2
    assert store.keys() == [theirs.original_file.name]
    assert delete_originals(stored.tenant) == 0


def test_a_tenant_whose_files_are_deleted_has_no_folder(source: Source, local_store: LocalStore):
    with_original(source)
    delete_originals(source.tenant)

    assert list(local_store.folder.iterdir()) == []


# --- What no row names ----------------------------------------------------------------------------


def test_what_a_killed_upload_or_edit_left_goes_after_a_day_and_nothing_else(
    stored: Source, other_tenant: Tenant, store: Store
):
    theirs = with_original(make_source(other_tenant))
    file = SimpleUploadedFile("a.txt", CONTENT)
    store_original(stored.tenant, uuid.uuid4(), file)
    store_version(stored.tenant, stored.pk, file)
    export = default_storage.save(f"{stored.tenant_id}/exports/{uuid.uuid4()}.zip", file)
    now = timezone.now()

    assert delete_unnamed(now + timedelta(hours=23)) == 0
    assert delete_unnamed(now + timedelta(hours=25)) == 2

    assert set(store.keys()) == {stored.original_file.name, theirs.original_file.name, export}


def test_what_is_deleted_meanwhile_is_no_fault(stored: Source, local_store: LocalStore):
    store_original(stored.tenant, uuid.uuid4(), SimpleUploadedFile("a.txt", CONTENT))

    def list_late(folder: str) -> Iterator[str]:
        yield f"{folder}/{uuid.uuid4()}/original"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "stored_keys", list_late)
        assert delete_unnamed(timezone.now() + timedelta(days=2)) == 0


# --- What goes wrong ------------------------------------------------------------------------------


@pytest.mark.usefixtures("inline_worker")
def test_an_upload_while_the_storage_is_down_answers_503_and_leaves_nothing(
    admin_api: APIClient, tenant: Tenant, store: Store
):
    store.break_down()

    response = admin_api.post("/ingest/sources/upload", {"file": text_file()}, format="multipart")

    assert response.status_code == 503
    assert response.json() == {
        "error": {
            "code": "SERVICE_UNAVAILABLE",
            "message": "Files cannot be stored or fetched at the moment. Try again in a minute.",
        }
    }
    assert not Source.objects.with_deleted(tenant).exists()
    assert not SyncEvent.objects.for_tenant(tenant).exists()


@pytest.mark.usefixtures("inline_worker")
def test_an_upload_is_stored_and_indexed(admin_api: APIClient, tenant: Tenant, store: Store):
    response = admin_api.post("/ingest/sources/upload", {"file": text_file()}, format="multipart")

    assert (response.status_code, response.json()["sync_status"]) == (201, "synced")
    assert store.keys() == [f"{tenant.pk}/{response.json()['source_id']}/original"]


@pytest.mark.usefixtures("inline_worker")
def test_an_upload_that_cannot_be_indexed_is_not_kept(admin_api: APIClient, store: Store):
    file = text_file(" \n ")

    response = admin_api.post("/ingest/sources/upload", {"file": file}, format="multipart")

    assert response.status_code == 422
    assert store.keys() == []


class BreakingContent(io.BytesIO):
    """Ends in an error after its first block."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell():
            raise OSError("the disk is gone")
        return super().read(1024)


def test_a_file_that_breaks_off_while_it_is_stored_leaves_nothing(source: Source, store: Store):
    file = File(BreakingContent(b"x" * 4096), "upload")

    with pytest.raises(StorageUnavailable):
        store_original(source.tenant, source.pk, file)

    assert store.keys() == []


def test_a_storage_that_is_down_is_tried_again_later(stored: Source, store: Store, tmp_path: Path):
    store.break_down()

    with pytest.raises(StorageUnavailable) as failure:
        fetch_original(stored, tmp_path)

    assert failure.value.retryable is True


def test_a_file_that_is_missing_has_to_be_uploaded_again(
    stored: Source, store: Store, tmp_path: Path
):
    store.remove(str(stored.original_file.name))

    with pytest.raises(OriginalMissing, match=r"^The stored file is missing\. Upload it again\.$"):
        fetch_original(stored, tmp_path)


@pytest.mark.usefixtures("store")
def test_a_source_without_a_file_misses_it(source: Source, tmp_path: Path):
    with pytest.raises(OriginalMissing):
        fetch_original(source, tmp_path)


@pytest.mark.usefixtures("store")
def test_nothing_outside_the_storage_is_read(source: Source, tmp_path: Path):
    (tmp_path / "secret").write_text("outside")
    source.original_file.name = "../secret"

    with pytest.raises(OriginalMissing):
        fetch_original(source, tmp_path)


def test_a_file_that_cannot_be_deleted_is_named_in_the_log(
    stored: Source, store: Store, caplog: pytest.LogCaptureFixture
):
    store.break_down()

    delete_original(stored.tenant, stored.pk)

    assert f"could not be deleted: {stored.original_file.name}" in caplog.text


# --- S3 alone -------------------------------------------------------------------------------------


def test_on_s3_a_missing_bucket_is_no_missing_file(
    source: Source, s3_store: S3Store, tmp_path: Path
):
    """Nobody has to upload anything again because the service was set wrong."""
    source.original_file.name = f"{source.tenant_id}/{source.pk}/original"
    s3_store.client.delete_bucket(Bucket=s3_store.bucket)

    with pytest.raises(StorageUnavailable):
        fetch_original(source, tmp_path)


def test_on_s3_the_clients_word_about_the_type_is_not_kept(source: Source, s3_store: S3Store):
    key = with_original(source).original_file.name

    kept = s3_store.client.head_object(Bucket=s3_store.bucket, Key=key)

    assert kept["ContentType"] == "application/octet-stream"


def test_on_s3_nobody_else_may_read(source: Source, s3_store: S3Store):
    key = with_original(source).original_file.name

    access = s3_store.client.get_object_acl(Bucket=s3_store.bucket, Key=key)

    assert [grant["Permission"] for grant in access["Grants"]] == ["FULL_CONTROL"]
    assert access["Grants"][0]["Grantee"]["Type"] == "CanonicalUser"


def test_on_s3_files_can_be_in_a_folder_of_the_bucket(
    source: Source, s3_store: S3Store, tmp_path: Path
):
    s3_store.use("/kept/here")
    with_original(source)

    assert s3_store.keys() == [f"kept/here/{source.tenant_id}/{source.pk}/original"]
    assert fetch_original(source, tmp_path).path.read_bytes() == CONTENT
    delete_original(source.tenant, source.pk)
    assert s3_store.keys() == []


def test_on_s3_files_can_be_encrypted_by_the_server(source: Source, s3_store: S3Store):
    s3_store.use(more="&encryption=AES256")
    key = with_original(source).original_file.name

    kept = s3_store.client.head_object(Bucket=s3_store.bucket, Key=key)

    assert kept["ServerSideEncryption"] == "AES256"


class Endless(BaseHTTPRequestHandler):
    """A bucket that holds one file of 32 MB, takes anything, and keeps neither."""

    protocol_version = "HTTP/1.1"
    seen: list[tuple[str, str]]
    status = 200

    def do_GET(self) -> None:
        self.answer(32 * MEGABYTE if self.status == 200 else 0)

    def do_PUT(self) -> None:
        read_away(self.rfile, int(self.headers["Content-Length"]))
        self.answer(0)

    def do_DELETE(self) -> None:
        self.answer(0)

    def answer(self, length: int) -> None:
        self.seen.append((self.command, self.path))
        self.send_response(self.status)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        for _ in range(length // 65536):
            self.wfile.write(b"x" * 65536)

    def log_message(self, *args: object) -> None:
        pass


def read_away(stream: io.BufferedIOBase, length: int) -> None:
    while length > 0:
        length -= len(stream.read(min(length, 65536)))


@contextmanager
def endless_server(status: int = 200) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Its address, and the requests that it got."""
    seen: list[tuple[str, str]] = []
    handler = type("Handler", (Endless,), {"seen": seen, "status": status})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()
            thread.join()


def test_on_s3_a_large_file_passes_through_and_is_stored_by_one_request(
    source: Source, s3_store: S3Store, tmp_path: Path
):
    """One request stores all or nothing; a second would leave parts behind when it fails."""
    upload = tmp_path / "upload"
    upload.write_bytes(b"x" * 32 * MEGABYTE)
    with endless_server() as (endpoint, seen), upload.open("rb") as file:
        s3_store.use(endpoint=endpoint)
        store_original(source.tenant, source.pk, text_file())  # boto's own data is in memory now
        seen.clear()
        tracemalloc.start()
        try:
            key = store_original(source.tenant, source.pk, File(file))
            source.original_file.name = key
            fetched = fetch_original(source, tmp_path)
            peak_bytes = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert fetched.path.stat().st_size == 32 * MEGABYTE
    assert seen == [("PUT", f"/{s3_store.bucket}/{key}"), ("GET", f"/{s3_store.bucket}/{key}")]
    assert peak_bytes < 8 * MEGABYTE


def test_on_s3_a_server_that_fails_is_asked_three_times(
    source: Source, s3_store: S3Store, tmp_path: Path
):
    source.original_file.name = "key"
    with endless_server(status=503) as (endpoint, seen):
        s3_store.use(endpoint=endpoint)
        with pytest.raises(StorageUnavailable):
            fetch_original(source, tmp_path)

    assert seen == [("GET", f"/{s3_store.bucket}/key")] * 3
