"""POST /ingest/sources/upload, rule by rule (docs/specification.md, Sources 5 and 6)."""

import uuid
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from accounts.models import Role, Tenant
from accounts.tests.factories import client_of, make_tenant
from config.celery import app
from config.jobs.places import take_place
from config.serving.waiting import Kind, WaitingThreads
from conftest import AsRole
from reading.errors import ReaderMissing
from reasons import Reason
from sources.errors import FileProcessingFailed
from sources.models import Chunk, Document, Lane, Source, SyncEvent
from sources.services import uploads
from sources.services.copies import name_earlier_copies
from sources.services.editing import delete_source
from sources.services.uploads import ingest_file
from sources.tasks import ingest_upload, sync_in_background
from sources.tests.conftest import files_below
from sources.tests.factories import long_paragraph, make_source, text_file

URL = "/ingest/sources/upload"
PNG_HEAD = b"\x89PNG\r\n\x1a\n"
WAV_HEAD = b"RIFF\x24\0\0\0WAVEfmt "
MULTIPART = "multipart/form-data; boundary=xyz"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_worker")]


def upload(client: APIClient, file=None, **fields):
    return client.post(URL, {"file": file or text_file(), **fields}, format="multipart")


def post_raw(client: APIClient, *lines: str, content_type: str = MULTIPART, **headers):
    return client.generic("POST", URL, "\r\n".join(lines), content_type, headers=headers)


def part(name: str, value: str, parameters: str = "") -> tuple[str, ...]:
    return ("--xyz", f'Content-Disposition: form-data; name="{name}"{parameters}', "", value)


