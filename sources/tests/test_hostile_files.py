"""Files made to break their reader, and what the person who uploads one is told."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from lxml import etree
from rest_framework.test import APIClient

from accounts.models import Tenant
from language.words import tokenize
from reading.confinement.limits import MEGABYTE, Limits
from reading.extractors.data.values import NESTED_TOO_DEEPLY
from reading.extractors.office.charts import LEVELS_MAX, points_of
from reading.extractors.office.pptx import SLIDES_MAX
from reading.extractors.text.csv_rows import LINE_MAX_CHARS
from reading.file_types import CONTENT_TYPES, EML, EPUB, MARKDOWN, PPT, XML
from reading.tests.books import chapter, make_epub
from reading.tests.files.hostile import (
    archives,
    containers,
    names,
    old_office,
    pdfs,
    structured,
    texts,
)
from reading.tests.files.hostile.file import HostileFile
from reading.tests.office_files import make_docx, paragraph
from reading.tests.old_office_files import make_ppt, text_box
from reading.tests.old_office_files import text as old_office_text
from reasons import Reason, as_reason
from sources.documents import detect_content_type, extract_document, read_request
from sources.errors import FileProcessingFailed
from sources.models import Chunk, Source
from sources.tests.conftest import files_below

URL = "/ingest/sources/upload"
FILES = {
    file.title: file
    for family in (archives, containers, pdfs, texts, old_office, structured, names)
    for file in family.FILES
}
READ_BY_OUR_CODE = (
    ".pdf", ".docx", ".xlsx", ".pptx", ".csv", ".md", ".txt", ".html", ".odt", ".ods", ".odp",
    ".epub", ".xml", ".json", ".rtf", ".doc", ".xls", ".ppt",
)  # fmt: skip

DAMAGED = Reason("file_damaged")
BOMB = Reason("unpacks_too_large")
UNREADABLE = Reason("file_unreadable")
TOO_LARGE = Reason("too_much_text")
EMPTY = Reason("no_text_in_file")
EMPTY_PAGES = (
    "This PDF has no text that can be indexed: its pages are empty or damaged. Export it again"
    " and upload the new file."
)
STRANGE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0041]"
)
UNPACKED = Reason("damaged_in_archive")
OVERLAPS = Reason("archive_overlaps")
NO_MESSAGE = (
    "This is not an e-mail: it has no sender or recipient. Save it again in the e-mail program."
)
PROTECTED = "is protected with a password. Remove the protection and upload it again."

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("inline_worker")]


def upload(client: APIClient, content: bytes, filename: str):
    return client.post(URL, {"file": SimpleUploadedFile(filename, content)}, format="multipart")


def upload_raw(client: APIClient, file: HostileFile):
    """The name goes into the header as it is, as no client's library would send it."""
    head = f'Content-Disposition: form-data; name="file"; filename="{file.filename}"'
    body = f"--xyz\r\n{head}\r\n\r\n".encode() + file.makes() + b"\r\n--xyz--\r\n"
    return client.generic("POST", URL, body.decode(), "multipart/form-data; boundary=xyz")


def error_of(response) -> tuple[int, str, str]:
    error = response.json()["error"]
    return response.status_code, error["code"], error["message"]


def nothing_read(name: str, reason: Reason | str) -> str:
    return str(Reason("nothing_read_in_file", name=name, reason=as_reason(reason)))


def nothing_but(warning: Reason) -> str:
    return f"{EMPTY} {warning}"


def assert_nothing_is_left(tenant: Tenant, stored_files: Path) -> None:
    assert not Source.objects.for_tenant(tenant).exists()
    assert files_below(stored_files) == []


