"""Google Drive when it is busy, breaks off, says no, or says what cannot be."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from accounts.models import Tenant
from connectors.google_drive.problems import (
    CHANGED_MEANWHILE,
    HARMFUL,
    NO_PERMISSION,
    NO_SCOPE,
    NOT_THERE,
    UNREADABLE,
)
from connectors.tests.google_drive.account import DriveAccount, places, reasons
from connectors.tests.providers.google_drive_language import refusal
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from reading.passages import ReadDocument
from reading.tests.office_files import make_docx, paragraph
from reasons import Reason, join_reasons
from sources.connections import keep_credentials
from sources.errors import AskedToWait, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection
from sources.tests.providers.server import Answer, Call, Reply, cut_in_half, json_reply

LONG_TEXT = "\n\n".join(f"Paragraph {number} of a long text." for number in range(8000))


@pytest.fixture
def handbook(drive: DriveAccount) -> str:
    """A chosen folder with one file."""
    folder = drive.server.content.add_folder("Handbook")
    drive.server.content.add_file("Rates.txt", "A night costs ten euros.", folder)
    drive.choose(Handbook=folder)
    return folder


# --- Busy, broken, down ---------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["userRateLimitExceeded", "rateLimitExceeded"])
def test_quota_that_is_used_up_is_waited_for(
    drive: DriveAccount, handbook: str, reason: str
) -> None:
    drive.server.limit(times=2, reason=reason)
    assert places(drive.sync()) == ["Handbook / Rates.txt"]


def test_who_asks_for_a_long_pause_is_left_alone(drive: DriveAccount, handbook: str) -> None:
    drive.server.limit(reason="rateLimitExceeded", retry_after="600")

    with pytest.raises(AskedToWait) as waits:
        drive.sync()

    assert waits.value.wait_seconds == 600
    with pytest.raises(AskedToWait):
        drive.sync()
    assert drive.asked() == []


def test_a_failure_that_passes_is_not_noticed(drive: DriveAccount, handbook: str) -> None:
    drive.server.fail("GET /drive/v3/files", Reply(500))
    assert places(drive.sync()) == ["Handbook / Rates.txt"]


def test_a_failure_that_stays_ends_the_sync(drive: DriveAccount, handbook: str) -> None:
    drive.server.fail("GET /drive/v3/files", Reply(500), times=99)
    with pytest.raises(OriginUnavailable, match="Google Drive does not answer at the moment"):
        drive.sync()


def test_while_it_is_down_nothing_is_known_of_it(drive: DriveAccount, handbook: str) -> None:
    drive.sync()
    before = drive.run.cursor
    with drive.server.down(), pytest.raises(OriginUnavailable):
        drive.sync()
    assert drive.run.kept_cursor == before


def test_a_download_that_breaks_off_goes_on_where_it_did(drive: DriveAccount) -> None:
    file = drive.server.content.add_file("Long.txt", LONG_TEXT)
    drive.choose(**{"Long.txt": file})
    drive.server.fail(f"files/{file}$", cut_in_half, after=1)

    [item] = drive.sync()

    assert isinstance(item, ReadDocument)
    assert item.passages[-1].text.endswith("Paragraph 7999 of a long text.")
    first, second = drive.downloads()
    assert "range" not in first.headers
    assert 0 < int(second.headers["range"].removeprefix("bytes=")[:-1]) <= len(LONG_TEXT) // 2


def test_an_export_that_breaks_off_begins_again(drive: DriveAccount) -> None:
    exported = make_docx(paragraph("Dogs are welcome."))
    rules = drive.server.content.add_google("Rules", "document", exported)
    drive.choose(Rules=rules)
    drive.server.fail("/export", cut_in_half)

    assert places(drive.sync()) == ["Rules"]
    assert ["range" in call.headers for call in drive.downloads()] == [False, False]


def test_what_changes_while_it_is_read_is_read_the_next_time(
    drive: DriveAccount, handbook: str
) -> None:
    [rates] = [item for item in drive.server.content.items.values() if item.name == "Rates.txt"]

    def edit_first(call: Call, answer: Answer) -> Reply:
        drive.server.content.edit(rates.id, "A night costs twelve euros.")
        return answer(call)

    drive.server.fail(f"files/{rates.id}$", edit_first)

    assert reasons(drive.sync()) == {"Handbook / Rates.txt": CHANGED_MEANWHILE}
    assert places(drive.sync()) == ["Handbook / Rates.txt"]


# --- No -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "reason", "told"),
    [
        (403, "cannotDownloadFile", NO_PERMISSION),
        (403, "cannotDownloadAbusiveFile", HARMFUL),
        (404, "notFound", NOT_THERE),
        (403, "somethingNew", Reason("origin_refused_request", label="Google Drive", status="403")),
        (403, "", Reason("origin_refused_request", label="Google Drive", status="403")),
    ],
)
def test_a_file_that_is_refused_is_named_with_its_reason(
    drive: DriveAccount, handbook: str, status: int, reason: str, told: str
) -> None:
    drive.server.content.add_file("Beach.txt", "The beach is near.", handbook)
    drive.server.fail(
        "GET /drive/v3/files/1Item", refusal(status, reason, "No."), after=1
    )  # the folder itself is found

    items = drive.sync()

    [refused] = reasons(items).values()
    assert str(refused).startswith(str(told))
    assert len(places(items)) == 1


def test_a_file_that_is_larger_than_it_said_is_not_read(drive: DriveAccount, settings: Any) -> None:
    settings.UPLOAD_MAX_BYTES = 100_000
    exported = drive.server.content.add_google("Rules", "document", b"x" * 100_001)
    said = drive.server.content.add_file("Long.txt", LONG_TEXT)
    drive.choose(Rules=exported, Long=said)

    assert reasons(drive.sync()) == {
        "Rules": join_reasons(Reason("too_large"), Reason("answer_too_large", size="0.0954")),
        "Long.txt": Reason("too_large_by_size", limit="0.0954", size="0.243"),
    }
    assert len(drive.downloads()) == 1


def test_without_the_right_to_read_the_account_is_to_be_connected_again(
    drive: DriveAccount, handbook: str
) -> None:
    drive.server.authorization.grants[0].scopes = frozenset({"openid"})
    with pytest.raises(ReauthRequired, match=re.escape(str(NO_SCOPE))):
        drive.sync()


# --- Tokens ---------------------------------------------------------------------------------------


@pytest.fixture
def signed_in(google: GoogleDriveServer, committed_tenant: Tenant) -> DriveAccount:
    """Opened by tokens that are kept in the database, and renewed."""
    tokens = google.authorization.sign_in()
    connection = Connection(
        tenant=committed_tenant, provider="cloud_drive_a", account="ana@company.example"
    )
    keep_credentials(connection, tokens)
    account = DriveAccount(google, connection)
    folder = google.content.add_folder("Handbook")
    google.content.add_file("Rates.txt", "A night costs ten euros.", folder)
    google.content.add_file("Beach.txt", "The beach is near.", folder)
    account.choose(Handbook=folder)
    return account


def test_a_token_that_expires_in_the_middle_is_renewed_once(signed_in: DriveAccount) -> None:
    def expire_first(call: Call, answer: Answer) -> Reply:
        signed_in.server.authorization.expire_access()
        return answer(call)

    signed_in.server.fail("GET /drive/v3/files$", expire_first)

    assert len(places(signed_in.sync())) == 2
    assert len(signed_in.server.calls_to("POST /token")) == 1


def test_an_account_that_was_taken_away_is_to_be_connected_again(signed_in: DriveAccount) -> None:
    signed_in.sync()
    signed_in.server.authorization.revoke_all()

    with pytest.raises(ReauthRequired, match="Connect the account again"):
        signed_in.sync()

    signed_in.connection.refresh_from_db()
    assert signed_in.connection.state == "reauth_required"


# --- What cannot be -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in to the hotel's network</html>",
        b"[" * 200_000,
        b"[]",
        b"{}",
        b'{"files": null}',
        b'{"files": [null]}',
        b'{"files": [{"id": 7}]}',
        b'{"files": [{"id": "../../about"}]}',
        b'{"files": [], "nextPageToken": {}}',
    ],
)
def test_a_list_that_cannot_be_read_ends_the_sync(
    drive: DriveAccount, handbook: str, body: bytes
) -> None:
    drive.server.fail("GET /drive/v3/files$", Reply(200, body), times=99)
    with pytest.raises(OriginUnavailable, match=re.escape(str(UNREADABLE))):
        drive.sync()


def test_a_list_that_is_too_long_ends_the_sync(drive: DriveAccount, handbook: str) -> None:
    drive.server.fail("GET /drive/v3/files$", Reply(200, b" " * (11 * 2**20)))
    with pytest.raises(SyncFailed, match="larger than 10 MB"):
        drive.sync()


def test_a_search_that_drive_did_not_finish_removes_nothing(
    drive: DriveAccount, handbook: str
) -> None:
    incomplete = json_reply({"files": [], "incompleteSearch": True})
    drive.server.fail("GET /drive/v3/files$", incomplete)
    with pytest.raises(OriginUnavailable):
        drive.sync()
    assert "incompleteSearch" in drive.server.calls[-1].query["fields"]


def test_a_list_without_an_end_is_not_followed_for_ever(
    drive: DriveAccount, handbook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.google_drive.drive.PAGES_MAX", 3)
    endless = json_reply({"files": [], "nextPageToken": "again"})
    drive.server.fail("GET /drive/v3/files$", endless, times=99)

    with pytest.raises(OriginUnavailable):
        drive.sync()

    assert drive.asked().count("files") == 3


@pytest.mark.parametrize(
    "log",
    [
        {"changes": None, "newStartPageToken": "9"},
        {"changes": [{"fileId": 9}], "newStartPageToken": "9"},
        {"changes": [{"changeType": "file", "fileId": "a"}], "newStartPageToken": "9"},
        {"changes": [{"changeType": "drive"}], "newStartPageToken": "9"},
        {"changes": []},
    ],
)
def test_a_log_that_cannot_be_read_ends_the_sync(
    drive: DriveAccount, handbook: str, log: dict[str, Any]
) -> None:
    drive.sync()
    drive.server.fail("GET /drive/v3/changes$", json_reply(log))
    with pytest.raises(OriginUnavailable):
        drive.sync()


def test_hostile_values_are_cut_or_left_out(drive: DriveAccount, handbook: str) -> None:
    links = (
        "javascript:alert(1)",
        "http://169.254.169.254/latest",
        "https://evil.example\\.google.com/",
        "https://evil.example/?.google.com/",
        ["https://drive.google.com/"],
    )

    def spoil(call: Call, answer: Answer) -> Reply:
        files: list[dict[str, Any]] = []
        for number, link in enumerate(links):
            file = drive.server.content.add_file(f"{number}.txt", f"Text {number}.")
            files.append({"id": file, "name": "A\0\n" + "x" * 10_000, "webViewLink": link})
        files[0] |= {"size": "nine", "capabilities": None, "parents": "none", "driveId": None}
        files[1] |= {"name": None, "mimeType": 5, "md5Checksum": "x", "shortcutDetails": []}
        return json_reply({"files": files})

    drive.server.fail("GET /drive/v3/files$", spoil)

    items = [item for item in drive.sync() if isinstance(item, ReadDocument)]

    assert [item.link for item in items] == [""] * 5
    assert items[0].title == "A" + "x" * 299
    assert items[1].title == "Untitled"
    json.dumps(drive.run.kept_cursor)


def test_what_is_kept_for_the_next_sync_may_be_of_another_version(
    drive: DriveAccount, handbook: str
) -> None:
    drive.sync()
    drive.run.cursor = {"format": 0}
    assert places(drive.sync()) == []
    assert drive.downloads() == []