def binary_file(head: bytes, size_bytes: int, filename: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(filename, head.ljust(size_bytes, b"\0"))


def error_of(response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["code"]


def assert_nothing_is_left(tenant: Tenant, stored_files: Path) -> None:
    assert not Source.objects.for_tenant(tenant).exists()
    assert not SyncEvent.objects.for_tenant(tenant).exists()
    assert files_below(stored_files) == []


# --- What an upload answers ---------------------------------------------------------------------


def test_answer_is_the_synced_source_with_its_chunks(admin_api: APIClient, tenant: Tenant):
    file = text_file(long_paragraph("returns"), long_paragraph("shipping"))

    response = upload(admin_api, file, name="Questions")

    source = Source.objects.for_tenant(tenant).get()
    assert response.status_code == 201
    assert response.json() == {
        "source_id": str(source.pk),
        "name": "Questions",
        "sync_status": "synced",
        "chunks_count": 2,
    }


def test_the_file_becomes_one_document_with_its_passages(admin_api: APIClient, tenant: Tenant):
    upload(admin_api, text_file(long_paragraph("returns"), long_paragraph("shipping")))

    document = Document.objects.for_tenant(tenant).get()
    chunks = Chunk.objects.for_tenant(tenant).filter(document=document)
    assert (document.external_id, document.content_type) == ("faq.txt", "text/plain")
    assert [chunk.text for chunk in chunks] == [
        long_paragraph("returns"),
        long_paragraph("shipping"),
    ]
    assert [chunk.location for chunk in chunks] == ["paragraph 1", "paragraph 2"]


def test_the_original_is_kept_under_tenant_and_source(
    admin_api: APIClient, tenant: Tenant, stored_files: Path
):
    source_id = upload(admin_api, text_file("Our shop opens at nine.")).json()["source_id"]

    key = f"{tenant.pk}/{source_id}/original"
    assert files_below(stored_files) == [key]
    assert (stored_files / key).read_text() == "Our shop opens at nine."
    assert (stored_files / key).stat().st_mode & 0o777 == 0o600


def test_history_tells_creation_start_and_completion(admin_api: APIClient, tenant: Tenant):
    upload(admin_api)

    events = SyncEvent.objects.for_tenant(tenant).order_by("created_at")
    assert [event.action for event in events] == [
        "source_created",
        "sync_started",
        "sync_completed",
    ]
    details = events[2].details
    assert details["provider"] == "upload"
    assert details["chunks_written"] == 1
    assert details["documents"] == {
        "added": 1,
        "updated": 0,
        "removed": 0,
        "unchanged": 0,
        "failed": 0,
    }
    assert details["seconds"].keys() == {"fetch", "extract", "chunk", "embed", "index"}


def test_the_same_file_twice_makes_two_sources(admin_api: APIClient, tenant: Tenant):
    ids = {upload(admin_api).json()["source_id"] for _ in range(2)}

    assert ids == {str(source.pk) for source in Source.objects.for_tenant(tenant)}
    assert len(ids) == 2


@pytest.mark.parametrize("filename", ["faq.txt", "faq (1).txt", "questions.txt"])
def test_the_same_file_again_is_told_at_once(admin_api: APIClient, filename: str):
    first = upload(admin_api, name="Questions").json()
    again = upload(admin_api, text_file(filename=filename), name="Twice").json()

    assert "details" not in first
    assert (again["sync_status"], again["name"]) == ("synced", "Twice")
    assert again["details"] == {
        "warnings": [
            "This is the same file as Questions, which was uploaded before. Delete one of the two."
        ],
        "warning_codes": ["same_file_as"],
    }
    status = admin_api.get(f"/ingest/sources/{again['source_id']}/status")
    assert status.json()["details"] == again["details"]


def test_another_file_of_the_same_name_is_no_copy(admin_api: APIClient):
    upload(admin_api, text_file("The pier is closed in March."))

    assert "details" not in upload(admin_api, text_file("The pier is closed in April.")).json()


def test_the_copy_of_another_tenant_is_not_told(admin_api: APIClient, other_tenant: Tenant):
    ingest_file(other_tenant, file=text_file(), filename="faq.txt")

    assert "details" not in upload(admin_api).json()


def test_when_the_first_file_is_deleted_the_copy_is_no_copy(admin_api: APIClient, tenant: Tenant):
    for _ in range(2):
        upload(admin_api)
    first, again = Source.objects.for_tenant(tenant).order_by("created_at")
    assert name_earlier_copies(tenant, [first, again]) == {again.pk: first.name}

    delete_source(tenant, first.pk)

    assert name_earlier_copies(tenant, [again]) == {}


def test_a_new_upload_comes_last_in_the_list(admin_api: APIClient, tenant: Tenant):
    make_source(tenant, name="a", position=4)

    upload(admin_api, name="b")

    listed = admin_api.get("/ingest/sources").json()
    assert [(source["name"], source["position"]) for source in listed] == [("a", 4), ("b", 5)]


# --- The form -----------------------------------------------------------------------------------


@pytest.mark.parametrize("filename", ["Tarifas 2025.txt", "Catálogo tienda online 2025.txt"])
@pytest.mark.parametrize("fields", [{}, {"name": ""}, {"name": "   "}])
def test_without_a_name_the_source_is_called_like_the_file(
    admin_api: APIClient, fields: dict[str, str], filename: str
):
    assert upload(admin_api, text_file(filename=filename), **fields).json()["name"] == filename


def test_a_name_may_have_200_characters(admin_api: APIClient):
    assert upload(admin_api, name="ñ" * 200).json()["name"] == "ñ" * 200
    assert error_of(upload(admin_api, name="n" * 201)) == (400, "VALIDATION_ERROR")


def test_a_name_may_not_hold_nul(admin_api: APIClient):
    assert error_of(upload(admin_api, name="a\0b")) == (400, "VALIDATION_ERROR")


def test_a_file_name_of_more_than_200_characters_is_cut(admin_api: APIClient):
    assert upload(admin_api, text_file(filename="f" * 240 + ".txt")).json()["name"] == "f" * 200


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\ana\\tarifas.txt", "tarifas.txt"),
        ("a\tb.txt", "ab.txt"),
    ],
)
def test_a_file_name_is_never_a_path(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, filename: str, name: str
):
    body = (*part("file", "Some text.", f'; filename="{filename}"'), "--xyz--", "")

    response = post_raw(admin_api, *body)

    source = Source.objects.for_tenant(tenant).get()
    assert (response.status_code, response.json()["name"]) == (201, name)
    assert files_below(stored_files) == [f"{tenant.pk}/{source.pk}/original"]


