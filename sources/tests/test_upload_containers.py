"""Uploads of files that hold files: each file in them is a document, and what cannot be read costs
only itself.
"""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from accounts.models import Tenant
from reading.tests.container_files import (
    CSV_OF_PRICES,
    TEXT,
    attached_file,
    make_eml,
    make_msg,
    make_zip,
)
from reasons import Reason
from sources.connectors import files
from sources.models import Chunk, Document, Source, SyncEvent
from sources.services.syncing import start_sync

URL = "/ingest/sources/upload"
PROGRAM = b"MZ\x90\0\3\0\0\0" + bytes(100)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("inline_worker")]


def upload(client: APIClient, content: bytes, filename: str = "archive.zip"):
    return client.post(URL, {"file": SimpleUploadedFile(filename, content)}, format="multipart")


def documents(tenant: Tenant) -> dict[str, str]:
    """What each is read as, by its external id."""
    found = Document.objects.for_tenant(tenant).live().order_by("position")
    return {each.external_id: each.content_type for each in found}


def chunks(tenant: Tenant) -> list[str]:
    return [each.text for each in Chunk.objects.for_tenant(tenant).order_by("document__position")]


def failures(tenant: Tenant) -> dict[str, Reason]:
    completed = SyncEvent.Action.SYNC_COMPLETED
    event = SyncEvent.objects.for_tenant(tenant).filter(action=completed).latest("created_at")
    outcomes = event.details["outcomes"]
    return {
        each["document"]: Reason.from_json(each["reason"])
        for each in outcomes
        if each["outcome"] == "failed"
    }


def message_of(response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]["message"]


def test_each_file_of_an_archive_is_a_document(admin_api: APIClient, tenant: Tenant):
    archive = make_zip({"Rates/2026.txt": "Double room: 899", "prices.csv": CSV_OF_PRICES})

    response = upload(admin_api, archive)

    assert (response.status_code, response.json()["sync_status"]) == (201, "synced")
    assert documents(tenant) == {
        "archive.zip/Rates/2026.txt": "text/plain",
        "archive.zip/prices.csv": "text/csv",
    }
    [first, second] = Document.objects.for_tenant(tenant).order_by("position")
    assert (first.title, first.place) == ("2026.txt", "archive.zip / Rates / 2026.txt")
    assert chunks(tenant) == ["Double room: 899", "Model: Xaloc; Price: 899"]


def test_an_archive_is_one_source(admin_api: APIClient, tenant: Tenant):
    upload(admin_api, make_zip({f"{number}.txt": "Text" for number in range(3)}))
    assert Source.objects.for_tenant(tenant).count() == 1


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("mail.eml", make_eml(attached={"Precios año.csv": CSV_OF_PRICES})),
        ("mail.msg", make_msg(attachments=[attached_file("Precios año.csv", CSV_OF_PRICES)])),
    ],
)
def test_a_message_is_a_document_and_so_is_what_is_attached(
    admin_api: APIClient, tenant: Tenant, filename: str, content: bytes
):
    upload(admin_api, content, filename)

    assert list(documents(tenant)) == [filename, f"{filename}/Precios año.csv"]
    *told, row = chunks(tenant)  # the headers of a message are a passage of their own
    assert [text.endswith(TEXT) for text in told].count(True) == 1
    assert row == "Model: Xaloc; Price: 899"


