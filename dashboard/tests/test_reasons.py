"""What the pipeline keeps in English is known where it is translated."""

from types import ModuleType

import pytest
from django.utils import translation

from config.http import addresses, connections
from connectors.google_drive import problems as google_drive
from connectors.web import crawl, pages, preflight, problems
from dashboard.account_reasons import ACCOUNT_REASONS
from dashboard.reasons import PATTERNS, REASONS, reason_in_words
from reading import cutting, extract
from reading.errors import FileTypeRefused
from reading.extractors.audio import recording, sound
from reading.extractors.books import epub
from reading.extractors.containers import eml, msg, taking, zip_archive
from reading.extractors.data import json_records, values, xml_file
from reading.extractors.html import document as html_document
from reading.extractors.html import source
from reading.extractors.images import image
from reading.extractors.interface import protected
from reading.extractors.legacy import lines, ppt_records, tree
from reading.extractors.office import docx, package, pptx, xlsx
from reading.extractors.opendocument import package as open_document
from reading.extractors.pdf import document
from reading.extractors.text import csv_rows
from reading.file_types import OTHER_MAGICS, detect_content_type
from sources import errors
from sources.connectors import files, interface, remote
from sources.errors import SignInExpired, SignInFailed, SyncFailed
from sources.oauth import tokens
from sources.services import checking
from sources.services import connections as connecting
from sources.syncing import changes, plan_passages, storable
from sources.syncing.sync import CAUSES

MODULES = [
    addresses,
    changes,
    connecting,
    connections,
    crawl,
    csv_rows,
    cutting,
    document,
    docx,
    eml,
    epub,
    extract,
    files,
    google_drive,
    html_document,
    image,
    interface,
    msg,
    json_records,
    lines,
    open_document,
    package,
    pages,
    plan_passages,
    ppt_records,
    pptx,
    preflight,
    problems,
    recording,
    remote,
    sound,
    source,
    storable,
    taking,
    tokens,
    tree,
    xlsx,
    zip_archive,
    values,
    xml_file,
]
FILLED_IN = {
    "status": "503",
    "limit": "25",
    "line": "7",
    "kind": "application/json",
    "url": "https://a/",
    "reason": "It is away.",
    "places": "Page 3, 5–7",
    "names": "prices.xlsx",
    "name": "archive.zip / a.txt",
    "count": "7",
    "parts": "10,000",
    "depth": "50",
}


def texts_of(module: ModuleType) -> list[str]:
    return [
        text.format(**FILLED_IN)
        for name, text in vars(module).items()
        if name.isupper() and isinstance(text, str) and text.endswith(".")
    ]


def is_known(text: str) -> bool:
    return any(pattern.fullmatch(text) for _, pattern in PATTERNS)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_what_a_module_says_is_known(module: ModuleType) -> None:
    texts = texts_of(module)

    assert texts
    assert [text for text in texts if not is_known(text)] == []


def test_what_a_sync_ends_with_is_known() -> None:
    kinds = [*SyncFailed.__subclasses__(), errors.FileProcessingFailed, SignInExpired, SignInFailed]
    own = [kind.default_message for kind in kinds if "default_message" in vars(kind)]
    ours = [
        f"{cause} because of a problem on our side. Sync the source to try again."
        for cause in (*CAUSES.values(), "The source could not be indexed")
    ]
    others = [*problems.REFUSALS.values(), protected("PDF").message, checking.TOO_SLOW]

    assert [text for text in (*own, *ours, *others) if not is_known(text)] == []


@pytest.mark.parametrize(
    ("content", "name"),
    [(magic, "a.bin") for magic, _ in OTHER_MAGICS]
    + [(b"\0\1\2\3", "a"), (b"Hola", "a.exe"), (b"%PDF-1.7", "a.txt"), (b"Hola", "a.pdf")],
)
def test_why_a_kind_is_not_read_is_known(content: bytes, name: str) -> None:
    """In an archive that is a reason of a document."""
    with pytest.raises(FileTypeRefused) as caught:
        detect_content_type(content + b"\0" * 9 * name.endswith(".bin"), b"", name)

    assert is_known(caught.value.message)


@pytest.mark.parametrize(
    "text",
    [
        "The website answers with an error (HTTP 503). Try again later.",
        "12 of 40 pages had text. 3 of 40 pages were read by OCR.",
        "The website stopped answering: a.example does not answer. Pages that were not read again"
        " stay as they were.",
        "This file is empty. And something nobody has foreseen.",
        "Nobody has foreseen this 100% at all.",
        "",
        "x" * 5000,
    ],
)
def test_in_english_a_reason_stays_what_it_is(text: str) -> None:
    with translation.override("en"):
        assert reason_in_words(text) == text


def test_places_are_told_in_the_language_of_the_page() -> None:
    with translation.override("es"):
        told = reason_in_words("Page 3, 5–7: read only in part, because it is damaged.")
    assert told == "Página 3, 5–7: leído solo en parte, porque está dañado."


def test_what_is_filled_in_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dashboard.reasons._", lambda reason: f"<{reason}>")

    words = reason_in_words(
        "The website stopped answering: a.example does not answer. Pages that were not read again"
        " stay as they were. 5 documents were read: the next sync goes on from there."
    )

    assert words == (
        "<The website stopped answering: <a.example does not answer.> Pages that were not read"
        " again stay as they were.> <5 documents were read: the next sync goes on from there.>"
    )


def test_no_reason_stands_there_twice() -> None:
    reasons = (*REASONS, *ACCOUNT_REASONS)

    assert len(set(reasons)) == len(reasons)