def test_unknown_fields_are_ignored(admin_api: APIClient):
    assert upload(admin_api, source_type="web", position="7").status_code == 201


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        pytest.param((*part("name", "FAQ"), "--xyz--", ""), "MISSING_FIELDS", id="no file"),
        pytest.param(("",), "MISSING_FIELDS", id="no part"),
        pytest.param(
            (*part("file", "", '; filename=""'), "--xyz--", ""), "MISSING_FIELDS", id="no file name"
        ),
        pytest.param(
            (*part("file", "text"), "--xyz--", ""), "VALIDATION_ERROR", id="a text, not a file"
        ),
        pytest.param(
            part("file", "text", '; filename="a.txt"'), "INVALID_REQUEST_BODY", id="cut short"
        ),
        pytest.param(
            (
                *part("file", "one", '; filename="a.txt"'),
                *part("file", "two", '; filename="b.txt"'),
                "--xyz--",
                "",
            ),
            "INVALID_REQUEST_BODY",
            id="two files",
        ),
    ],
)
def test_a_form_needs_one_whole_file(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, lines, error: str
):
    assert error_of(post_raw(admin_api, *lines)) == (400, error)
    assert_nothing_is_left(tenant, stored_files)


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data"],
)
def test_only_a_multipart_form_is_accepted(admin_api: APIClient, content_type: str):
    response = post_raw(admin_api, '{"file": "text"}', content_type=content_type)

    assert error_of(response) == (400, "INVALID_REQUEST_BODY")


def test_a_body_must_tell_its_length(admin_api: APIClient):
    response = admin_api.generic(
        "POST", URL, "", MULTIPART, headers={"Transfer-Encoding": "chunked"}
    )

    assert error_of(response) == (400, "INVALID_REQUEST_BODY")


# --- Files that cannot be indexed ---------------------------------------------------------------


def test_a_type_that_is_not_supported_is_told_by_content(
    admin_api: APIClient, tenant: Tenant, stored_files: Path
):
    program = text_file("\x7fELF\0\0\0", filename="notes.txt")

    assert error_of(upload(admin_api, program)) == (400, "UNSUPPORTED_FILE_TYPE")
    assert_nothing_is_left(tenant, stored_files)


@pytest.mark.parametrize("content", ["", "  \n\n \t\n", "— · —"])
def test_a_file_without_text_leaves_nothing_behind(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, content: str
):
    assert error_of(upload(admin_api, text_file(content))) == (422, "FILE_PROCESSING_FAILED")
    assert_nothing_is_left(tenant, stored_files)


