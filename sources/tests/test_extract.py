"""Reading a stored file: what comes out, and what a person is told when nothing can."""

import io
import logging
import signal
from dataclasses import replace
from pathlib import Path

import pytest
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from reading import extract
from reading.confinement.messages import EXIT_UNCONFINED, JobReport, JobResult
from reading.confinement.sandbox import DEFAULT_LIMITS, Reading
from reading.errors import UnreadableFile
from reading.extract import check_reading
from reading.file_types import (
    CSV,
    DOCX,
    EPUB,
    HTML,
    JSON,
    MARKDOWN,
    ODP,
    ODS,
    ODT,
    PDF,
    PLAIN_TEXT,
    XLSX,
    XML,
)
from reading.passages import Block, ChunkLevel, Coverage, ExtractedDocument
from reading.tests.books import chapter, make_epub
from reading.tests.office_files import STYLES, heading, make_docx, make_package, paragraph
from reading.tests.open_documents import framed, make_odf, p, row, table
from reasons import Reason, join_reasons
from sources.documents import extract_document, read_request, service_errors
from sources.errors import ExtractionUnavailable, FileProcessingFailed

SHAPE = framed(f"<draw:text-box>{p('Hola.')}</draw:text-box>")
COMPLETE = JobResult(blocks=(Block("Hola."),), is_complete=True)
ENDED_WELL = JobReport(status=0, timed_out=False, cpu_seconds=0.1, peak_bytes=10_000_000)


def read(content: bytes, content_type: str, tmp_path: Path) -> ExtractedDocument:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return extract_document(path, read_request(content_type=content_type, title="Guía"))


def failure(content: bytes, content_type: str, tmp_path: Path) -> Reason:
    with pytest.raises(FileProcessingFailed) as caught:
        read(content, content_type, tmp_path)
    assert (caught.value.status, caught.value.code) == (422, "FILE_PROCESSING_FAILED")
    return caught.value.reason


def protected_pdf() -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption("secret", ownerPassword="o"))
    canvas.drawString(100, 100, "secreto")
    canvas.save()
    return buffer.getvalue()


def test_document_has_its_title_level_and_blocks(tmp_path: Path):
    content = make_docx(heading("Plazos") + paragraph("Treinta días."), styles=STYLES)
    assert read(content, DOCX, tmp_path) == ExtractedDocument(
        title="Guía",
        blocks=(
            Block("Plazos", "section Plazos", "Plazos", is_heading=True),
            Block("Treinta días.", "section Plazos", "Plazos"),
        ),
        level=ChunkLevel.SECTION,
        coverage=Coverage(words=3),
    )


@pytest.mark.parametrize(
    ("content", "content_type", "text"),
    [
        ("Año nuevo.".encode("latin-1"), PLAIN_TEXT, "Año nuevo."),
        (b"# A\n\n*texto*", MARKDOWN, "texto"),
        (b"a;b;c\n1;2;3\n", CSV, "a: 1; b: 2; c: 3"),
        (make_odf("text", p("Hola.")), ODT, "Hola."),
        (make_odf("spreadsheet", table(row("a", "b", "c"), row(*"123"))), ODS, "a: 1; b: 2; c: 3"),
        (make_odf("presentation", f"<draw:page>{SHAPE}</draw:page>"), ODP, "Hola."),
        (make_epub({"a.xhtml": chapter("<p>Hola.</p>")}), EPUB, "Hola."),
        (b"<a><b>1</b><c>2</c></a>", XML, "c: 2"),
        (b'[{"a": 1, "b": 2}]', JSON, "a: 1; b: 2"),
    ],
)
def test_texts_are_read(content: bytes, content_type: str, text: str, tmp_path: Path):
    assert read(content, content_type, tmp_path).blocks[-1].text == text


def test_empty_file(tmp_path: Path):
    assert failure(b"", PLAIN_TEXT, tmp_path) == Reason("file_empty")


def test_file_without_text(tmp_path: Path):
    message = Reason("no_text_in_file")
    assert failure(b" \n---\n", PLAIN_TEXT, tmp_path) == message
    assert failure(make_docx("<w:p/>"), DOCX, tmp_path) == message


