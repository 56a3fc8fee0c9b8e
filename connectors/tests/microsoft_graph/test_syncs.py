"""OneDrive and SharePoint: what a later sync asks for, and what it tells."""

from __future__ import annotations

import itertools
import json
from unittest.mock import ANY

from connectors.tests.microsoft_graph.account import (
    Reader,
    failed_in,
    id_of,
    named_in,
    read_in,
    retold_in,
)
from reading.passages import ReadDocument
from reading.tests.container_files import make_zip
from sources.connectors.interface import Failed, Gone, Unchanged
from sources.connectors.remote import UNSUPPORTED
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Answer, Call, Reply, json_reply


def without_hashes(call: Call, answer: Answer) -> Reply:
    """For `fail`: as for files that nobody has opened yet."""
    page = json.loads(answer(call).body)
    for item in page["value"]:
        if "file" in item:
            item["file"].pop("hashes")
    return json_reply(page)


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


def test_what_only_a_sync_that_was_cut_short_saw_goes_too(reader: Reader) -> None:
    """The feed tells what is gone of what it told before: that sync's was never taken."""
    stays = reader.server.drive.add_file("Stays.txt", "Stays.")
    reader.sync()
    brief = reader.server.drive.add_file("Brief.txt", "Gone soon.")
    begun = reader.run.next(reader.connector.read(reader.source, reader.run))
    reader.run = FakeRun(begun.known.values(), cursor=reader.run.cursor)

    reader.server.drive.trash(brief)
    assert named_in(reader.sync()) == {id_of(stays)}


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
    assert Gone(id_of(files["trashed"])) in items
    assert len(items) == 6
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


def test_a_new_folder_that_cannot_be_looked_into_is_not_passed_over(reader: Reader) -> None:
    drive = reader.server.drive
    chosen, new = drive.add_folder("Chosen"), drive.add_folder("New")
    drive.add_file("Deep.txt", "Deep.", into=new)
    reader.choose(chosen)
    reader.sync()
    drive.move(new, into=chosen)
    reader.server.fail(f"GET .*/items/{new.id}/delta", Reply(403))

    assert read_in(reader.sync()) == {"OneDrive / Chosen / New / Deep.txt": "Deep."}


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


def test_an_archive_stays_whole_where_changes_alone_are_told(reader: Reader) -> None:
    drive = reader.server.drive
    folder = drive.add_folder("Handbook")
    archive = make_zip({"a.txt": "One", "b/c.txt": "Two", "empty.txt": ""})
    pack = drive.add_file("pack.zip", archive, into=folder)
    assert set(read_in(reader.sync())) == {
        "OneDrive / Handbook / pack.zip / a.txt",
        "OneDrive / Handbook / pack.zip / b / c.txt",
    }

    again = reader.sync()

    assert named_in(again) >= {f"{id_of(pack)}//a.txt", f"{id_of(pack)}//b/c.txt"}
    assert reader.server.downloads.calls == []
    drive.trash(pack)
    gone = set(reader.sync())
    assert gone == {Gone(f"{id_of(pack)}//a.txt"), Gone(f"{id_of(pack)}//b/c.txt")}