def test_a_file_that_cannot_be_read_leaves_nothing_behind(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(
        "sources.connectors.files.extract_document",
        raising(FileProcessingFailed("This PDF is protected with a password.")),
    )

    response = upload(admin_api)

    assert error_of(response) == (422, "FILE_PROCESSING_FAILED")
    assert response.json()["error"]["message"] == "This PDF is protected with a password."
    assert_nothing_is_left(tenant, stored_files)


def test_an_image_has_a_limit_of_its_own(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, settings
):
    settings.IMAGE_MAX_BYTES = 100

    response = upload(admin_api, binary_file(PNG_HEAD, 101, "a.png"))

    assert error_of(response) == (400, "FILE_TOO_LARGE")
    assert upload(admin_api, text_file("a" * 101)).status_code == 201
    assert Source.objects.for_tenant(tenant).count() == 1


def test_its_message_tells_the_limit(admin_api: APIClient, settings):
    file = binary_file(PNG_HEAD, settings.IMAGE_MAX_BYTES + 1, "a.png")

    assert upload(admin_api, file).json()["error"]["message"] == "The image is larger than 20 MB."


@pytest.mark.parametrize(
    ("head", "filename", "extractor"),
    [(PNG_HEAD, "a.png", "images.image"), (WAV_HEAD, "a.wav", "audio.recording")],
)
def test_what_cannot_be_read_here_is_refused_before_it_is_stored(
    admin_api: APIClient,
    tenant: Tenant,
    stored_files: Path,
    monkeypatch: pytest.MonkeyPatch,
    head: bytes,
    filename: str,
    extractor: str,
):
    refuse = raising(ReaderMissing("Set OCR_LANGUAGES or WHISPER_MODEL."))
    monkeypatch.setattr("reading.readers.REQUIRED", {extractor: refuse})

    response = upload(admin_api, binary_file(head, 100, filename))

    assert error_of(response) == (503, "SERVICE_UNAVAILABLE")
    assert response.json()["error"]["message"] == "Set OCR_LANGUAGES or WHISPER_MODEL."
    assert_nothing_is_left(tenant, stored_files)


def test_recorded_speech_is_a_source_of_the_type_audio(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("reading.readers.REQUIRED", {})
    monkeypatch.setattr("sources.tasks.work_on_run", lambda *args, **kwargs: None)
    monkeypatch.setattr("sources.services.uploads.wait_for_run", lambda *args: True)

    upload(admin_api, binary_file(WAV_HEAD, 100, "a.wav"))

    source = Source.objects.for_tenant(tenant).get()
    assert (source.source_type, source.content_type) == ("audio", "audio/wav")


# --- Failures of ours ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "cause"),
    [
        ("connectors.upload.connector.fetch_original", "our_fault_fetching"),
        ("sources.connectors.files.extract_document", "our_fault_reading"),
        (
            "sources.connectors.files.chunk_document",
            "our_fault_dividing",
        ),
        (
            "sources.syncing.batches.embed_documents",
            "our_fault_embedding",
        ),
        ("sources.syncing.batches.stage_documents", "our_fault_saving"),
    ],
)
def test_a_failure_of_ours_is_an_answer_with_its_cause(
    admin_api: APIClient,
    tenant: Tenant,
    stored_files: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    cause: str,
):
    monkeypatch.setattr(step, raising(RuntimeError("secret detail")))

    response = upload(admin_api)

    source = Source.objects.for_tenant(tenant).get()
    assert response.status_code == 201
    assert response.json() == {
        "source_id": str(source.pk),
        "name": "faq.txt",
        "sync_status": "error",
        "chunks_count": 0,
        "error_message": str(Reason(cause)),
        "error_code": cause,
    }
    assert files_below(stored_files) == [f"{tenant.pk}/{source.pk}/original"]
    failure = SyncEvent.objects.for_tenant(tenant).get(action="sync_failed")
    assert failure.details["code"] == "SYNC_FAILED"


# --- An answer before the end -----------------------------------------------------------------


def answers_syncing(response, tenant: Tenant) -> Source:
    source = Source.objects.for_tenant(tenant).get()
    assert response.status_code == 201
    assert response.json() == {
        "source_id": str(source.pk),
        "name": "faq.txt",
        "sync_status": "syncing",
        "chunks_count": 0,
    }
    return source


def work(lane: Lane) -> None:
    """What a worker does that hears of the lane."""
    {Lane.UPLOADS: ingest_upload, Lane.BACKGROUND: sync_in_background}[lane].apply()


@pytest.fixture
def busy_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them hears of what is uploaded."""
    monkeypatch.setattr("sources.services.uploads.tell_lane", lambda *a, **k: None)


@pytest.mark.usefixtures("busy_workers")
def test_past_the_deadline_the_work_goes_on_in_the_background(
    admin_api: APIClient, tenant: Tenant, settings
):
    settings.UPLOAD_DEADLINE = 0.05

    source = answers_syncing(upload(admin_api), tenant)
    assert source.sync_lane == Lane.BACKGROUND
    work(Lane.UPLOADS)  # has nothing to do any more
    assert not Chunk.objects.for_tenant(tenant).exists()
    work(Lane.BACKGROUND)

    status = admin_api.get(f"/ingest/sources/{source.pk}/status").json()
    assert (status["sync_status"], status["chunks_count"]) == ("synced", 1)


@pytest.mark.usefixtures("busy_workers")
def test_a_file_at_fault_that_was_answered_before_stays_in_error(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, settings
):
    settings.UPLOAD_DEADLINE = 0.05

    source = answers_syncing(upload(admin_api, text_file("")), tenant)
    work(Lane.BACKGROUND)

    failed = Source.objects.for_tenant(tenant).get()
    assert (failed.sync_status, failed.error_code) == ("error", "FILE_PROCESSING_FAILED")
    assert failed.error_message == "This file is empty."
    assert files_below(stored_files) == [f"{tenant.pk}/{source.pk}/original"]


def test_a_tenant_whose_requests_wait_already_gets_its_answer_at_once(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    places = [take_place(uploads.WAITING, tenant.pk) for _ in range(uploads.WAITING.amount)]
    assert None not in places

    with monkeypatch.context() as busy:
        busy.setattr("sources.services.uploads.tell_lane", lambda *a, **k: None)
        source = answers_syncing(upload(admin_api), tenant)
    assert source.sync_lane == Lane.BACKGROUND
    for place in filter(None, places):
        place.__exit__(None, None, None)

    assert upload(admin_api).json()["sync_status"] == "synced"


def test_others_still_wait_for_theirs(admin_api: APIClient, other_tenant: Tenant):
    for _ in range(uploads.WAITING.amount):
        take_place(uploads.WAITING, other_tenant.pk)

    assert upload(admin_api).json()["sync_status"] == "synced"


def test_when_too_many_threads_wait_the_answer_comes_at_once(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    waiting = WaitingThreads(1)
    waiting.begin(Kind.UPLOADS, uuid.uuid4())
    monkeypatch.setattr("config.jobs.places.waiting_threads", waiting)
    monkeypatch.setattr("sources.services.uploads.tell_lane", lambda *a, **k: None)

    assert answers_syncing(upload(admin_api), tenant).sync_lane == Lane.BACKGROUND


def test_a_request_that_has_its_answer_leaves_its_place(admin_api: APIClient, tenant: Tenant):
    for _ in range(uploads.WAITING.amount + 1):
        assert upload(admin_api).json()["sync_status"] == "synced"


@pytest.mark.usefixtures("busy_workers")
def test_so_many_uploads_may_wait_and_one_more_is_refused(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, settings
):
    settings.UPLOAD_DEADLINE, settings.UPLOADS_WAITING_MAX = 0.01, 2
    for _ in range(2):
        assert upload(admin_api).json()["sync_status"] == "syncing"

    response = upload(admin_api)

    assert error_of(response) == (429, "TOO_MANY_REQUESTS")
    assert response["Retry-After"] == "60"
    assert response.json()["error"]["message"] == (
        "2 uploads of this workspace wait to be indexed. Wait until some of them are, then upload"
        " the next."
    )
    assert len(files_below(stored_files)) == 2


def test_without_redis_the_upload_is_kept_for_later(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch, settings
):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setitem(app.conf, "task_always_eager", False)
    monkeypatch.setitem(app.conf, "broker_write_url", settings.REDIS_URL)

    answers_syncing(upload(admin_api), tenant)
    work(Lane.BACKGROUND)

    assert Source.objects.for_tenant(tenant).get().sync_status == "synced"


def test_without_storage_the_answer_says_what_to_set(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, settings
):
    settings.STORAGE_URL = "none"

    response = upload(admin_api)

    assert error_of(response) == (503, "SERVICE_UNAVAILABLE")
    assert "STORAGE_URL" in response.json()["error"]["message"]
    assert_nothing_is_left(tenant, stored_files)


# --- The plan -----------------------------------------------------------------------------------


def tenant_with_limit(max_documents: int | None, *, blocks_overage: bool) -> Tenant:
    tenant = make_tenant(plan="free")
    tenant.plan.max_documents = max_documents
    tenant.plan.blocks_overage = blocks_overage
    tenant.plan.save()
    return tenant


def test_a_full_free_plan_refuses_before_anything_is_stored(stored_files: Path):
    tenant = tenant_with_limit(2, blocks_overage=True)
    client = client_of(tenant)
    make_source(tenant, source_type="audio")
    make_source(tenant, source_type="web")  # not an upload

    assert upload(client).status_code == 201
    response = upload(client)

    assert error_of(response) == (402, "PLAN_LIMIT_REACHED")
    assert response.json()["error"]["message"] == (
        "The Free plan holds 2 documents. Delete one, or change the plan."
    )
    assert len(files_below(stored_files)) == 1


def test_uploads_of_other_tenants_do_not_count(other_tenant: Tenant):
    make_source(other_tenant)

    assert upload(client_of(tenant_with_limit(1, blocks_overage=True))).status_code == 201


@pytest.mark.parametrize(("limit", "blocks"), [(0, False), (None, True)])
def test_paid_plans_never_block(limit: int | None, blocks: bool):
    assert upload(client_of(tenant_with_limit(limit, blocks_overage=blocks))).status_code == 201


def test_a_failed_upload_counts_and_an_unreadable_file_does_not(monkeypatch: pytest.MonkeyPatch):
    client = client_of(tenant_with_limit(1, blocks_overage=True))

    assert error_of(upload(client, text_file(""))) == (422, "FILE_PROCESSING_FAILED")
    with monkeypatch.context() as patch:
        patch.setattr("sources.syncing.batches.embed_documents", raising(RuntimeError()))
        assert upload(client).status_code == 201
    assert error_of(upload(client)) == (402, "PLAN_LIMIT_REACHED")


# --- Who may ------------------------------------------------------------------------------------


def test_the_role_is_looked_at_before_the_body(as_role: AsRole, api: APIClient):
    assert post_raw(as_role(Role.VIEWER), "broken").status_code == 403
    assert post_raw(api, "broken").status_code == 401


def test_other_methods_are_not_allowed(admin_api: APIClient):
    assert error_of(admin_api.get(URL)) == (405, "METHOD_NOT_ALLOWED")


def raising(error: Exception):
    def fail(*args, **kwargs):
        raise error

    return fail


# --- Without waiting ----------------------------------------------------------------------------


def test_an_upload_that_nobody_waits_for_is_syncing_with_those_that_wait(tenant: Tenant, settings):
    settings.UPLOADS_WAITED_FOR = 2

    lanes = [
        uploads.begin_upload(tenant, file=text_file(), filename="faq.txt").sync_lane
        for _ in range(3)
    ]

    assert lanes == [Lane.UPLOADS, Lane.UPLOADS, Lane.BACKGROUND]
    assert {source.sync_status for source in Source.objects.for_tenant(tenant)} == {"syncing"}


def test_a_file_at_fault_that_nobody_waited_for_stays_with_its_reason(
    tenant: Tenant, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        uploads.begin_upload(tenant, file=text_file("   "), filename="empty.txt")

    source = Source.objects.for_tenant(tenant).get()
    assert (source.sync_status, source.error_code) == ("error", "FILE_PROCESSING_FAILED")
    assert source.original_file
