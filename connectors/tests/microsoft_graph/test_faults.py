"""OneDrive and SharePoint: when the other side is busy, broken, closed, or lies."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from accounts.models import Tenant
from connectors.microsoft_graph import graph
from connectors.microsoft_graph.listing import MALWARE
from connectors.microsoft_graph.tree import DEPTH_MAX
from connectors.tests.microsoft_graph.account import (
    Reader,
    failed_in,
    open_account,
    read_in,
)
from connectors.tests.providers.microsoft_server import MicrosoftServer, throttled
from reading.passages import ReadDocument
from reasons import Reason
from sources.errors import AskedToWait, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import ConnectionState
from sources.services.connections import begin_sign_in, finish_sign_in
from sources.tests.providers.server import Answer, Call, Reply, cut_in_half, json_reply

ALWAYS = float("inf")
WEB_LINK = "https://company-my.sharepoint.com/OneDrive/Odd.txt"


def in_all(name: str, changes: dict[str, Any]) -> Callable[[Call, Answer], Reply]:
    """For `fail`: a page in which what has this name is changed so, wherever it stands."""

    def answer_spoiled(call: Call, answer: Answer) -> Reply:
        page = json.loads(answer(call).body)
        bad_ids = {item["id"] for item in page["value"] if item.get("name") == name}
        for item in page["value"]:
            if item["id"] in bad_ids:
                item |= changes
        return json_reply(page)

    return answer_spoiled


# --- Busy, broken, down ---------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/delta", "/content"])
@pytest.mark.parametrize("reply", [throttled(0), Reply(503), Reply(509), Reply(500)])
def test_what_passes_is_tried_again(reader: Reader, path: str, reply: Reply) -> None:
    reader.server.drive.add_file("Rates.txt", "90 euros.")
    reader.server.fail(f"GET .*{path}", reply)
    assert read_in(reader.sync()) == {"OneDrive / Rates.txt": "90 euros."}
    assert len(reader.server.calls) == 3


def test_who_is_asked_to_wait_long_comes_back_later(reader: Reader) -> None:
    reader.server.fail("GET .*/delta", throttled(120))
    with pytest.raises(AskedToWait) as waits:
        reader.sync()
    assert waits.value.wait_seconds == 120


@pytest.mark.parametrize("path", ["/delta", "/content"])
def test_what_does_not_pass_ends_the_sync_for_now(reader: Reader, path: str) -> None:
    reader.server.drive.add_file("Rates.txt", "90 euros.")
    reader.server.fail(f"GET .*{path}", Reply(500), times=ALWAYS)
    with pytest.raises(OriginUnavailable, match="It answers with HTTP 500"):
        reader.sync()


def test_a_provider_that_is_down_may_be_back_later(reader: Reader) -> None:
    with reader.server.down(), pytest.raises(OriginUnavailable):
        reader.sync()
    assert reader.sync() == []


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(400), "Microsoft 365 answered one of our requests with HTTP 400"),
        (Reply(423), "Microsoft 365 answered one of our requests with HTTP 423"),
        (Reply(200, b" " * (11 * 2**20)), "larger than 10 MB"),
    ],
)
def test_a_drive_that_is_not_listed_loses_nothing(reader: Reader, reply: Reply, told: str) -> None:
    reader.server.fail("GET .*/delta", reply, times=ALWAYS)
    with pytest.raises(SyncFailed, match=re.escape(str(told))):
        reader.sync()


def test_libraries_that_are_not_listed_lose_nothing(reader: Reader) -> None:
    reader.choose(reader.server.add_site("Harbour", "Documents"))
    reader.server.fail("GET .*/sites/.*/drives", Reply(423))
    with pytest.raises(
        SyncFailed, match="Microsoft 365 answered one of our requests with HTTP 423"
    ):
        reader.sync()


# --- Downloads ------------------------------------------------------------------------------------


def test_a_download_that_breaks_off_goes_on_where_it_did(reader: Reader) -> None:
    content = b"Nine boats lie here. " * 4000
    reader.server.drive.add_file("Boats.txt", content)
    reader.server.downloads.fail("GET /download", cut_in_half)
    [item] = reader.sync()
    assert isinstance(item, ReadDocument)
    assert item.content_hash == hashlib.sha256(content).hexdigest()

    first, second = reader.server.downloads.calls
    assert "range" not in first.headers
    assert second.headers["range"] == "bytes=32768-"


def test_a_file_that_changes_meanwhile_is_read_as_it_is_then(reader: Reader) -> None:
    file = reader.server.drive.add_file("Rates.txt", "Old: 80 euros. " * 4000)

    def change(call: Call, answer: Answer) -> Reply:
        reply = cut_in_half(call, answer)
        reader.server.drive.edit(file, "New: 90 euros a night.")
        return reply

    reader.server.downloads.fail("GET /download", change)
    assert read_in(reader.sync()) == {"OneDrive / Rates.txt": "New: 90 euros a night."}


def test_the_token_stays_with_graph(reader: Reader) -> None:
    reader.server.drive.add_file("Rates.txt", "90 euros.")
    reader.sync()
    assert all(call.bearer for call in reader.server.calls)
    [download] = reader.server.downloads.calls
    assert "authorization" not in download.headers


def test_an_address_that_opens_nothing_fails_the_file_alone(reader: Reader) -> None:
    drive = reader.server.drive
    drive.add_file("First.txt", "One.")
    drive.add_file("Second.txt", "Two.")
    reader.server.downloads.fail("GET /download", Reply(401))
    items = reader.sync()
    assert list(failed_in(items).values()) == [
        Reason("download_interrupted", label="Microsoft 365")
    ]
    assert len(read_in(items)) == 1
    assert len(read_in(reader.sync())) == 1


def test_a_content_that_lies_within_our_network_is_not_fetched(reader: Reader) -> None:
    reader.server.drive.add_file("Rates.txt", "90 euros.")
    address = {"Location": "http://169.254.169.254/latest/meta-data"}
    reader.server.fail("GET .*/content", Reply(302, headers=address))
    with pytest.raises(SyncFailed, match="not on the public internet"):
        reader.sync()


# --- Rights ---------------------------------------------------------------------------------------


@pytest.fixture
def signed_in(server: MicrosoftServer, committed_tenant: Tenant) -> Reader:
    """By the way that people take."""
    session_id = uuid.uuid4()
    address = begin_sign_in(committed_tenant, "cloud_drive_b", session_id=session_id)
    asked = dict(parse_qsl(urlsplit(address).query))
    assert (server.authorization.problem_of(asked), asked["prompt"]) == ("", "select_account")
    given = {"state": asked["state"], "code": server.authorization.make_code(asked)}
    connection = finish_sign_in(committed_tenant, given, session_id=session_id)
    reader = Reader(server, connection)
    reader.choose(server.drive)
    return reader


def expire(reader: Reader) -> Callable[[Call, Answer], Reply]:
    """For `fail`: this call comes too late for its token."""

    def answer_late(call: Call, answer: Answer) -> Reply:
        reader.server.authorization.expire_access()
        return answer(call)

    return answer_late


def test_a_token_that_ends_in_the_middle_is_renewed_once(signed_in: Reader) -> None:
    assert signed_in.connection.account == "ana@company.example"
    for number in range(5):
        signed_in.server.drive.add_file(f"{number}.txt", f"Number {number}.")
    signed_in.server.fail("GET .*/content", expire(signed_in), after=2)

    assert len(read_in(signed_in.sync())) == 5
    assert len(signed_in.server.calls_to("POST .*/token")) == 1


def test_a_right_that_was_taken_away_has_to_be_given_again(signed_in: Reader) -> None:
    signed_in.server.drive.add_file("Rates.txt", "90 euros.")
    signed_in.sync()
    signed_in.server.authorization.revoke_all()

    with pytest.raises(ReauthRequired, match="ana@company.example"):
        signed_in.sync()
    signed_in.connection.refresh_from_db()
    assert signed_in.connection.state == ConnectionState.REAUTH_REQUIRED


def test_without_the_right_to_sites_there_are_drives(
    server: MicrosoftServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.add_site("Harbour", "Documents")
    server.authorization.scopes = frozenset({"Files.Read.All"})
    reader = open_account(server, monkeypatch)
    found = reader.connector.browse(reader.connection, inside="")
    assert [choice.name for choice in found] == ["OneDrive"]


# --- Lies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body", [b"<html>", b'{"value": [', b"[]", b"null", b'{"value": null}', b'{"value": {"a": 1}}']
)
def test_what_is_no_page_may_be_another_time(reader: Reader, body: bytes) -> None:
    reader.server.fail("GET .*/delta", Reply(200, body))
    with pytest.raises(OriginUnavailable, match="cannot be read"):
        reader.sync()


@pytest.mark.parametrize("name", ["@odata.nextLink", "@odata.deltaLink"])
@pytest.mark.parametrize(
    "link", ["http://169.254.169.254/v1.0/", "https://evil.example/v1.0/drives", 7, ["x"]]
)
def test_no_token_goes_where_a_page_leads_away(reader: Reader, name: str, link: object) -> None:
    reader.server.fail("GET .*/delta", json_reply({"value": [], name: link}))
    with pytest.raises(OriginUnavailable, match="cannot be read"):
        reader.sync()
    assert len(reader.server.calls) == 1


def test_a_feed_that_says_not_where_it_goes_on_is_begun_anew(reader: Reader) -> None:
    file = reader.server.drive.add_file("Rates.txt", "90 euros.")

    def answer_without_link(call: Call, answer: Answer) -> Reply:
        return json_reply({"value": json.loads(answer(call).body)["value"]})

    reader.server.fail("GET .*/delta", answer_without_link)
    reader.sync()
    reader.server.drive.trash(file)
    assert reader.sync() == []


def test_what_microsoft_found_malware_in_is_not_fetched(reader: Reader) -> None:
    reader.server.drive.add_file("Virus.txt", "Bad.")
    malware = {"malware": {"description": "Trojan"}}
    reader.server.fail("GET .*/delta", in_all("Virus.txt", malware))
    assert failed_in(reader.sync()) == {"OneDrive / Virus.txt": MALWARE}
    assert reader.server.calls_to("/content") == []


def test_a_list_without_end_is_ended(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "PAGES_MAX", 3)
    endless = {"value": [], "@odata.nextLink": f"{reader.server.url}/v1.0/drives/a/root/delta"}
    reader.server.fail("GET .*/delta", json_reply(endless), times=ALWAYS)
    with pytest.raises(SyncFailed, match="Choose fewer folders"):
        reader.sync()
    assert len(reader.server.calls) == 3


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"id": "../../me/messages"},
        {"id": ["x"]},
        {"file": None},
        {"deleted": {}},
        {"remoteItem": {"id": "../me", "folder": {}, "parentReference": {"driveId": "x"}}},
        {"remoteItem": "x"},
    ],
)
def test_what_is_no_file_is_left_out(reader: Reader, changes: dict[str, Any]) -> None:
    drive = reader.server.drive
    drive.add_file("Good.txt", "Good.", into=drive.add_folder("Folder"))
    drive.add_file("Bad.txt", "Bad.")
    reader.server.fail("GET .*/delta", in_all("Bad.txt", changes))
    assert read_in(reader.sync()) == {"OneDrive / Folder / Good.txt": "Good."}


@pytest.mark.parametrize(
    ("changes", "title", "place", "link"),
    [
        ({"name": None}, "(no name)", "OneDrive / (no name)", WEB_LINK),
        ({"name": "a/b\0\n c.txt"}, "a_b c.txt", "OneDrive / a_b c.txt", WEB_LINK),
        ({"name": "x" * 10_000 + ".txt"}, "x" * 300, f"OneDrive / {'x' * 300}", WEB_LINK),
        ({"webUrl": "javascript:alert(1)"}, "Odd.txt", "OneDrive / Odd.txt", ""),
        ({"webUrl": {"a": "b"}}, "Odd.txt", "OneDrive / Odd.txt", ""),
        ({"size": -1}, "Odd.txt", "OneDrive / Odd.txt", WEB_LINK),
        ({"size": "many"}, "Odd.txt", "OneDrive / Odd.txt", WEB_LINK),
        ({"parentReference": "x"}, "Odd.txt", "OneDrive / Odd.txt", WEB_LINK),
        ({"parentReference": {"id": "elsewhere"}}, "Odd.txt", "OneDrive / Odd.txt", WEB_LINK),
        ({"eTag": 7, "file": {"hashes": []}}, "Odd.txt", "OneDrive / Odd.txt", WEB_LINK),
    ],
)
def test_what_is_told_of_a_file_is_not_believed(
    reader: Reader, changes: dict[str, Any], title: str, place: str, link: str
) -> None:
    reader.server.drive.add_file("Odd.txt", "Odd.")
    reader.server.fail("GET .*/delta", in_all("Odd.txt", changes))
    [item] = reader.sync()
    assert isinstance(item, ReadDocument)
    assert (item.title, item.place, item.link) == (title, place, link)


def test_folders_that_lie_in_each_other_come_to_an_end(reader: Reader) -> None:
    drive = reader.server.drive
    first = drive.add_folder("First")
    second = drive.add_folder("Second", into=first)
    drive.add_file("Deep.txt", "Deep.", into=second)
    reader.server.fail("GET .*/delta", in_all("First", {"parentReference": {"id": second.id}}))
    [place] = read_in(reader.sync())
    assert place.startswith("OneDrive / ")
    assert place.endswith(" / Second / First / Second / Deep.txt")
    assert place.count(" / ") == DEPTH_MAX
