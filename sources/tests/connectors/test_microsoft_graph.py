"""OneDrive and SharePoint: what is read of what was chosen, and what a later sync asks for."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any
from unittest.mock import ANY

import pytest

from config.errors import InvalidValue
from sources.connectors.calling import Api, CallRefused
from sources.connectors.interface import Account, Amount, Failed, Unchanged
from sources.connectors.microsoft_graph import picker
from sources.connectors.remote import UNSUPPORTED
from sources.errors import SyncFailed
from sources.reading.file_types import ENCRYPTED_PACKAGE, OLE_MAGIC
from sources.reading.passages import ReadDocument
from sources.tests.connectors.context import FakeRun
from sources.tests.connectors.microsoft_account import (
    Opened,
    Reader,
    failed_in,
    id_of,
    named_in,
    open_account,
    read_in,
    retold_in,
    running_server,
)
from sources.tests.office_files import make_docx, paragraph
from sources.tests.providers.server import Answer, Call, Reply, json_reply

REFUSALS = {
    "Denied.txt": (403, "accessDenied"),
    "Locked.txt": (423, "resourceLocked"),
    "Virus.txt": (403, "malwareDetected"),
    "Odd.txt": (406, "notSupported"),
}
PROTECTED = "This document is protected with a password. Remove the protection and upload it again."


@pytest.fixture
def reader(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    with running_server(settings, monkeypatch) as server:
        yield open_account(server, monkeypatch)


def without_hashes(call: Call, answer: Answer) -> Reply:
    """For `fail`: as for files that nobody has opened yet."""
    page = json.loads(answer(call).body)
    for item in page["value"]:
        if "file" in item:
            item["file"].pop("hashes")
    return json_reply(page)


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
        "OneDrive / Film.mp4": "Files of this type cannot be read.",
        "OneDrive / Long.txt": "It is too large: 1.5 MB. Up to 1 MB are read.",
        "OneDrive / Protected.docx": PROTECTED,
        "OneDrive / Empty.txt": "This file is empty.",
        "OneDrive / Notes of Ana": (
            "OneNote notebooks cannot be read. Export it as PDF or DOCX, and keep that there."
        ),
        "OneDrive / Denied.txt": "The connected account may not download it.",
        "OneDrive / Locked.txt": "It is locked there. It is tried again with the next sync.",
        "OneDrive / Virus.txt": "Microsoft has found malware in it.",
        "OneDrive / Odd.txt": "Microsoft 365 answers 406 to one of our requests.",
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
    reason = "It is not there any more, or the connected account may not read it."
    assert failed_in(items) == {"Gone": reason, "Closed": reason}
    assert read_in(items) == {"OneDrive / Stays / Here.txt": "Still here."}


def test_nothing_chosen_is_said(reader: Reader) -> None:
    reader.choose()
    with pytest.raises(SyncFailed, match="Nothing is chosen yet"):
        reader.sync()
    assert reader.server.calls == []


def test_a_sync_that_was_cut_short_goes_on(reader: Reader) -> None:
    drive = reader.server.drive
    drive.fill(30)
    source = reader.source
    begun = list(itertools.islice(reader.connector.read(source, reader.run), 10))
    reader.run = FakeRun(reader.run.next(begun).known.values())
    read = {item.place for item in begun if isinstance(item, ReadDocument)}

    rest = read_in(reader.sync())
    assert (len(read), len(rest), read & rest.keys()) == (10, 20, set())
    assert len(reader.server.downloads.calls) == 20


# --- Later syncs ----------------------------------------------------------------------------------


def test_nothing_changed_costs_one_request_a_chosen_drive(reader: Reader) -> None:
    drive = reader.server.drive
    file = drive.add_file("Rates.txt", "90 euros.", into=drive.add_folder("Prices"))
    film = drive.add_file("Film.mp4", "frames")
    reader.sync()

    items = reader.sync()
    assert items == [
        Failed(id_of(film), UNSUPPORTED, "OneDrive / Film.mp4", ANY),
        Unchanged(id_of(file)),
    ]
    assert reader.asked == [f"{drive.id}/root/delta"]
    assert reader.server.downloads.calls == []


def test_each_change_is_told_as_what_it_is(reader: Reader) -> None:
    drive = reader.server.drive
    attic = drive.add_folder("Attic")
    names = ("changed", "renamed", "moved", "trashed", "same")
    files = {name: drive.add_file(f"{name}.txt", f"It is {name}.") for name in names}
    reader.sync()

    drive.edit(files["changed"], "It is another text.")
    drive.rename(files["renamed"], "New name.txt")
    drive.move(files["moved"], into=attic)
    drive.trash(files["trashed"])
    drive.add_file("added.txt", "It is new.", into=attic)
    items = reader.sync()

    assert read_in(items) == {
        "OneDrive / changed.txt": "It is another text.",
        "OneDrive / Attic / added.txt": "It is new.",
    }
    assert retold_in(items) == {
        id_of(files["renamed"]): "OneDrive / New name.txt",
        id_of(files["moved"]): "OneDrive / Attic / moved.txt",
    }
    assert Unchanged(id_of(files["same"])) in items
    assert len(items) == 5
    assert len(reader.server.downloads.calls) == 2


def test_a_folder_takes_what_lies_in_it_along(reader: Reader) -> None:
    """The feed names the folder alone."""
    drive = reader.server.drive
    prices, attic = drive.add_folder("Prices"), drive.add_folder("Attic")
    rates = drive.add_file("Rates.txt", "90 euros.", into=drive.add_folder("2026", into=prices))
    reader.sync()

    drive.rename(prices, "What it costs")
    assert retold_in(reader.sync()) == {id_of(rates): "OneDrive / What it costs / 2026 / Rates.txt"}
    drive.move(prices, into=attic)
    assert retold_in(reader.sync()) == {
        id_of(rates): "OneDrive / Attic / What it costs / 2026 / Rates.txt"
    }
    assert reader.server.downloads.calls == []
    drive.trash(attic)
    assert reader.sync() == []


def test_a_folder_that_moves_out_of_what_was_chosen_and_back(reader: Reader) -> None:
    drive = reader.server.drive
    chosen, year = drive.add_folder("Chosen"), drive.add_folder("2026")
    drive.move(year, into=chosen)
    rates = drive.add_file("Rates.txt", "90 euros.", into=year)
    other = drive.add_file("Other.txt", "Something else.", into=chosen)
    reader.choose(chosen)
    reader.sync()

    drive.move(year, into=drive.root)
    assert named_in(reader.sync()) == {id_of(other)}
    drive.move(year, into=chosen)
    assert named_in(reader.sync()) == {id_of(other), id_of(rates)}


def test_a_new_folder_is_looked_into_once_with_all_below_it(reader: Reader) -> None:
    drive = reader.server.drive
    reader.sync()
    new = drive.add_folder("New")
    drive.add_file("Deep.txt", "Deep.", into=drive.add_folder("Below", into=new))

    assert list(read_in(reader.sync())) == ["OneDrive / New / Below / Deep.txt"]
    deltas = [path for path in reader.asked if path.endswith("/delta")]
    assert deltas == [f"{drive.id}/root/delta", f"{drive.id}/items/{new.id}/delta"]


def test_one_of_two_chosen_folders_goes(reader: Reader) -> None:
    drive = reader.server.drive
    goes, stays = drive.add_folder("Goes"), drive.add_folder("Stays")
    drive.add_file("Gone.txt", "Gone.", into=goes)
    file = drive.add_file("Here.txt", "Here.", into=stays)
    reader.choose(goes, stays)
    reader.sync()

    drive.trash(goes)
    items = reader.sync()
    assert list(failed_in(items)) == ["Goes"]
    assert [item for item in items if isinstance(item, Unchanged)] == [Unchanged(id_of(file))]
    assert len(items) == 2


def test_the_chosen_folder_itself_is_renamed(reader: Reader) -> None:
    drive = reader.server.drive
    chosen = drive.add_folder("Chosen")
    file = drive.add_file("Rates.txt", "90 euros.", into=chosen)
    reader.choose(chosen)
    reader.sync()

    drive.rename(chosen, "Prices")
    assert retold_in(reader.sync()) == {id_of(file): "OneDrive / Prices / Rates.txt"}


def test_what_somebody_shares_no_more_goes(reader: Reader) -> None:
    theirs = reader.server.add_drive("OneDrive of Bo", type="business")
    folder = theirs.add_folder("Boats")
    sloop = theirs.add_file("Sloop.txt", "Sails well.", into=folder)
    shortcut = reader.server.drive.add_shortcut(folder)
    reader.sync()

    reader.server.drive.rename(shortcut, "Ships")
    assert retold_in(reader.sync()) == {id_of(sloop): "OneDrive / Ships / Sloop.txt"}
    theirs.is_closed = True
    assert list(failed_in(reader.sync())) == ["OneDrive / Ships"]
    reader.server.drive.trash(shortcut)
    assert reader.sync() == []


def test_what_others_shared_goes_with_the_folder_that_it_was_added_to(reader: Reader) -> None:
    theirs = reader.server.add_drive("OneDrive of Bo", type="business").add_folder("Boats")
    theirs.drive.add_file("Sloop.txt", "Sails well.", into=theirs)
    mine = reader.server.drive.add_folder("Mine")
    reader.server.drive.add_shortcut(theirs, into=reader.server.drive.add_folder("B", into=mine))
    assert list(read_in(reader.sync())) == ["OneDrive / Mine / B / Boats / Sloop.txt"]

    reader.server.drive.trash(mine)
    assert reader.sync() == []


def test_what_was_locked_is_tried_again(reader: Reader) -> None:
    file = reader.server.drive.add_file("Locked.txt", "Open at last.")
    file.refusal = (423, "resourceLocked")
    reader.sync()
    assert list(failed_in(reader.sync())) == ["OneDrive / Locked.txt"]
    file.refusal = None
    assert read_in(reader.sync()) == {"OneDrive / Locked.txt": "Open at last."}


def test_a_feed_that_is_too_old_is_begun_anew(reader: Reader) -> None:
    drive = reader.server.drive
    stays, goes = (drive.add_file(name, f"It {name}.") for name in ("stays.txt", "goes.txt"))
    reader.sync()

    drive.trash(goes)
    reader.server.forget_feeds()
    assert named_in(reader.sync()) == {id_of(stays)}
    assert reader.asked == [f"{drive.id}/root/delta"] * 2
    assert reader.server.downloads.calls == []


def test_a_personal_drive_tells_tags_where_others_tell_hashes(reader: Reader) -> None:
    drive = reader.server.add_drive("Personal", type="personal")
    file = drive.add_file("Rates.txt", "90 euros.")
    reader.choose(drive)
    reader.server.fail("GET .*/delta", without_hashes)
    reader.sync()
    drive.rename(file, "Prices.txt")
    reader.server.fail("GET .*/delta", without_hashes)

    assert retold_in(reader.sync()) == {id_of(file): "Personal / Prices.txt"}
    assert reader.server.downloads.calls == []


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

    def measure() -> Amount | None:
        return reader.connector.measure(reader.connection, {"chosen": reader.chosen})

    size = sum(len(item.content) for item in drive.items.values())
    assert measure() == Amount(300, size_bytes=size)
    monkeypatch.setattr(picker, "COUNTING_SECONDS", 0.0)
    assert measure() == Amount(199, is_more=True, size_bytes=ANY)


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
