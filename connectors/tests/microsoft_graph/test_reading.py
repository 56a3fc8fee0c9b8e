"""OneDrive and SharePoint: what can be chosen, and what a first sync reads of it."""

from __future__ import annotations

from typing import Any
from unittest.mock import ANY

import pytest

from config.errors import InvalidValue
from connectors.microsoft_graph import picker
from connectors.tests.microsoft_graph.account import (
    Opened,
    Reader,
    failed_in,
    id_of,
    named_in,
    read_in,
)
from reading.file_types import ENCRYPTED_PACKAGE, OLE_MAGIC
from reading.passages import ReadDocument
from reading.tests.office_files import make_docx, paragraph
from reasons import Reason
from sources.connectors.calling import Api, CallRefused
from sources.connectors.interface import Account, Extent
from sources.errors import SyncFailed

REFUSALS = {
    "Denied.txt": (403, "accessDenied"),
    "Locked.txt": (423, "resourceLocked"),
    "Virus.txt": (403, "malwareDetected"),
    "Odd.txt": (406, "notSupported"),
}
PROTECTED = Reason("file_protected", kind="document")


# --- The first sync -------------------------------------------------------------------------------


def test_the_files_of_a_drive_with_title_place_and_link(reader: Reader) -> None:
    drive = reader.server.drive
    reports = drive.add_folder("Reports")
    may = drive.add_file("May & June.txt", "We sold nine boats in May.", into=reports)

    [item] = reader.sync()
    assert isinstance(item, ReadDocument)
    assert (item.external_id, item.title) == (id_of(may), "May & June.txt")
    assert item.place == "OneDrive / Reports / May & June.txt"
    assert item.link == "https://company-my.sharepoint.com/OneDrive/Reports/May%20%26%20June.txt"
    assert [passage.text for passage in item.passages] == ["We sold nine boats in May."]


def test_a_word_document_is_read_as_one(reader: Reader) -> None:
    reader.server.drive.add_file("Rates.docx", make_docx(paragraph("A room costs 90 euros.")))
    assert read_in(reader.sync()) == {"OneDrive / Rates.docx": "A room costs 90 euros."}


def test_a_chosen_folder_alone_with_the_way_to_it(reader: Reader) -> None:
    drive = reader.server.drive
    drive.add_file("Not chosen.txt", "Nobody asked for this.")
    reports = drive.add_folder("Q1 50%", into=drive.add_folder("2026"))
    drive.add_file("May.txt", "Nine boats.", into=drive.add_folder("Sales", into=reports))

    reader.choose(reports)
    assert read_in(reader.sync()) == {"OneDrive / 2026 / Q1 50% / Sales / May.txt": "Nine boats."}


def test_all_libraries_of_a_chosen_site(reader: Reader) -> None:
    site = reader.server.add_site("Harbour", "Documents", "Plans")
    for library, text in zip(site.drives, ("Tides", "Cranes"), strict=True):
        library.add_file(f"{text}.txt", f"{text} matter.")

    reader.choose(site)
    assert read_in(reader.sync()) == {
        "Harbour / Documents / Tides.txt": "Tides matter.",
        "Harbour / Plans / Cranes.txt": "Cranes matter.",
    }


def test_what_others_shared_is_followed_to_its_drive(reader: Reader) -> None:
    theirs = reader.server.add_drive("OneDrive of Bo", type="business")
    folder = theirs.add_folder("Boats")
    theirs.add_file("Sloop.txt", "Sails well.", into=folder)
    single = theirs.add_file("Anchor.txt", "Holds well.")
    theirs.add_file("Private.txt", "Not shared.")
    reader.server.drive.add_shortcut(folder)
    reader.server.drive.add_shortcut(single)
    folder_back = theirs.add_folder("Round and round", into=folder)
    theirs.add_shortcut(folder, into=folder_back)

    assert read_in(reader.sync()) == {
        "OneDrive / Boats / Sloop.txt": "Sails well.",
        "OneDrive / Anchor.txt": "Holds well.",
    }


def test_pages_are_followed(reader: Reader) -> None:
    drive = reader.server.drive
    drive.fill(420, suffix=".mp4")
    assert len(named_in(reader.sync())) == 420
    assert reader.asked == [f"{drive.id}/root/delta"] * 3


