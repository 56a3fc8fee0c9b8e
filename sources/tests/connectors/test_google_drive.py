"""Google Drive: what is read of what was chosen, and, the next time, of what has changed alone."""

from __future__ import annotations

from sources.connectors.google_drive.listing import GONE, LEADS_NOWHERE, NO_PERMISSION
from sources.reading.passages import ReadDocument
from sources.tests.connectors.google_drive_account import (
    DriveAccount,
    places,
    reasons,
)


def test_a_first_sync_reads_all_that_lies_in_a_chosen_folder(drive: DriveAccount) -> None:
    content = drive.server.content
    handbook = content.add_folder("Handbook")
    rates = content.add_file("Rates.txt", "A night costs ten euros.", handbook)
    content.add_file("Beach.txt", "The beach is near.", content.add_folder("Guests", handbook))
    content.add_file("Elsewhere.txt", "Nobody chose this.")
    drive.choose(Handbook=handbook)

    items = drive.sync()

    assert places(items) == ["Handbook / Rates.txt", "Handbook / Guests / Beach.txt"]
    read = items[0]
    assert isinstance(read, ReadDocument)
    assert (read.external_id, read.title) == (rates, "Rates.txt")
    assert read.link == f"https://drive.google.com/file/d/{rates}/view?usp=drivesdk"
    assert [passage.text for passage in read.passages] == ["A night costs ten euros."]
