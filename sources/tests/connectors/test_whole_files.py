"""Archives and messages in an account: their documents follow the file that they are in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reading.passages import Description, ReadDocument
from reading.tests.container_files import CSV_OF_PRICES, make_eml, make_zip
from reasons import Reason, as_reason
from sources.connectors.interface import Failed, Item, Unchanged
from sources.connectors.remote import (
    DocumentRefused,
    Fetched,
    RemoteDocument,
    RemoteFile,
    read_documents,
)
from sources.connectors.whole_files import WholeFiles
from sources.tests.connectors.context import FakeRun

TWO = {"a.txt": "One", "Rates/b.txt": "Two"}
WITH_A_FAILURE = {**TWO, "empty.txt": ""}
EMPTY = Reason("file_empty")


@dataclass
class Shelf:
    """One file, and syncs of it."""

    content: bytes
    filename: str = "pack.zip"
    version: str = "1"
    place: str = "Shelf / pack.zip"
    run: FakeRun = field(default_factory=FakeRun)
    fetched: int = 0
    refuses: bool = False

    def listed(self) -> RemoteDocument:
        told = Description(self.filename, etag=self.version, place=self.place)
        return RemoteDocument("id", told, filename=self.filename)

    def fetch(self, wanted: RemoteDocument, folder: Path) -> Fetched:
        self.fetched += 1
        if self.refuses:
            raise DocumentRefused(as_reason("It is locked."))
        path = folder / "content"
        path.write_bytes(self.content)
        return RemoteFile(path, self.filename)

    def sync(self) -> list[Item]:
        items = list(read_documents([self.listed()], self.run, self.fetch))
        self.run = self.run.next(items)
        return items

    def change(self, members: Mapping[str, bytes | str]) -> None:
        self.content, self.version = make_zip(members), self.version + "'"


def kinds(items: list[Item]) -> dict[str, str]:
    return {
        item.external_id: type(item).__name__
        for item in items
        if isinstance(item, (ReadDocument, Unchanged, Failed))
    }


def test_each_file_of_an_archive_is_a_document_with_its_place():
    [first, second] = Shelf(make_zip(TWO)).sync()
    assert isinstance(first, ReadDocument)
    assert isinstance(second, ReadDocument)
    assert (first.external_id, first.title, first.place) == (
        "id//a.txt",
        "a.txt",
        "Shelf / pack.zip / a.txt",
    )
    assert second.place == "Shelf / pack.zip / Rates / b.txt"


def test_what_has_its_version_is_not_fetched_again_with_what_failed_in_it():
    shelf = Shelf(make_zip(WITH_A_FAILURE))
    shelf.sync()

    again = shelf.sync()

    assert kinds(again) == {
        "id//a.txt": "Unchanged",
        "id//Rates/b.txt": "Unchanged",
        "id//empty.txt": "Failed",
    }
    assert kinds(shelf.sync()) == kinds(again)
    assert shelf.fetched == 1


def test_an_archive_that_moved_moves_what_is_in_it():
    shelf = Shelf(make_zip(WITH_A_FAILURE))
    shelf.sync()
    shelf.place = "Attic / pack.zip"

    shelf.sync()

    assert {known.place for known in shelf.run.known.values()} == {
        "Attic / pack.zip / a.txt",
        "Attic / pack.zip / Rates / b.txt",
    }
    [failed] = shelf.run.known_failures.values()
    assert failed.title == "Attic / pack.zip / empty.txt"
    assert shelf.fetched == 1


def test_of_an_archive_that_changed_only_what_changed_is_read():
    shelf = Shelf(make_zip(TWO))
    shelf.sync()
    shelf.change({"a.txt": "One", "c.txt": "Three"})

    assert kinds(shelf.sync()) == {"id//a.txt": "Unchanged", "id//c.txt": "ReadDocument"}
    shelf.sync()
    assert shelf.fetched == 2


def test_an_archive_that_a_run_left_in_the_middle_is_fetched_again():
    shelf = Shelf(make_zip(TWO))
    first, _ = shelf.sync()
    shelf.run = FakeRun().next([first])

    assert kinds(shelf.sync()) == {"id//a.txt": "Unchanged", "id//Rates/b.txt": "ReadDocument"}
    assert shelf.fetched == 2


def test_a_failure_that_a_run_left_in_the_middle_forgot_is_told_again():
    shelf = Shelf(make_zip({"empty.txt": "", **TWO}))
    shelf.run = FakeRun().next(item for item in shelf.sync() if not isinstance(item, Failed))

    assert kinds(shelf.sync())["id//empty.txt"] == "Failed"
    assert shelf.fetched == 2


def test_an_archive_that_cannot_be_fetched_keeps_what_is_known_of_it():
    shelf = Shelf(make_zip(TWO))
    shelf.sync()
    shelf.change(TWO)
    shelf.refuses = True

    assert kinds(shelf.sync()) == {
        "id": "Failed",
        "id//a.txt": "Unchanged",
        "id//Rates/b.txt": "Unchanged",
    }


def test_an_archive_of_which_nothing_can_be_read_is_fetched_once_a_version():
    shelf = Shelf(make_zip({"empty.txt": ""}))
    [failed] = shelf.sync()
    assert isinstance(failed, Failed)
    assert failed.reason == (
        Reason("nothing_read_in_file", name="Shelf / pack.zip / empty.txt", reason=EMPTY)
    )
    shelf.sync()
    assert shelf.fetched == 1


def test_without_a_version_it_is_fetched_and_compared():
    shelf = Shelf(make_zip(TWO), version="")
    shelf.sync()
    assert set(kinds(shelf.sync()).values()) == {"Unchanged"}
    assert shelf.fetched == 2


def test_a_message_and_what_is_attached_follow_it():
    content = make_eml(attached={"prices.csv": CSV_OF_PRICES})
    shelf = Shelf(content, filename="mail.eml", place="Shelf / mail.eml")
    assert kinds(shelf.sync()) == {"id": "ReadDocument", "id//prices.csv": "ReadDocument"}

    shelf.place = "Attic / mail.eml"
    assert set(kinds(shelf.sync()).values()) == {"Unchanged"}
    assert [known.place for known in shelf.run.known.values()] == [
        "Attic / mail.eml",
        "Attic / mail.eml / prices.csv",
    ]
    assert shelf.fetched == 1


def test_a_message_without_attachments_is_one_document():
    shelf = Shelf(make_eml(), filename="mail.eml")
    shelf.sync()
    assert kinds(shelf.sync()) == {"id": "Unchanged"}
    assert shelf.fetched == 1


def test_a_connector_sees_the_file_and_not_what_is_in_it():
    shelf = Shelf(make_zip(WITH_A_FAILURE))
    shelf.sync()

    whole = WholeFiles(shelf.run)

    [known] = whole.known.values()
    assert (known.external_id, known.title, known.place, known.etag) == (
        "id",
        "pack.zip",
        "Shelf / pack.zip",
        "1",
    )
    assert whole.known_failures == {}
