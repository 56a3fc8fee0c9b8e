"""Google Drive: what is read of what was chosen, and, the next time, of what has changed alone."""

from __future__ import annotations

import json

import pytest

from connectors.google_drive.problems import (
    EXPORT_TOO_LARGE,
    GONE,
    LEADS_NOWHERE,
    NO_PERMISSION,
)
from connectors.tests.google_drive.account import (
    DriveAccount,
    places,
    reasons,
    retold,
    unchanged,
)
from connectors.tests.providers.google_drive_content import DriveContent
from reading.passages import ReadDocument
from reading.tests.container_files import make_zip
from reading.tests.office_files import make_docx, paragraph
from reasons import Reason
from sources.connectors.interface import Gone
from sources.errors import ReauthRequired, SyncFailed
from sources.models import Source
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Answer, Call, Reply, json_reply

EVERYTHING_AGAIN = "changes/startPageToken"


class Company:
    """Some folders of which two are chosen."""

    def __init__(self, content: DriveContent) -> None:
        self.handbook = content.add_folder("Handbook")
        self.guests = content.add_folder("Guests", self.handbook)
        self.rates = content.add_file("Rates.txt", "A night costs ten euros.", self.handbook)
        self.beach = content.add_file("Beach.txt", "The beach is near.", self.guests)
        self.team = content.add_drive("Team")
        self.plan = content.add_file("Plan.txt", "We open in May.", self.team)
        self.private = content.add_folder("Private")
        self.diary = content.add_file("Diary.txt", "Nobody chose this.", self.private)


@pytest.fixture
def company(drive: DriveAccount) -> Company:
    company = Company(drive.server.content)
    drive.choose(Handbook=company.handbook, Team=company.team)
    return company


@pytest.fixture
def synced(drive: DriveAccount, company: Company) -> Company:
    drive.sync()
    return company


# --- The first sync -------------------------------------------------------------------------------


def test_all_that_lies_in_what_was_chosen_is_read(drive: DriveAccount, company: Company) -> None:
    items = drive.sync()

    assert places(items) == [
        "Handbook / Rates.txt",
        "Team / Plan.txt",
        "Handbook / Guests / Beach.txt",
    ]
    rates = items[0]
    assert isinstance(rates, ReadDocument)
    assert (rates.external_id, rates.title) == (company.rates, "Rates.txt")
    assert rates.link == f"https://drive.google.com/file/d/{company.rates}/view?usp=drivesdk"
    assert [passage.text for passage in rates.passages] == ["A night costs ten euros."]