# --- Refused, with what to do ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("DOCX, 5,000 tables in each other", DAMAGED),
        ("DOCX, entity bomb", DAMAGED),
        ("DOCX, external entity", DAMAGED),
        ("DOCX, 100 MB that its directory hides", DAMAGED),
        ("DOCX, 25 GB of overlapping members", BOMB),
        ("DOCX, truncated", DAMAGED),
        ("DOCX, encrypted", f"This document {PROTECTED}"),
        ("DOCX without text", EMPTY),
        ("XLSX, truncated", DAMAGED),
        ("XLSX, encrypted", f"This workbook {PROTECTED}"),
        ("PPTX, 20,000 slides", BOMB),
        ("ZIP, 65,535 empty members", nothing_read("vacios.zip / 0.txt", Reason("file_empty"))),
        ("ZIP, 100 MB that its directory hides", nothing_read("miente.zip / a.txt", UNPACKED)),
        ("ZIP, 25 GB of overlapping members", OVERLAPS),
        ("ZIP, encrypted", nothing_read("clave.zip / a.txt", f"It {PROTECTED}")),
        ("ZIP, truncated", DAMAGED),
        ("ZIP of nothing", Reason("nothing_inside")),
        ("EML without a header", NO_MESSAGE),
        ("MSG, tables of 2 TB", DAMAGED),
        ("MSG, truncated", DAMAGED),
        ("PDF, pages in a circle", EMPTY_PAGES),
        ("PDF, truncated", EMPTY_PAGES),
        ("PDF, encrypted", f"This PDF {PROTECTED}"),
        ("PDF without text", EMPTY_PAGES),
        ("CSV, white space only", EMPTY),
        ("Markdown, 10 MB of quotes", EMPTY),
        ("ODT, 5,000 sections in each other", DAMAGED),
        ("ODT, entity bomb", DAMAGED),
        ("ODT, truncated", DAMAGED),
        ("ODT without text", EMPTY),
        ("ODP, a million slides", TOO_LARGE),
        (
            "EPUB, 100,000 elements in each other",
            nothing_but(Reason("book_parts_lost", places=Reason("places_part", numbers="1"))),
        ),
        ("XML, entity bomb", nothing_but(Reason("xml_damaged_from_line", line=1))),
        ("XML, entity bomb, UTF-16", nothing_but(Reason("xml_damaged_from_line", line=1))),
        ("XML, external entity", EMPTY),
        ("XML, wide and deep", NESTED_TOO_DEEPLY),
        ("JSON, 48 MB of [", NESTED_TOO_DEEPLY),
        ("DOC, truncated", DAMAGED),
        ("DOC, pieces out of reach", DAMAGED),
        ("XLS, encrypted", f"This workbook {PROTECTED}"),
        ("PPT, one slide shown 9,000 times", TOO_LARGE),
        ("PPT, a directory without end", EMPTY),
    ],
)
def test_file_at_fault_is_refused_with_a_reason_and_leaves_nothing(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, title: str, message: Reason | str
):
    file = FILES[title]

    response = upload(admin_api, file.makes(), file.filename)

    assert error_of(response) == (422, "FILE_PROCESSING_FAILED", str(message))
    assert_nothing_is_left(tenant, stored_files)


@pytest.mark.parametrize(
    ("title", "message"),
    [
        (
            "ZIP in ZIP, six deep, named DOCX",
            Reason("file_ending_contradicts", ending=".docx", kind="ZIP"),
        ),
        ("ZIP named DOCX", Reason("file_ending_contradicts", ending=".docx", kind="ZIP")),
        ("PDF named DOCX", Reason("file_ending_contradicts", ending=".docx", kind="PDF")),
        ("HTML named PDF", Reason("file_ending_contradicts", ending=".pdf", kind="HTML")),
        ("EXE named TXT", "This is a program. Supported types:"),
        ("TXT of 0x00", "The type of this file is unknown. Supported types:"),
        ("TXT, strange characters", "The type of this file is unknown. Supported types:"),
    ],
)
def test_mislabelled_file_is_refused_unread_and_leaves_nothing(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, title: str, message: Reason | str
):
    file = FILES[title]

    status, code, told = error_of(upload(admin_api, file.makes(), file.filename))

    assert (status, code) == (400, "UNSUPPORTED_FILE_TYPE")
    assert told.startswith(str(message))
    assert_nothing_is_left(tenant, stored_files)


@pytest.mark.parametrize("extension", READ_BY_OUR_CODE)
def test_empty_file_is_called_empty(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, extension: str
):
    response = upload(admin_api, b"", f"nada{extension}")

    assert error_of(response) == (422, "FILE_PROCESSING_FAILED", str(Reason("file_empty")))
    assert_nothing_is_left(tenant, stored_files)


@pytest.mark.parametrize("content_type", CONTENT_TYPES)
def test_empty_file_of_every_type_is_what_its_name_says(content_type: str):
    for extension in CONTENT_TYPES[content_type].extensions:
        assert detect_content_type(b"", b"", f"nada{extension}") == content_type


