"""Google Drive before a sync: signing in, the picker, and how much there is."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.conf import settings as django_settings

from accounts.models import Tenant
from connectors.google_drive.drive import NotThere
from connectors.google_drive.problems import GONE
from connectors.tests.google_drive.account import DriveAccount, places, reasons
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from sources.connections import open_credentials
from sources.connectors.interface import Choice, Extent
from sources.errors import SignInFailed
from sources.models import ConnectionState
from sources.services.connections import begin_sign_in, disconnect, finish_sign_in
from sources.tests.providers.server import Call

KIND = "cloud_drive_a"
SESSION = uuid.uuid4()


def press(google: GoogleDriveServer, tenant: Tenant, *, allow: str) -> dict[str, str]:
    """Somebody is sent to Google, and presses a button: the query that they come back with."""
    callback = f"{django_settings.BASE_URL}/dashboard/connections/callback"
    google.authorization.redirect_uris.add(callback)
    address = urlsplit(begin_sign_in(tenant, KIND, session_id=SESSION))
    body = f"{address.query}&{urlencode({'allow': allow})}".encode()
    reply = google.answer(Call("POST", address.path, {}, {}, body, 0.0))
    assert reply.status == 303, reply.body
    return dict(parse_qsl(urlsplit(reply.headers["Location"]).query))


# --- Signing in -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_an_account_is_connected_for_longer_than_a_token_lives(
    tenant: Tenant, google: GoogleDriveServer
) -> None:
    for _ in range(2):  # whoever allowed it before is given a refresh token too
        back = press(google, tenant, allow="yes")
        connection = finish_sign_in(tenant, back, session_id=SESSION)

        assert (connection.account_id, connection.account) == ("1001", "ana@company.example")
        assert sorted(open_credentials(connection)) == ["access_token", "refresh_token"]
        assert connection.state == ConnectionState.CONNECTED


@pytest.mark.django_db
def test_who_says_no_connects_nothing(tenant: Tenant, google: GoogleDriveServer) -> None:
    back = press(google, tenant, allow="no")
    with pytest.raises(SignInFailed, match="permission to read it was not given"):
        finish_sign_in(tenant, back, session_id=SESSION)


@pytest.mark.django_db
def test_disconnecting_takes_the_right_back_at_google(
    tenant: Tenant, google: GoogleDriveServer
) -> None:
    back = press(google, tenant, allow="yes")
    connection = finish_sign_in(tenant, back, session_id=SESSION)

    disconnect(tenant, connection.pk)

    assert [grant.is_revoked for grant in google.authorization.grants] == [True]


# --- The picker -----------------------------------------------------------------------------------


def browse(drive: DriveAccount, inside: str = "") -> list[Choice]:
    return list(drive.connector.browse(drive.connection, inside=inside))


def test_at_the_top_are_the_drives(drive: DriveAccount) -> None:
    team = drive.server.content.add_drive("Team")

    assert browse(drive) == [
        Choice("root", "My Drive", is_open=True),
        Choice("shared-with-me", "Shared with me", is_open=True, can_be_read=False),
        Choice(team, "Team", is_open=True),
    ]


def test_in_a_folder_are_folders_first(drive: DriveAccount) -> None:
    content = drive.server.content
    rates = content.add_file("Rates.txt", "A night costs ten euros.")
    survey = content.add_google("Survey", "form", b"")
    folder = content.add_folder("Zoo")
    content.trash(content.add_folder("Attic"))

    assert browse(drive, "root") == [
        Choice(folder, "Zoo", is_open=True),
        Choice(rates, "Rates.txt"),
        Choice(survey, "Survey", can_be_read=False),
    ]
    assert browse(drive, folder) == []


def test_shared_drives_and_what_others_shared_are_opened_likewise(drive: DriveAccount) -> None:
    content = drive.server.content
    team = content.add_drive("Team")
    plans = content.add_folder("Plans", team)
    shared = content.add_shared_folder("From Eva")

    assert browse(drive, team) == [Choice(plans, "Plans", is_open=True)]
    assert browse(drive, "shared-with-me") == [Choice(shared, "From Eva", is_open=True)]


@pytest.mark.parametrize("inside", ["1NoSuchFolder", "../about", "root?alt=media"])
def test_what_is_not_there_is_not_opened(drive: DriveAccount, inside: str) -> None:
    with pytest.raises(NotThere, match="no longer in Google Drive"):
        browse(drive, inside)


def test_what_was_chosen_may_be_no_id_at_all(drive: DriveAccount) -> None:
    rates = drive.server.content.add_file("Rates.txt", "A night costs ten euros.")
    drive.choose(Nothing="../about?fields=*", Rates=rates)

    items = drive.sync()

    assert (places(items), reasons(items)) == (["Rates.txt"], {"Nothing": GONE})


# --- How much -------------------------------------------------------------------------------------


@pytest.fixture
def filled(drive: DriveAccount) -> dict[str, Any]:
    content = drive.server.content
    folder = content.fill(250)
    content.add_google("Survey", "form", b"", folder)  # cannot be read: not counted
    content.add_google("Rules", "document", b"", folder)  # its size nobody says
    return {"chosen": [{"id": folder, "name": "Filled"}]}


def test_what_would_be_read_is_counted(drive: DriveAccount, filled: dict[str, Any]) -> None:
    sizes = [len(item.content) for item in drive.server.content.items.values()]
    amount = drive.connector.measure(drive.connection, filled)

    assert amount == Extent(251, size_bytes=sum(sizes))


def test_counting_stops_after_a_while(
    drive: DriveAccount, filled: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.google_drive.connector.MEASURE_SECONDS", 0.0)
    amount = drive.connector.measure(drive.connection, filled)
    assert amount.is_more
    assert amount.documents < 250