def test_a_folder_of_many_pages_is_read_to_its_end(
    drive: DriveAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.google_drive.drive.PAGE_SIZE", "2")
    content = drive.server.content
    folder = content.add_folder("Many")
    for number in range(5):
        content.add_file(f"{number}.txt", f"Text {number}.", folder)
    drive.choose(Many=folder)

    assert len(places(drive.sync())) == 5
    assert drive.asked().count("files") == 3


def test_googles_own_formats_are_exported(drive: DriveAccount) -> None:
    exported = make_docx(paragraph("Dogs are welcome."))
    rules = drive.server.content.add_google("House rules", "document", exported)
    drive.choose(**{"House rules": rules})

    [item] = drive.sync()

    assert isinstance(item, ReadDocument)
    assert (item.title, item.place) == ("House rules", "House rules")
    assert item.link == f"https://docs.google.com/document/d/{rules}/edit?usp=drivesdk"
    assert [passage.text for passage in item.passages] == ["Dogs are welcome."]


def test_what_cannot_be_read_is_named_with_its_reason(drive: DriveAccount) -> None:
    content = drive.server.content
    folder = content.add_folder("Mixed")
    content.add_google("Survey", "form", b"", folder)
    content.add_file("Film.mp4", b"\0", folder, mime_type="video/mp4")
    content.add_google("Atlas", "presentation", b"PK" * 6 * 2**20, folder)
    secret = content.add_file("Secret.txt", "For me alone.", folder)
    content.forbid_download(secret)
    drive.choose(Mixed=folder)

    assert reasons(drive.sync()) == {
        "Mixed / Survey": Reason("type_not_read"),
        "Mixed / Film.mp4": Reason("type_not_read"),
        "Mixed / Secret.txt": NO_PERMISSION,
        "Mixed / Atlas": EXPORT_TOO_LARGE,
    }
    assert len(drive.downloads()) == 1  # the atlas alone was asked for


def test_a_shortcut_is_followed(drive: DriveAccount, company: Company) -> None:
    content = drive.server.content
    content.add_shortcut("To the diary", company.diary, company.handbook)
    content.add_shortcut("To the rates", company.rates, company.handbook)
    content.add_shortcut("Round and round", company.handbook, company.guests)
    content.add_shortcut("To the private", company.private, company.team)

    assert places(drive.sync()) == [
        "Handbook / Rates.txt",
        "Team / Plan.txt",
        "Handbook / Guests / Beach.txt",
        "Handbook / Diary.txt",
    ]


def test_a_shortcut_that_leads_nowhere_is_named(drive: DriveAccount, company: Company) -> None:
    content = drive.server.content
    content.add_shortcut("To the diary", company.diary, company.handbook)
    content.add_shortcut("To nothing", "1NoSuchFile", company.handbook)
    content.trash(company.diary)

    items = drive.sync()

    assert reasons(items) == {
        "Handbook / To the diary": LEADS_NOWHERE,
        "Handbook / To nothing": LEADS_NOWHERE,
    }
    assert len(places(items)) == 3


def test_what_was_chosen_and_is_gone_is_named(drive: DriveAccount, company: Company) -> None:
    drive.server.content.unshare(company.handbook)

    items = drive.sync()

    assert reasons(items) == {"Handbook": GONE}
    assert places(items) == ["Team / Plan.txt"]


def test_a_folder_that_somebody_shared_is_read(drive: DriveAccount) -> None:
    content = drive.server.content
    shared = content.add_shared_folder("From Eva")
    content.add_file("Menu.txt", "Soup on Mondays.", shared)
    drive.choose(**{"From Eva": shared})

    assert places(drive.sync()) == ["From Eva / Menu.txt"]


def test_a_folder_out_of_a_shared_drive_of_others_is_read(drive: DriveAccount) -> None:
    content = drive.server.content
    partner = content.add_drive("Partner")
    offers = content.add_folder("Offers", partner)
    offer = content.add_file("Offer.txt", "Ten per cent less.", offers)
    content.add_file("Secret.txt", "Not for us.", partner)
    content.leave_drive(partner)
    content.give(offers)
    drive.choose(Offers=offers)
    assert places(drive.sync()) == ["Offers / Offer.txt"]

    content.edit(offer, "Twenty per cent less.")
    assert places(drive.sync()) == ["Offers / Offer.txt"]
    assert drive.asked() == ["changes", f"files/{offer}"]


# --- The next sync --------------------------------------------------------------------------------


def test_when_nothing_has_changed_only_the_logs_are_asked(
    drive: DriveAccount, synced: Company
) -> None:
    assert unchanged(drive.sync()) == [synced.rates, synced.plan, synced.beach]
    assert drive.asked() == ["changes", "changes"]  # of the account, and of the shared drive


def test_one_that_was_edited_is_read(drive: DriveAccount, synced: Company) -> None:
    drive.server.content.edit(synced.rates, "A night costs twelve euros.")

    items = drive.sync()

    assert places(items) == ["Handbook / Rates.txt"]
    assert unchanged(items) == [synced.plan, synced.beach]
    assert drive.asked() == ["changes", "changes", f"files/{synced.rates}"]


def test_one_that_is_new_is_read(drive: DriveAccount, synced: Company) -> None:
    drive.server.content.add_file("Menu.txt", "Soup on Mondays.", synced.team)

    assert places(drive.sync()) == ["Team / Menu.txt"]


def test_one_that_was_renamed_or_moved_is_not_fetched(drive: DriveAccount, synced: Company) -> None:
    content = drive.server.content
    content.rename(synced.rates, "Prices.txt")
    content.move(synced.beach, synced.handbook)
    content.move(synced.plan, synced.guests)  # out of its shared drive

    items = drive.sync()

    assert retold(items) == {
        synced.rates: "Handbook / Prices.txt",
        synced.plan: "Handbook / Guests / Plan.txt",
        synced.beach: "Handbook / Beach.txt",
    }
    assert drive.asked() == ["changes", "changes"]


def test_what_is_gone_there_is_told_as_such(drive: DriveAccount, synced: Company) -> None:
    content = drive.server.content
    content.trash(synced.rates)
    content.move(synced.beach, synced.private)
    content.delete(synced.plan)

    assert set(drive.sync()) == {Gone(id) for id in (synced.rates, synced.beach, synced.plan)}
    assert drive.asked() == ["changes", "changes"]


def test_one_that_was_restored_or_moved_in_is_read(drive: DriveAccount, synced: Company) -> None:
    content = drive.server.content
    content.trash(synced.rates)
    drive.sync()
    content.restore(synced.rates)
    content.move(synced.diary, synced.guests)

    assert places(drive.sync()) == ["Handbook / Rates.txt", "Handbook / Guests / Diary.txt"]


def test_what_only_a_sync_that_was_cut_short_saw_goes_too(
    drive: DriveAccount, synced: Company
) -> None:
    """What is gone of a folder that no finished sync has read, no log tells."""
    content = drive.server.content
    elsewhere = content.add_folder("Elsewhere")
    content.move(synced.private, synced.handbook)
    begun = drive.run.next(drive.connector.read(drive.source, drive.run))
    drive.run = FakeRun(begun.known.values(), cursor=drive.run.cursor)
    content.move(synced.private, elsewhere)

    assert sorted(unchanged(drive.sync())) == sorted([synced.rates, synced.plan, synced.beach])


def test_what_goes_while_the_log_is_read_is_gone(drive: DriveAccount, synced: Company) -> None:
    gone = {"changeType": "file", "fileId": synced.rates, "removed": True}

    def add_its_end(call: Call, answer: Answer) -> Reply:
        log = json.loads(answer(call).body)
        return json_reply({**log, "changes": [*log["changes"], gone]})

    drive.server.content.rename(synced.rates, "Prices.txt")
    drive.server.fail("GET /drive/v3/changes$", add_its_end)

    items = drive.sync()
    assert (unchanged(items), retold(items)) == ([synced.plan, synced.beach], {})


def test_a_folder_that_was_renamed_moves_what_is_in_it(
    drive: DriveAccount, synced: Company
) -> None:
    drive.server.content.rename(synced.guests, "For guests")

    items = drive.sync()

    assert retold(items)[synced.beach] == "Handbook / For guests / Beach.txt"
    assert drive.downloads() == []
    assert EVERYTHING_AGAIN in drive.asked()
    drive.sync()
    assert drive.asked() == ["changes", "changes"]


def test_a_shared_drive_that_was_renamed_moves_what_is_in_it(
    drive: DriveAccount, synced: Company
) -> None:
    drive.server.content.rename(synced.team, "Crew")

    assert retold(drive.sync())[synced.plan] == "Crew / Plan.txt"


def test_a_folder_brings_and_takes_along_what_is_in_it(
    drive: DriveAccount, synced: Company
) -> None:
    content = drive.server.content
    content.move(synced.private, synced.handbook)
    assert places(drive.sync()) == ["Handbook / Private / Diary.txt"]

    content.trash(synced.private)
    content.unshare(synced.guests)
    items = drive.sync()
    assert sorted(retold(items)) == sorted([synced.rates, synced.plan])


def test_a_shared_drive_that_was_left_takes_along_what_is_in_it(
    drive: DriveAccount, synced: Company
) -> None:
    drive.server.content.leave_drive(synced.team)

    items = drive.sync()

    assert sorted(retold(items)) == sorted([synced.rates, synced.beach])
    assert reasons(items) == {"Team": GONE}
    assert reasons(drive.sync()) == {"Team": GONE}
    assert drive.asked() == ["changes"]


def test_what_a_shortcut_leads_to_is_followed_too(drive: DriveAccount, company: Company) -> None:
    content = drive.server.content
    shortcut = content.add_shortcut("To the diary", company.diary, company.handbook)
    drive.sync()

    content.edit(company.diary, "Somebody chose this after all.")
    assert places(drive.sync()) == ["Handbook / Diary.txt"]
    content.trash(company.diary)
    assert reasons(drive.sync()) == {"Handbook / To the diary": LEADS_NOWHERE}
    assert reasons(drive.sync()) == {"Handbook / To the diary": LEADS_NOWHERE}
    assert drive.asked() == ["changes", "changes"]
    content.restore(company.diary)
    assert places(drive.sync()) == ["Handbook / Diary.txt"]
    content.trash(shortcut)
    assert sorted(retold(drive.sync())) == sorted([company.rates, company.plan, company.beach])


def test_a_shortcut_into_another_shared_drive_is_followed_there(
    drive: DriveAccount, company: Company
) -> None:
    content = drive.server.content
    kitchen = content.add_drive("Kitchen")
    menu = content.add_file("Menu.txt", "Soup on Mondays.", kitchen)
    content.add_shortcut("To the menu", menu, company.handbook)
    assert "Handbook / Menu.txt" in places(drive.sync())

    content.edit(menu, "Soup on Tuesdays.")
    assert places(drive.sync()) == ["Handbook / Menu.txt"]
    assert drive.asked() == ["changes", "changes", "changes", f"files/{menu}"]


def test_what_failed_for_good_is_not_asked_for_again(drive: DriveAccount, company: Company) -> None:
    secret = drive.server.content.add_file("Secret.txt", "For me alone.", company.handbook)
    drive.server.content.forbid_download(secret)
    drive.sync()

    assert reasons(drive.sync()) == {"Handbook / Secret.txt": NO_PERMISSION}
    assert drive.asked() == ["changes", "changes"]

    drive.server.content.allow_download(secret)
    assert places(drive.sync()) == ["Handbook / Secret.txt"]


def test_a_log_that_has_forgotten_us_is_no_loss(drive: DriveAccount, synced: Company) -> None:
    drive.server.forget_tokens()
    drive.server.content.edit(synced.rates, "A night costs twelve euros.")

    items = drive.sync()

    assert places(items) == ["Handbook / Rates.txt"]
    assert sorted(retold(items)) == sorted([synced.plan, synced.beach])
    assert len(drive.downloads()) == 1


def test_once_a_week_everything_is_looked_through(
    drive: DriveAccount, synced: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = drive.server.content
    content.items[synced.rates].content = b"No log tells this."
    drive.sync()
    assert drive.downloads() == []

    monkeypatch.setattr("connectors.google_drive.tree.HOLDS_SECONDS", 0.0)
    assert places(drive.sync()) == ["Handbook / Rates.txt"]


def test_a_log_that_is_too_long_is_not_read_to_its_end(
    drive: DriveAccount, synced: Company, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.google_drive.drive.PAGE_SIZE", "1")
    monkeypatch.setattr("connectors.google_drive.drive.LOG_PAGES_MAX", 2)
    for number in range(4):
        drive.server.content.add_file(f"{number}.txt", f"Text {number}.", synced.private)
    drive.server.content.edit(synced.rates, "A night costs twelve euros.")

    assert places(drive.sync()) == ["Handbook / Rates.txt"]
    assert EVERYTHING_AGAIN in drive.asked()


# --- What cannot be synced ------------------------------------------------------------------------


def test_nothing_is_read_before_something_is_chosen(drive: DriveAccount) -> None:
    with pytest.raises(SyncFailed, match="Nothing is chosen yet"):
        drive.sync()


def test_nothing_is_read_without_an_account(drive: DriveAccount) -> None:
    with pytest.raises(ReauthRequired, match="No account is connected"):
        list(drive.connector.read(Source(), FakeRun()))


def test_an_archive_stays_whole_where_changes_alone_are_told(drive: DriveAccount) -> None:
    content = drive.server.content
    handbook = content.add_folder("Handbook")
    archive = make_zip({"a.txt": "One", "b/c.txt": "Two", "empty.txt": ""})
    pack = content.add_file("pack.zip", archive, handbook)
    drive.choose(Handbook=handbook)
    first = drive.sync()
    assert places(first) == ["Handbook / pack.zip / a.txt", "Handbook / pack.zip / b / c.txt"]

    again = drive.sync()

    assert sorted(unchanged(again)) == [f"{pack}//a.txt", f"{pack}//b/c.txt"]
    assert reasons(again) == {"Handbook / pack.zip / empty.txt": Reason("file_empty")}
    assert drive.asked() == ["changes"]
    content.rename(handbook, "Manual")
    drive.sync()
    assert drive.downloads() == []
    assert "Manual / pack.zip / a.txt" in {known.place for known in drive.run.known.values()}
    content.trash(pack)
    assert set(drive.sync()) == {Gone(f"{pack}//a.txt"), Gone(f"{pack}//b/c.txt")}