def test_line_that_never_ends_is_refused_before_it_is_cut(admin_api: APIClient):
    line = b"uno,dos," * (LINE_MAX_CHARS // 8 + 1)
    assert error_of(upload(admin_api, line, "linea.csv")) == (
        422,
        "FILE_PROCESSING_FAILED",
        str(Reason("csv_line_too_long")),
    )


def test_list_of_slides_without_end_is_refused(admin_api: APIClient):
    """It may name one slide again and again."""
    deck = archives.presentation(1, SLIDES_MAX + 1)
    assert error_of(upload(admin_api, deck, "bucle.pptx")) == (
        422,
        "FILE_PROCESSING_FAILED",
        str(TOO_LARGE),
    )


@pytest.mark.parametrize(
    "title",
    ["ZIP, names that lead out of it", "EML, attachments that lie", "MSG, RTF of 4 GB by LZFu"],
)
def test_what_is_readable_of_a_hostile_container_is_read(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, title: str
):
    file = FILES[title]

    response = upload(admin_api, file.makes(), file.filename)

    source = Source.objects.for_tenant(tenant).get()
    assert response.json()["sync_status"] == "synced"
    assert files_below(stored_files) == [f"{tenant.pk}/{source.pk}/original"]


# --- Strange, but readable ------------------------------------------------------------------------


def chunks_of(tenant: Tenant) -> list[str]:
    return [chunk.text for chunk in Chunk.objects.for_tenant(tenant).order_by("position")]


@pytest.mark.parametrize(
    "title",
    [
        "PDF, one page that says it is 2 thousand million",
        "PDF, text on a page of 10^6 × 10^6 points",
    ],
)
def test_what_a_pdf_says_of_itself_does_not_keep_its_text_from_being_read(
    admin_api: APIClient, tenant: Tenant, title: str
):
    upload(admin_api, FILES[title].makes(), "a.pdf")
    assert chunks_of(tenant) == ["Los pedidos se entregan en dos dias."]


@pytest.mark.parametrize(
    ("title", "chunks"),
    [
        ("ODT, spans without end", 51),
        ("ODS, 17 thousand million cells", 100),
        ("EPUB, a chapter named a million times", 1),
    ],
)
def test_what_is_told_again_and_again_is_read_a_bounded_number_of_times(
    admin_api: APIClient, tenant: Tenant, title: str, chunks: int
):
    file = FILES[title]
    upload(admin_api, file.makes(), file.filename)
    assert 0 < len(chunks_of(tenant)) <= chunks


@pytest.mark.parametrize("title", ["XLSX, one cell far away", "CSV, 100,000 columns"])
def test_what_stands_beyond_the_columns_of_any_table_is_left_out_and_told(
    admin_api: APIClient, tenant: Tenant, title: str
):
    file = FILES[title]
    response = upload(admin_api, file.makes(), file.filename)
    source = Source.objects.for_tenant(tenant).get()
    [warning] = admin_api.get(f"/ingest/sources/{source.pk}/status").json()["details"]["warnings"]
    assert response.json()["sync_status"] == "synced"
    assert "beyond column 2,000" in str(warning)


def test_number_format_of_megabytes_is_not_written_beside_its_number(
    admin_api: APIClient, tenant: Tenant
):
    upload(admin_api, FILES["XLSX, number format of 4 MB"].makes(), "formato.xlsx")
    assert chunks_of(tenant) == ["$1"]


def test_strange_characters_do_not_reach_the_chunks(admin_api: APIClient, tenant: Tenant):
    file = FILES["TXT, strange characters, no NUL"]

    response = upload(admin_api, file.makes(), file.filename)

    text = "\n".join(chunks_of(tenant))
    assert response.json()["sync_status"] == "synced"
    assert "Hola mundo 👩🔧" in text
    assert "é" in text
    assert not STRANGE.search(text)


@pytest.mark.timeout(30)  # tried in every way, these lines would take until the end of the world
@pytest.mark.parametrize(
    ("line", "line_end"), [("- : x", "\n"), ("  x", "\n"), ("- punto", "\r\n")]
)
def test_settings_of_a_markdown_file_that_never_end_are_text(
    admin_api: APIClient, tenant: Tenant, line: str, line_end: str
):
    content = line_end.join(["---", *[line] * 200, "fin"])

    upload(admin_api, content.encode(), "ajustes.md")

    assert chunks_of(tenant)[-1].endswith("fin")


@pytest.mark.timeout(30)
@pytest.mark.parametrize("word", ["a" * 500_000, "漢字" * 250_000, "a1" * 250_000])
def test_text_without_spaces_is_cut_into_words_in_time(word: str):
    assert tokenize(word) == [word]


def test_text_of_a_file_without_spaces_is_indexed(admin_api: APIClient, tenant: Tenant):
    signs = "".join(map(chr, range(0x4E00, 0x4E00 + 10_000)))
    upload(admin_api, make_docx(paragraph(signs)), "漢字.docx")
    assert "".join(chunks_of(tenant)) == signs


# --- Small, and made to take long -----------------------------------------------------------------

SECONDS = Limits(memory_bytes=1536 * MEGABYTE, cpu_seconds=8, wall_seconds=30)
LONG = 400_000


def book_of(text: str) -> bytes:
    return make_epub({"one.xhtml": chapter("<p>Uno</p>"), "two.xhtml": text})


def slides_that_say_everything_twice() -> bytes:
    """In the list of slides, and on the slide, in other words."""
    listed, shown = (
        [old_office_text(f"{word} {number}", 4) for number in range(20_000)]
        for word in ("uno", "dos")
    )
    return make_ppt([(b"".join(listed), b"".join(map(text_box, shown)))])


@pytest.mark.parametrize(
    ("content_type", "make"),
    [
        (
            EML,
            lambda: b'From: a@b.es\r\nContent-Type: text/plain; a="' + b";" * LONG + b"\r\n\r\nUno",
        ),
        (EPUB, lambda: book_of("<!DOCTYPE" + "a" * LONG)),
        (EPUB, lambda: book_of("<!DOCTYPE[" * (LONG // 10))),
        (EPUB, lambda: book_of("<p>&malo</p><" + "a-" * LONG)),
        (MARKDOWN, lambda: b"Uno\n\n<!A\n" + b"<!" * LONG),
        (MARKDOWN, lambda: b"---\nuno: dos\n" + b" " * LONG),
        (MARKDOWN, lambda: b"---\n- " + b"a" * LONG + b"\n---\nUno"),
        (XML, lambda: b"<document>%s</document>" % (b"<row><td>1</td></row>" * (LONG // 8))),
        (PPT, slides_that_say_everything_twice),
    ],
)
def test_small_file_is_read_in_seconds(
    tmp_path: Path, content_type: str, make: Callable[[], bytes]
):
    path = tmp_path / "stored"
    path.write_bytes(make())
    assert extract_document(
        path, read_request(content_type=content_type, title="x", limits=SECONDS)
    ).blocks


def test_attributes_without_end_are_refused_in_time(tmp_path: Path):
    path = tmp_path / "stored"
    attributes = " ".join(f'a{number}="1"' for number in range(200_000))
    path.write_text(f"<sheet {attributes}/>")
    with pytest.raises(FileProcessingFailed, match="too much text"):
        extract_document(path, read_request(content_type=XML, title="x", limits=SECONDS))


def test_levels_of_categories_without_end_are_read_in_time():
    level = b'<lvl><pt idx="0"><v>a</v></pt></lvl>'
    points = b"".join(b'<pt idx="%d"><v>b</v></pt>' % number for number in range(5000))
    categories = etree.fromstring(b"<cat><lvl>" + points + b"</lvl>" + level * 5000 + b"</cat>")

    found = points_of(categories)

    assert found[4999] == " ".join(["a"] * (LEVELS_MAX - 1) + ["b"])


# --- Names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Name that is a path", "passwd.txt"),
        ("Name of 300 characters", "n" * 200),
        ("Name with quotes and a semicolon", 'a"; name="x.txt'),
        ("Name turned around", "preciosfdp.txt"),
        ("Name with line ends", '"a'),
        ("Name that is markup", "script>.txt"),
    ],
)
def test_name_of_a_file_is_text_and_nothing_else(
    admin_api: APIClient, tenant: Tenant, stored_files: Path, title: str, name: str
):
    response = upload_raw(admin_api, FILES[title])

    source = Source.objects.for_tenant(tenant).get()
    assert (response.status_code, response.json()["name"]) == (201, name)
    assert files_below(stored_files) == [f"{tenant.pk}/{source.pk}/original"]