def test_file_without_text_says_why_it_has_none(tmp_path: Path):
    page = f"<p hidden>{'Nobody sees this. ' * 9}</p>".encode()
    assert failure(page, HTML, tmp_path) == (
        join_reasons(Reason("no_text_in_file"), Reason("hidden_parts_left_out"))
    )


def test_protected_file(tmp_path: Path):
    assert failure(protected_pdf(), PDF, tmp_path) == (Reason("file_protected", kind="PDF"))


@pytest.mark.parametrize("content_type", [PDF, DOCX, XLSX])
def test_damaged_file(content_type: str, tmp_path: Path):
    assert failure(b"%PDF-1.7\nPK\x03\x04 and nothing else", content_type, tmp_path) == (
        Reason("file_damaged")
    )


def test_spreadsheet_that_claims_more_room_than_there_is(tmp_path: Path):
    """One cell at the far corner: allocating the whole sheet would end the process."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relationship = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    content = make_package(
        "xl/workbook.xml",
        {
            "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{relationship}"><sheets>'
            '<sheet name="Datos" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org'
            f'/package/2006/relationships"><Relationship Id="rId1" Type="{relationship}/worksheet"'
            ' Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>'
            '<row r="1"><c r="A1"><v>1</v></c></row>'
            '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>',
        },
    )
    path = tmp_path / "stored"
    path.write_bytes(content)
    document = extract_document(path, read_request(content_type=XLSX, title="x"))
    assert [block.text for block in document.blocks] == ["1"]
    [warning] = document.warnings
    assert warning == Reason("far_cells_left_out", limit=2000, count=1, names="Datos")


def test_memory_limit_reads_as_too_much_text(tmp_path: Path):
    path = tmp_path / "stored"
    path.write_bytes(b"palabra " * 4_000_000)
    limits = replace(DEFAULT_LIMITS, memory_bytes=20_000_000)
    with pytest.raises(FileProcessingFailed, match="contains too much text. Split it"):
        extract_document(path, read_request(content_type=PLAIN_TEXT, title="x", limits=limits))


# --- What the end of the process means ------------------------------------------------------------


def test_complete_reading_passes():
    check_reading(Reading(COMPLETE, ENDED_WELL))


@pytest.mark.parametrize(
    "report",
    [
        replace(ENDED_WELL, status=-signal.SIGKILL, timed_out=True),
        replace(ENDED_WELL, status=-signal.SIGXCPU),
        replace(ENDED_WELL, status=-signal.SIGPROF),
    ],
)
def test_limit_of_time_reads_as_too_slow(report: JobReport):
    with pytest.raises(UnreadableFile, match="takes too long to read. Split it"):
        check_reading(Reading(JobResult(), report))


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (JobResult(), -signal.SIGABRT),
        (JobResult(), -signal.SIGSEGV),
        (JobResult(), -signal.SIGKILL),
        (JobResult(), 0),
        (replace(COMPLETE, is_complete=False), 0),
        (JobResult(failure="KeyError: 'x' (docx.py:1)", is_complete=True), 0),
    ],
)
def test_crash_reads_as_a_file_that_could_not_be_read(result: JobResult, status: int):
    with pytest.raises(UnreadableFile, match="This file could not be read:"):
        check_reading(Reading(result, replace(ENDED_WELL, status=status)))


def test_process_that_could_not_be_confined_is_our_fault():
    with pytest.raises(ExtractionUnavailable) as caught, service_errors():
        check_reading(Reading(JobResult(), replace(ENDED_WELL, status=EXIT_UNCONFINED)))
    assert (caught.value.status, caught.value.retryable) == (503, True)


def test_bug_of_an_extractor_is_in_our_log(caplog):
    result = JobResult(failure="KeyError: 'x' (docx.py:1)", is_complete=True)
    with caplog.at_level(logging.INFO):
        extract.log_reading(Reading(result, ENDED_WELL), "docx")
    assert caplog.records[0].levelname == "WARNING"
    assert caplog.messages == [
        "Read a file (docx): status 0, 0.10 s CPU, 10 MB, 0 blocks. KeyError: 'x' (docx.py:1)"
    ]
