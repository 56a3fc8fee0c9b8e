"""What is fetched of the documents that an account has, and what becomes of each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from config.http import TooLarge
from reading.passages import Block, ChunkLevel, Description, ExtractedDocument, ReadDocument
from reasons import Reason, as_reason
from sources.connectors.interface import Failed, Item, Unchanged
from sources.connectors.remote import (
    LOOK_AHEAD,
    DocumentRefused,
    Fetched,
    RemoteDocument,
    RemoteFile,
    read_documents,
)
from sources.errors import OriginUnavailable
from sources.tests.connectors.context import FakeRun


def document(name: str, version: str = "1", **over: object) -> RemoteDocument:
    told = Description(f"{name}.txt", etag=version, place=f"Shelf / {name}.txt")
    return RemoteDocument(name, told, **over)  # type: ignore[arg-type]


class Shelf:
    """Fetches texts, and counts."""

    def __init__(self, text: str = "A text about {name}.") -> None:
        self.text = text
        self.fetched: list[str] = []

    def fetch(self, wanted: RemoteDocument, folder: Path) -> Fetched:
        self.fetched.append(wanted.external_id)
        block = Block(self.text.format(name=wanted.external_id))
        return ExtractedDocument(wanted.description.title, (block,), ChunkLevel.PARAGRAPH)


def read(shelf: Shelf, *listed: RemoteDocument, run: FakeRun | None = None) -> list[Item]:
    return list(read_documents(listed, run or FakeRun(), shelf.fetch))


def test_what_is_new_is_read_with_its_place() -> None:
    [item] = read(Shelf(), document("rates"))
    assert isinstance(item, ReadDocument)
    assert (item.title, item.place, item.etag) == ("rates.txt", "Shelf / rates.txt", "1")
    assert [passage.text for passage in item.passages] == ["A text about rates."]


def test_what_has_its_version_is_not_fetched_and_may_have_moved() -> None:
    shelf, run = Shelf(), FakeRun()
    run = run.next(read(shelf, document("rates"), run=run))
    moved = RemoteDocument("rates", Description("rates.txt", etag="1", place="Attic / rates.txt"))

    assert read(shelf, moved, run=run) == [Unchanged("rates", moved.description)]
    assert shelf.fetched == ["rates"]


def test_a_new_version_with_the_same_text_is_no_change() -> None:
    shelf, run = Shelf(), FakeRun()
    run = run.next(read(shelf, document("rates"), run=run))
    saved_again = document("rates", version="2")

    assert read(shelf, saved_again, run=run) == [Unchanged("rates", saved_again.description)]
    assert shelf.fetched == ["rates", "rates"]


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (document("film", filename="film.mp4"), Reason("type_not_read")),
        (
            document("scan", size_bytes=60 * 2**20),
            Reason("too_large_by_size", limit="50", size="60"),
        ),
    ],
)
def test_what_cannot_be_read_is_not_fetched(wanted: RemoteDocument, reason: Reason) -> None:
    shelf = Shelf()
    failed = Failed(wanted.external_id, reason, title=wanted.description.place, etag="1")
    assert read(shelf, wanted) == [failed]
    assert shelf.fetched == []


def test_what_will_never_be_read_is_fetched_once_a_version() -> None:
    shelf, run = Shelf(), FakeRun()

    def refuse(wanted: RemoteDocument, folder: Path) -> Fetched:
        shelf.fetch(wanted, folder)
        raise DocumentRefused(as_reason("It is protected."), is_final=True)

    def items(version: str) -> list[Item]:
        return list(read_documents([document("rates", version)], run, refuse))

    run = run.next(items("1"))
    assert [type(item) for item in items("1")] == [Failed]
    assert shelf.fetched == ["rates"]
    items("2")
    assert shelf.fetched == ["rates", "rates"]


def test_what_failed_for_a_while_is_fetched_again() -> None:
    shelf, run = Shelf(), FakeRun()

    def refuse(wanted: RemoteDocument, folder: Path) -> Fetched:
        raise DocumentRefused(as_reason("It is locked at the moment."))

    run = run.next(read_documents([document("rates")], run, refuse))
    [item] = read(shelf, document("rates"), run=run)
    assert isinstance(item, ReadDocument)


def test_one_that_is_refused_leaves_the_others() -> None:
    shelf = Shelf()

    def fetch(wanted: RemoteDocument, folder: Path) -> Fetched:
        if wanted.external_id == "b":
            raise TooLarge(Reason("file_over_limit", limit=50))
        return shelf.fetch(wanted, folder)

    items = list(read_documents([document(name) for name in "abc"], FakeRun(), fetch))
    assert [type(item).__name__ for item in items] == ["ReadDocument", "Failed", "ReadDocument"]


def test_a_provider_that_goes_away_ends_the_reading() -> None:
    def fetch(wanted: RemoteDocument, folder: Path) -> Fetched:
        raise OriginUnavailable("Gone.")

    with pytest.raises(OriginUnavailable):
        list(read_documents([document("a"), document("b")], FakeRun(), fetch))


def test_a_file_is_read_as_what_its_bytes_are() -> None:
    def fetch(wanted: RemoteDocument, folder: Path) -> Fetched:
        path = folder / "body"
        path.write_bytes(b"PK\x03\x04" + bytes(100))
        return RemoteFile(path, "rates.txt")

    [item] = read_documents([document("rates", filename="rates.txt")], FakeRun(), fetch)
    assert isinstance(item, Failed)
    assert "ZIP" in str(item.reason)


def test_what_is_listed_twice_counts_once() -> None:
    assert len(read(Shelf(), document("a"), document("a", version="2"))) == 1


def test_the_list_is_asked_for_as_it_is_needed() -> None:
    """A drive of a million files is not listed before the first is read."""
    asked = 0

    def listed() -> Iterator[RemoteDocument]:
        nonlocal asked
        for number in range(1000):
            asked += 1
            yield document(f"file {number}")

    items = read_documents(listed(), FakeRun(), Shelf().fetch)
    next(items)
    assert asked <= LOOK_AHEAD + 1
