"""PDF, page by page: text as it stands there, scanned pages through OCR where that is set up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pypdfium2

from sources.reading.confinement.limits import begin_step
from sources.reading.errors import UnreadableFile
from sources.reading.extractors.images import recognition
from sources.reading.extractors.interface import DAMAGED, Extraction, protected
from sources.reading.extractors.pdf.layout import read_lines
from sources.reading.extractors.pdf.pages import Page, read_document
from sources.reading.extractors.pdf.scans import is_scan, letters, recognise_page
from sources.reading.extractors.prose import has_content

prepare = recognition.prepare

PAGES_MAX = 5_000  # 10 to 20 ms each
SCANS_MAX = 500  # at 1 to 3 seconds each: what `ocr.LIMITS` has time for
NO_TEXT = (
    "No text was found in this PDF, although text recognition (OCR) was tried. If its pages show "
    "text, scan them again, sharper or larger, and upload the new file."
)
NO_OCR = (
    "This PDF has no text: it looks like a scan, and text recognition (OCR) is not configured on "
    "this server. Its operator can install Tesseract's language data (on Debian: tesseract-ocr-eng "
    "and tesseract-ocr-spa). Or run the file through a program that recognises text and upload the "
    "result."
)
SCANS_LEFT_OUT = (
    "Scanned pages were left out: text recognition (OCR) is not configured on this server."
)
TOO_MANY_SCANS = (
    f"This PDF has more than {SCANS_MAX:,} scanned pages. Split it into several files and upload "
    "them one by one."
)
EMPTY_PAGES = (
    "This PDF has no text that can be indexed: its pages are empty or damaged. Export it again and "
    "upload the new file."
)
TOO_MANY_PAGES = (
    f"This PDF has more than {PAGES_MAX:,} pages. Split it into several files and upload them one "
    "by one."
)


@dataclass(frozen=True)
class LoadedPage:
    """`is_scan`: it shows more text than it has. `is_recognised`: its text was read by OCR."""

    page: Page
    is_scan: bool = False
    is_recognised: bool = False


def extract(data: bytes) -> Extraction:
    document = open_document(data)
    if len(document) > PAGES_MAX:
        raise UnreadableFile(TOO_MANY_PAGES)
    loaded = [load_page(document, number) for number in range(1, len(document) + 1)]
    if recognition.is_ready():
        loaded = recognise_scans(document, loaded)
    pages = [each.page for each in loaded]
    if not any(page.lines for page in pages):
        raise UnreadableFile(why_empty(loaded))
    recognised = {f"page {each.page.number}" for each in loaded if each.is_recognised}
    blocks = (
        replace(block, is_recognised=block.location in recognised) for block in read_document(pages)
    )
    return Extraction(blocks, warnings=warnings_of(loaded), pages=len(loaded))


def open_document(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise protected("PDF") from error
        raise UnreadableFile(DAMAGED) from error


def load_page(document: pypdfium2.PdfDocument, number: int) -> LoadedPage:
    """No lines for a page that is broken: the others are still worth reading."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return LoadedPage(Page(number, ()))
    try:
        found = read_lines(page)
        lines = tuple(line for line in found if has_content(line.text))
        return LoadedPage(Page(number, lines), is_scan=is_scan(page, found))
    finally:
        page.close()


def recognise_scans(
    document: pypdfium2.PdfDocument, loaded: Sequence[LoadedPage]
) -> list[LoadedPage]:
    if sum(each.is_scan for each in loaded) > SCANS_MAX:
        raise UnreadableFile(TOO_MANY_SCANS)
    recognised = [recognise_scan(document, each) if each.is_scan else each for each in loaded]
    begin_step()
    return recognised


def recognise_scan(document: pypdfium2.PdfDocument, loaded: LoadedPage) -> LoadedPage:
    begin_step()
    page = document[loaded.page.number - 1]
    try:
        lines = recognise_page(page)
    finally:
        page.close()
    if letters(lines) <= letters(loaded.page.lines):
        return loaded
    return replace(loaded, page=Page(loaded.page.number, tuple(lines)), is_recognised=True)


def why_empty(loaded: Sequence[LoadedPage]) -> str:
    if not any(each.is_scan for each in loaded):
        return EMPTY_PAGES
    return NO_TEXT if recognition.is_ready() else NO_OCR


def warnings_of(loaded: Sequence[LoadedPage]) -> list[str]:
    if not recognition.is_ready() and any(each.is_scan for each in loaded):
        return [SCANS_LEFT_OUT]
    return []
