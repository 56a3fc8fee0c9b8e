"""PDF, page by page: text as it stands there, scanned pages through OCR where that is set up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import pypdfium2
import pypdfium2.raw as pdfium

from reading.confinement.limits import begin_step
from reading.errors import UnreadableFile
from reading.extractors.images import recognition
from reading.extractors.interface import DAMAGED, Extraction, list_places, protected
from reading.extractors.pdf.additions import embedded_files, read_additions
from reading.extractors.pdf.edges import find_rule
from reading.extractors.pdf.layout import Line, read_page
from reading.extractors.pdf.pages import FAULTS, Page, read_document
from reading.extractors.pdf.repair import repairs
from reading.extractors.pdf.scans import (
    PICTURE_MIN_SHARE,
    Verdict,
    compare,
    is_doubtful,
    is_scan,
    pictures_share,
    recognise_page,
)
from reading.extractors.prose import has_content
from reading.passages import Block
from reasons import Reason

prepare = recognition.prepare

PAGES_MAX = 5_000  # 10 to 20 ms each
SLANTED_MIN_WORDS = 15  # of a page: fewer are a stamp, or a name across it
SCANS_MAX = 500  # at 1 to 3 seconds each: what `ocr.LIMITS` has time for
NO_TEXT = Reason("no_text_in_scan")
NO_OCR = Reason("scan_without_ocr")
INCOMPLETE = Reason("pdf_damaged")
XFA_LEFT_OUT = Reason("xfa_form_left_out")
TOO_MANY_SCANS = Reason("pdf_too_many_scanned_pages", limit=SCANS_MAX)
EMPTY_PAGES = Reason("no_text_in_pdf")
TOO_MANY_PAGES = Reason("pdf_too_many_pages", limit=PAGES_MAX)


@dataclass(frozen=True)
class LoadedPage:
    """`is_scan`: it shows more text than it has. `is_doubtful`: what it has may be gibberish.
    `is_recognised`: its text was read by OCR; `is_picture`: OCR has found no text in what fills it.
    `is_slanted`: much of it runs neither upright nor sideways.
    """

    page: Page
    is_scan: bool = False
    is_doubtful: bool = False
    is_recognised: bool = False
    is_picture: bool = False
    is_damaged: bool = False
    is_cut: bool = False
    is_slanted: bool = False

    @property
    def number(self) -> int:
        return self.page.number

    @property
    def is_empty(self) -> bool:
        return not (self.page.lines or self.page.turned or self.page.additions)


def extract(data: bytes) -> Extraction:
    document, is_repaired = open_document(data)
    if len(document) > PAGES_MAX:
        raise UnreadableFile(TOO_MANY_PAGES)
    loaded = load_pages(document)
    if recognition.is_ready():
        loaded = recognise_scans(document, loaded)
    if all(each.is_empty for each in loaded):
        raise UnreadableFile(why_empty(document, loaded))
    recognised = {f"page {each.number}" for each in loaded if each.is_recognised}
    return Extraction(
        blocks=mark_recognised(read_document([each.page for each in loaded]), recognised),
        warnings=[
            *([INCOMPLETE] if is_repaired else []),
            *warnings_of_pages(loaded),
            *warnings_of_file(document),
        ],
        pages=len(loaded),
    )


def mark_recognised(blocks: Iterator[Block], locations: set[str]) -> Iterator[Block]:
    return (replace(block, is_recognised=block.location in locations) for block in blocks)


def open_document(data: bytes) -> tuple[pypdfium2.PdfDocument, bool]:
    """The document, and whether it had to be repaired, so that pages may be missing."""
    try:
        return pypdfium2.PdfDocument(data), False
    except pypdfium2.PdfiumError as error:
        if any(word in str(error).lower() for word in ("password", "security")):
            raise protected("PDF") from error
        # Other programs repair silently: a customer does not know that the file is damaged
        for attempt, repaired in enumerate(repairs(data, pages_max=PAGES_MAX)):
            try:
                return pypdfium2.PdfDocument(repaired), attempt > 0
            except pypdfium2.PdfiumError:
                continue
        raise UnreadableFile(DAMAGED) from error


def load_pages(document: pypdfium2.PdfDocument) -> list[LoadedPage]:
    document.init_forms()  # before any page is loaded
    return [load_page(document, number) for number in range(1, len(document) + 1)]


def load_page(document: pypdfium2.PdfDocument, number: int) -> LoadedPage:
    """A loaded page. A broken one costs only itself: the others are still worth reading."""
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError:
        return LoadedPage(Page(number, ()), is_damaged=True)
    try:
        # Fields and stamps first: drawn into the page, they could not be told from its text
        additions = read_additions(document, page)
        if additions.has_stamps and draw_stamps(page):
            page.close()
            page = document[number - 1]
        text = read_page(page)
        lines = with_content(text.lines)
        return LoadedPage(
            Page(
                number,
                lines,
                additions.texts,
                rule=find_rule(lines, text.drawn),
                turned=tuple(filter(None, map(with_content, text.turned))),
            ),
            is_scan=is_scan(page, text.all_lines),
            is_doubtful=is_doubtful(text),
            is_cut=not (text.is_whole and additions.is_whole),
            is_slanted=text.slanted >= SLANTED_MIN_WORDS,
        )
    except FAULTS:
        return LoadedPage(Page(number, ()), is_damaged=True)
    finally:
        page.close()


def with_content(lines: Sequence[Line]) -> tuple[Line, ...]:
    return tuple(line for line in lines if has_content(line.text))


def draw_stamps(page: pypdfium2.PdfPage) -> bool:
    """Makes the stamps a part of the page, which shows them once it is loaded again."""
    return bool(pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY) == pdfium.FLATTEN_SUCCESS)


def recognise_scans(
    document: pypdfium2.PdfDocument, loaded: Sequence[LoadedPage]
) -> list[LoadedPage]:
    # Before the first is recognised: nobody waits for minutes to hear that there are too many
    if sum(each.is_scan or each.is_doubtful for each in loaded) > SCANS_MAX:
        raise UnreadableFile(TOO_MANY_SCANS)
    recognised = [
        recognise_scan(document, each) if each.is_scan or each.is_doubtful else each
        for each in loaded
    ]
    begin_step()
    return recognised


def recognise_scan(document: pypdfium2.PdfDocument, loaded: LoadedPage) -> LoadedPage:
    begin_step()
    page = document[loaded.number - 1]
    try:
        seen = recognise_page(page)
        is_picture = pictures_share(page) >= PICTURE_MIN_SHARE
    finally:
        page.close()
    match compare(seen, loaded.page.lines, is_doubtful=loaded.is_doubtful):
        case Verdict.SEEN:
            page_as_seen = replace(loaded.page, lines=tuple(seen), rule=None, turned=())
            return replace(loaded, page=page_as_seen, is_recognised=True, is_doubtful=False)
        case Verdict.TOLD:
            return replace(loaded, is_doubtful=False)
    return replace(loaded, is_picture=is_picture and loaded.is_empty)


def why_empty(document: pypdfium2.PdfDocument, loaded: Sequence[LoadedPage]) -> Reason:
    if document.get_formtype() == pdfium.FORMTYPE_XFA_FULL:
        return XFA_LEFT_OUT
    if not any(each.is_scan or each.is_doubtful for each in loaded):
        return EMPTY_PAGES
    return NO_TEXT if recognition.is_ready() else NO_OCR


def warnings_of_pages(loaded: Sequence[LoadedPage]) -> list[Reason]:
    are_scans_left_out = not recognition.is_ready()
    told = [
        ("pages_damaged", [each for each in loaded if each.is_damaged]),
        ("pages_too_full", [each for each in loaded if each.is_cut]),
        ("pages_at_a_slant", [each for each in loaded if each.is_slanted]),
        ("pages_without_ocr", [each for each in loaded if each.is_scan and are_scans_left_out]),
        ("picture_without_text", [each for each in loaded if each.is_picture]),
        ("pages_with_unclear_font", [each for each in loaded if each.is_doubtful]),
    ]
    return [
        Reason(code, places=list_places("page", (each.number for each in pages)))
        for code, pages in told
        if pages
    ]


def warnings_of_file(document: pypdfium2.PdfDocument) -> list[Reason]:
    warnings = []
    if names := embedded_files(document):
        warnings.append(Reason("embedded_files_left_out", names=", ".join(names)))
    if document.get_formtype() == pdfium.FORMTYPE_XFA_FULL:
        warnings.append(XFA_LEFT_OUT)
    return warnings