def test_what_cannot_be_read_says_why(reader: Reader, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 2**20
    drive = reader.server.drive
    drive.add_file("Film.mp4", "frames")
    drive.add_file("Long.txt", b"x" * (3 * 2**19))
    drive.add_file("Protected.docx", OLE_MAGIC + ENCRYPTED_PACKAGE.ljust(200, b"\0"))
    drive.add_file("Empty.txt", "")
    drive.add_file("Section.one", "ink", into=drive.add_notebook("Notes of Ana"))
    for name, refusal in REFUSALS.items():
        drive.add_file(name, "text").refusal = refusal

    assert failed_in(reader.sync()) == {
        "OneDrive / Film.mp4": Reason("type_not_read"),
        "OneDrive / Long.txt": Reason("too_large_by_size", limit="1", size="1.5"),
        "OneDrive / Protected.docx": PROTECTED,
        "OneDrive / Empty.txt": Reason("file_empty"),
        "OneDrive / Notes of Ana": (Reason("onenote_not_read")),
        "OneDrive / Denied.txt": Reason("download_forbidden"),
        "OneDrive / Locked.txt": Reason("locked"),
        "OneDrive / Virus.txt": Reason("malware_found"),
        "OneDrive / Odd.txt": Reason("origin_refused_request", label="Microsoft 365", status="406"),
    }


def test_something_chosen_that_is_gone_is_told_and_the_rest_read(reader: Reader) -> None:
    drive = reader.server.drive
    gone, stays = drive.add_folder("Gone"), drive.add_folder("Stays")
    drive.add_file("Here.txt", "Still here.", into=stays)
    drive.trash(gone)
    closed = reader.server.add_drive("Closed", type="business")
    closed.is_closed = True

    reader.choose(gone, stays, closed)
    items = reader.sync()
    reason = Reason("gone_or_forbidden")
    assert failed_in(items) == {"Gone": reason, "Closed": reason}
    assert read_in(items) == {"OneDrive / Stays / Here.txt": "Still here."}


def test_nothing_chosen_is_said(reader: Reader) -> None:
    reader.choose()
    with pytest.raises(SyncFailed, match="Nothing is chosen yet"):
        reader.sync()
    assert reader.server.calls == []


# --- Before there is a source ---------------------------------------------------------------------


def test_what_can_be_chosen(reader: Reader) -> None:
    server, connector = reader.server, reader.connector
    site = server.add_site("Harbour", "Documents")
    reports = server.drive.add_folder("reports")
    server.drive.add_folder("Archive")
    server.drive.add_file("Not a folder.txt", "text")
    inner = server.drive.add_folder("2026", into=reports)
    theirs = server.add_drive("OneDrive of Bo", type="business").add_folder("Boats")
    server.drive.add_shortcut(theirs)

    def names(inside: str) -> dict[str, str]:
        found = connector.browse(reader.connection, inside=inside)
        assert all(choice.is_open and choice.can_be_read for choice in found)
        return {choice.name: choice.id for choice in found}

    drive_id, library_id = f"drive/{server.drive.id}", f"drive/{site.drives[0].id}"
    assert names("") == {"OneDrive": drive_id, "Harbour": f"site/{site.id}"}
    assert names(f"site/{site.id}") == {"Documents": library_id}
    top = names(drive_id)
    assert list(top) == ["Archive", "Boats", "reports"]
    assert top["Boats"] == f"folder/{id_of(theirs)}"
    assert names(top["reports"]) == {"2026": f"folder/{id_of(inner)}"}


def test_an_account_without_sites_has_its_drive(reader: Reader) -> None:
    reader.server.drive.type = "personal"
    found = reader.connector.browse(reader.connection, inside="")
    assert [choice.name for choice in found] == ["OneDrive"]


@pytest.mark.parametrize("inside", ["folder/../me", "drive/", "mail/1", "site/a/b", "drive/a?b"])
def test_what_is_no_choice_is_asked_of_nobody(reader: Reader, inside: str) -> None:
    with pytest.raises(InvalidValue):
        reader.connector.browse(reader.connection, inside=inside)
    with pytest.raises(InvalidValue):
        reader.connector.clean_selection({"chosen": [{"id": inside, "name": "?"}]})
    assert reader.server.calls == []


def test_how_much_it_will_be(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    drive = reader.server.drive
    drive.fill(300, a_folder=300)
    reader.choose(drive, drive.add_folder("Inside, and counted once"))

    def measure() -> Extent | None:
        return reader.connector.measure(reader.connection, {"chosen": reader.chosen})

    size = sum(len(item.content) for item in drive.items.values())
    assert measure() == Extent(300, size_bytes=size)
    monkeypatch.setattr(picker, "COUNTING_SECONDS", 0.0)
    assert measure() == Extent(199, is_more=True, size_bytes=ANY)


def test_whose_account_it_is(reader: Reader) -> None:
    with Api("Microsoft 365", Opened(reader.server)) as api:
        assert reader.connector.account_of(api, {}) == Account("1001", "ana@company.example")


# --- The stand-in ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/me?$filter=x", 400, "invalidRequest"),
        ("/me/messages", 400, "BadRequest"),
        ("/sites", 400, "invalidRequest"),
        ("/drives/b!drive-1/root/children?$top=1000", 400, "invalidRequest"),
        ("/drives/b!drive-1/root/children?$skiptoken=old", 400, "invalidRequest"),
        ("/drives/b!drive-1/root/delta(token='old')", 410, "resyncRequired"),
        ("/drives/b!drive-1/items/unknown", 404, "itemNotFound"),
    ],
)
def test_the_stand_in_refuses_what_graph_does(
    reader: Reader, path: str, status: int, code: str
) -> None:
    with Api("Graph", Opened(reader.server)) as api, pytest.raises(CallRefused) as refused:
        api.get(f"{reader.server.url}/v1.0{path}")
    assert (refused.value.status, refused.value.content()["error"]["code"]) == (status, code)