def test_what_is_attached_is_read_where_the_message_is_too_long(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("reading.cutting.PASSAGES_MAX", 1)
    long = "\n\n".join(f"Paragraph {number}. " + "word " * 80 for number in range(3))

    upload(admin_api, make_eml(long, attached={"a.txt": b"Text"}), "mail.eml")

    assert list(documents(tenant)) == ["mail.eml/a.txt"]
    assert str(failures(tenant)["mail.eml"]).startswith("The file has more than 1 passages.")


def test_files_are_read_through_three_within_each_other(admin_api: APIClient, tenant: Tenant):
    inner = make_zip({"b.txt": "Deep", "c.zip": make_zip({"d.txt": "Deeper"})})
    mail = make_eml(attached={"a.zip": inner})

    upload(admin_api, make_zip({"mail.eml": mail}))

    assert list(documents(tenant)) == ["archive.zip/mail.eml", "archive.zip/mail.eml/a.zip/b.txt"]
    assert failures(tenant) == {
        "archive.zip / mail.eml / a.zip / c.zip / d.txt": Reason("file_nested_too_deep")
    }


def test_what_cannot_be_read_costs_only_itself_and_is_told(admin_api: APIClient, tenant: Tenant):
    archive = make_zip(
        {
            "a.txt": "Text",
            "setup.exe": PROGRAM,
            "letter.docx": "no letter",
            "empty.txt": "",
            "blank.txt": " \n ",
            "half.zip": make_zip({"b.txt": "Text" * 1000})[:100],
        }
    )

    response = upload(admin_api, archive)

    assert response.json()["sync_status"] == "synced"
    assert list(documents(tenant)) == ["archive.zip/a.txt"]
    told = failures(tenant)
    assert str(told.pop("archive.zip / setup.exe")).startswith("This is a program.")
    assert str(told.pop("archive.zip / half.zip")).startswith("This file is damaged or incomplete")
    assert told == {
        "archive.zip / letter.docx": Reason("file_name_contradicts", name="DOCX", kind="DOCX"),
        "archive.zip / empty.txt": Reason("file_empty"),
        "archive.zip / blank.txt": Reason("no_text_in_file"),
    }


def test_an_archive_of_which_nothing_can_be_read_is_refused(admin_api: APIClient, tenant: Tenant):
    response = upload(admin_api, make_zip({"empty.txt": "", "setup.exe": PROGRAM}))

    assert message_of(response) == (
        422,
        "Nothing in this file could be read. archive.zip / empty.txt: This file is empty.",
    )
    assert not Source.objects.for_tenant(tenant).exists()


def test_an_archive_of_nothing_is_refused(admin_api: APIClient):
    assert message_of(upload(admin_api, make_zip({}))) == (
        422,
        "It contains no file that could be read.",
    )


def test_files_of_the_same_name_are_all_read(admin_api: APIClient, tenant: Tenant):
    upload(admin_api, make_zip({"a.txt": "One", "./a.txt": "Two", "/a.txt": "Three"}))
    assert list(documents(tenant)) == [
        "archive.zip/a.txt",
        "archive.zip/a (2).txt",
        "archive.zip/a (3).txt",
    ]


def test_all_files_within_each_other_are_counted(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "MEMBERS_MAX", 3)
    inner = make_zip({f"{number}.txt": "Text" for number in range(5)})

    upload(admin_api, make_zip({"inner.zip": inner, "last.txt": "Text"}))

    assert len(documents(tenant)) == 3
    assert set(failures(tenant).values()) == {Reason("too_many_files_inside", limit=3)}


def test_all_that_is_unpacked_is_counted(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "UNPACKED_MAX_BYTES", 10)
    upload(admin_api, make_zip({"a.txt": "Some text", "b.txt": "Some text"}))
    assert list(documents(tenant)) == ["archive.zip/a.txt"]
    assert "archive.zip / b.txt" in failures(tenant)


def test_what_is_unpacked_and_too_deep_is_counted(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    """Else a small archive fills the disk with what nobody reads."""
    deep = make_zip({"deep.txt": "x" * 600})
    monkeypatch.setattr(files, "UNPACKED_MAX_BYTES", len(deep) * 6)

    inner = make_zip({"a.zip": make_zip({"b.zip": deep, "c.zip": deep, "d.zip": deep})})
    upload(admin_api, make_zip({"first.txt": "Text", "inner.zip": inner, "last.txt": "Text"}))

    assert list(documents(tenant)) == ["archive.zip/first.txt"]
    assert str(failures(tenant)["archive.zip / last.txt"]).startswith(
        "It was not read: together with"
    )


def test_a_folder_and_an_archive_of_one_name_are_both_read(admin_api: APIClient, tenant: Tenant):
    upload(admin_api, make_zip({"a.zip/text.txt": "One", "a.zip": make_zip({"text.txt": "Two"})}))
    assert chunks(tenant) == ["One", "Two"]


def test_all_passages_are_counted(
    admin_api: APIClient, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(files, "PASSAGES_MAX", 1)
    upload(admin_api, make_zip({"a.txt": "Some text", "b.txt": "Some text"}))
    assert list(documents(tenant)) == ["archive.zip/a.txt"]
    assert str(failures(tenant)["archive.zip / b.txt"]).startswith("It was not read: together with")


def test_an_image_in_an_archive_has_the_limit_of_an_image(
    admin_api: APIClient, tenant: Tenant, settings
):
    settings.IMAGE_MAX_BYTES = 1024**2
    picture = b"\x89PNG\r\n\x1a\n" + bytes(1024**2)
    upload(admin_api, make_zip({"plan.png": picture, "a.txt": "Text"}))
    assert failures(tenant) == {"archive.zip / plan.png": Reason("image_over_limit", limit=1)}


def test_a_sync_reads_the_archive_again(
    admin_api: APIClient, tenant: Tenant, django_capture_on_commit_callbacks
):
    upload(admin_api, make_zip({"a.txt": "One", "b.txt": "Two"}))
    [source] = Source.objects.for_tenant(tenant)
    before = documents(tenant)

    with django_capture_on_commit_callbacks(execute=True):
        start_sync(tenant, source.pk)

    assert documents(tenant) == before
    [first, _] = Document.objects.for_tenant(tenant).live().order_by("position")
    assert first.generation == 2


def test_what_a_slice_of_the_run_has_read_is_not_read_again(
    admin_api: APIClient, tenant: Tenant, settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("sources.syncing.batches.BATCH_DOCUMENTS", 1)
    settings.SYNC_SLICE = 0
    read: list[str] = []
    read_single = files.read_single

    def counted(file: files.GivenFile, context):
        read.append(file.external_id)
        return read_single(file, context)

    monkeypatch.setattr(files, "read_single", counted)

    response = upload(admin_api, make_zip({f"{name}.txt": f"Text {name}" for name in "abc"}))

    assert response.json()["sync_status"] == "synced"
    assert len(documents(tenant)) == 3
    assert read == [f"archive.zip/{name}.txt" for name in "abc"]


# --- Notion's export ------------------------------------------------------------------------------

NOTION_ID = "0123456789abcdef0123456789abcdef"


def places(tenant: Tenant) -> list[tuple[str, str]]:
    found = Document.objects.for_tenant(tenant).live().order_by("position")
    return [(each.title, each.place) for each in found]


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (f"Rates {NOTION_ID}.md", ("Rates.md", "archive.zip / Rates.md")),
        (
            f"Shop {NOTION_ID}/Boats {NOTION_ID}/Gaviota 24 {NOTION_ID}.md",
            ("Gaviota 24.md", "archive.zip / Shop / Boats / Gaviota 24.md"),
        ),
        (f"Boats {NOTION_ID}_all.csv", ("Boats_all.csv", "archive.zip / Boats_all.csv")),
    ],
)
def test_ids_of_notion_stand_in_no_name(
    admin_api: APIClient, tenant: Tenant, inside: str, expected: tuple[str, str]
):
    upload(admin_api, make_zip({inside: CSV_OF_PRICES}))
    assert places(tenant) == [expected]
    assert list(documents(tenant))[0].endswith(inside)


def test_archives_that_notion_cuts_its_export_into_stand_in_no_place(
    admin_api: APIClient, tenant: Tenant
):
    part = make_zip({f"Rates {NOTION_ID}.csv": CSV_OF_PRICES})
    upload(admin_api, make_zip({f"ExportBlock-{NOTION_ID}-Part-1.zip": part}))
    assert places(tenant) == [("Rates.csv", "archive.zip / Rates.csv")]


def test_database_that_notion_writes_twice_is_read_once(admin_api: APIClient, tenant: Tenant):
    """Only with Notion's id: others may mean something else by such a name."""
    both = {f"Boats {NOTION_ID}.csv": CSV_OF_PRICES, f"Boats {NOTION_ID}_all.csv": CSV_OF_PRICES}
    upload(admin_api, make_zip({**both, "sales.csv": "a,b\n1,2", "sales_all.csv": "a,b\n3,4"}))
    assert [title for title, _ in places(tenant)] == ["Boats.csv", "sales.csv", "sales_all.csv"]
