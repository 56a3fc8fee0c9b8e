"""How accounts are called: what is tried again, what is waited for, and what is refused."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Tenant
from config.http import TooLarge
from sources.connectors import calling
from sources.connectors.calling import (
    Api,
    CallRefused,
    FixedHeaders,
    seconds_asked,
    waited_for,
)
from sources.connectors.json_bodies import parse_json
from sources.errors import AskedToWait, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection
from sources.tests.providers.server import (
    Call,
    ProviderServer,
    Reply,
    cut_in_half,
    json_reply,
)

CONTENT = bytes(range(256)) * 4096


class Shelf(ProviderServer):
    """Answers to one key, and has one file."""

    key = "right"

    def answer(self, call: Call) -> Reply:
        if call.path == "/elsewhere":  # a pre-authenticated address
            return Reply(200, b"to anybody" if not call.bearer else b"with a key!")
        if call.bearer != self.key:
            return json_reply({"error": "key"}, 401)
        match call.path:
            case "/things":
                return json_reply({"things": [1, 2]})
            case "/file":
                return part_of(CONTENT, call)
            case "/moved":
                return Reply(302, b"", {"Location": self.other_address})
        return json_reply({"error": "nothing here"}, 404)

    @property
    def other_address(self) -> str:
        """The same server under another name: another origin."""
        return f"http://localhost:{self.port}/elsewhere"


def part_of(content: bytes, call: Call) -> Reply:
    wanted = call.headers.get("range", "")
    if not wanted:
        return Reply(200, content)
    begin = int(wanted.removeprefix("bytes=").rstrip("-"))
    span = f"bytes {begin}-{len(content) - 1}/{len(content)}"
    return Reply(206, content[begin:], {"Content-Range": span})


@pytest.fixture
def shelf(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with Shelf() as server:
        settings.FETCH_ALLOWED_HOSTS = [server.host, f"localhost:{server.port}"]
        yield server


def open_api(key: str = "right", connection: Connection | None = None) -> Api:
    headers = {"Authorization": f"Bearer {key}"}
    return Api("The shelf", FixedHeaders(headers), connection=connection)


def test_an_answer_is_read_as_json(shelf: Shelf) -> None:
    with open_api() as api:
        assert api.get(f"{shelf.url}/things", {"page": "1"}) == {"things": [1, 2]}
    assert shelf.calls[0].query == {"page": "1"}


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_failure_is_tried_again(shelf: Shelf, status: int) -> None:
    shelf.fail("GET /things", Reply(status), times=2)
    with open_api() as api:
        assert api.get(f"{shelf.url}/things") == {"things": [1, 2]}
    assert len(shelf.calls) == 3


def test_a_failure_that_stays_is_the_others(shelf: Shelf) -> None:
    shelf.fail("GET /things", Reply(500), times=float("inf"))
    with open_api() as api, pytest.raises(OriginUnavailable, match="It answers with HTTP 500"):
        api.get(f"{shelf.url}/things")
    assert len(shelf.calls) == calling.ATTEMPTS


def test_a_provider_that_is_down_may_be_back_later(shelf: Shelf) -> None:
    with shelf.down(), open_api() as api, pytest.raises(OriginUnavailable):
        api.get(f"{shelf.url}/things")


def test_who_is_asked_to_wait_waits(shelf: Shelf) -> None:
    shelf.fail("GET /things", Reply(429, headers={"Retry-After": "1"}))
    with open_api() as api:
        api.get(f"{shelf.url}/things")
    first, second = shelf.calls
    assert second.at - first.at >= 1


def test_a_quota_that_says_nothing_is_waited_for_longer_than_a_failure(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.02)
    shelf.fail("GET /things", Reply(429), times=float("inf"))
    with open_api() as api, pytest.raises(AskedToWait) as waits:
        api.get(f"{shelf.url}/things")
    times = [call.at for call in shelf.calls]
    least = calling.QUOTA_BACK_OFFS * 0.02 / 2
    assert [b - a >= least * 2**n for n, (a, b) in enumerate(pairwise(times))] == [True] * 3
    assert waits.value.wait_seconds >= least * 8


@pytest.mark.django_db
def test_who_is_asked_to_wait_long_lets_go_and_so_does_everybody_else(
    shelf: Shelf, tenant: Tenant
) -> None:
    shelf.fail("GET /things", Reply(429, headers={"Retry-After": "300"}))
    connection = Connection(tenant=tenant)
    with open_api(connection=connection) as api, pytest.raises(AskedToWait) as waits:
        api.get(f"{shelf.url}/things")
    assert waits.value.wait_seconds == 300

    with open_api(connection=connection) as another, pytest.raises(AskedToWait):
        another.get(f"{shelf.url}/things")
    assert len(shelf.calls) == 1


def test_a_key_that_is_refused_cannot_be_tried_again(shelf: Shelf) -> None:
    with open_api("wrong") as api, pytest.raises(ReauthRequired):
        api.get(f"{shelf.url}/things")
    assert len(shelf.calls) == 1


def test_a_refusal_tells_its_status_and_its_content(shelf: Shelf) -> None:
    with open_api() as api, pytest.raises(CallRefused) as refused:
        api.get(f"{shelf.url}/nothing")
    assert (refused.value.status, refused.value.content()) == (404, {"error": "nothing here"})


@pytest.mark.parametrize("body", [b"<html>", b'{"a":', b"[" * 100_000])
def test_what_is_not_json_may_be_another_time(shelf: Shelf, body: bytes) -> None:
    shelf.fail("GET /things", Reply(200, body))
    with open_api() as api, pytest.raises(OriginUnavailable, match="cannot be read"):
        api.get(f"{shelf.url}/things")


@pytest.mark.parametrize(
    "address", ["http://169.254.169.254/latest", "http://10.0.0.1/", "file:///etc"]
)
def test_addresses_within_are_refused(shelf: Shelf, address: str) -> None:
    with open_api() as api, pytest.raises(SyncFailed):
        api.get(address)


# --- Downloads ------------------------------------------------------------------------------------


def test_a_file_is_streamed(shelf: Shelf, tmp_path: Path) -> None:
    with open_api() as api:
        got = api.download(f"{shelf.url}/file", tmp_path / "file", max_bytes=len(CONTENT))
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert got.size_bytes == len(CONTENT)


def test_what_broke_off_goes_on_where_it_did(shelf: Shelf, tmp_path: Path) -> None:
    shelf.fail("GET /file", cut_in_half, times=2)
    with open_api() as api:
        api.download(f"{shelf.url}/file", tmp_path / "file", max_bytes=len(CONTENT))
    assert (tmp_path / "file").read_bytes() == CONTENT
    ranges = [call.headers.get("range") for call in shelf.calls]
    assert ranges == [None, f"bytes={len(CONTENT) // 2}-", f"bytes={len(CONTENT) * 3 // 4}-"]


def test_a_server_without_ranges_begins_anew(shelf: Shelf, tmp_path: Path) -> None:
    shelf.fail("GET /file", cut_in_half)
    shelf.fail("GET /file", Reply(200, CONTENT), after=1)
    with open_api() as api:
        api.download(f"{shelf.url}/file", tmp_path / "file", max_bytes=len(CONTENT))
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_a_file_over_the_limit_is_not_read_on(shelf: Shelf, tmp_path: Path) -> None:
    with open_api() as api, pytest.raises(TooLarge):
        api.download(f"{shelf.url}/file", tmp_path / "file", max_bytes=len(CONTENT) - 1)


def test_another_host_does_not_get_the_key(shelf: Shelf, tmp_path: Path) -> None:
    with open_api() as api:
        api.download(f"{shelf.url}/moved", tmp_path / "file", max_bytes=100)
    assert (tmp_path / "file").read_bytes() == b"to anybody"


# --- Renewing -------------------------------------------------------------------------------------


class Renewable:
    """Has a second key."""

    def __init__(self, *keys: str) -> None:
        self.keys = list(keys)

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.keys[0]}"}

    def renew(self, refused: Mapping[str, str]) -> bool:
        return bool(self.keys.pop(0))


def test_an_expired_key_is_renewed_once(shelf: Shelf) -> None:
    with Api("The shelf", Renewable("old", "right")) as api:
        assert api.get(f"{shelf.url}/things") == {"things": [1, 2]}
    with (
        Api("The shelf", Renewable("old", "wrong", "right")) as api,
        pytest.raises(ReauthRequired),
    ):
        api.get(f"{shelf.url}/things")


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("120", 120), ("0", 0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0), ("soon", None), ("", None)],
)
def test_what_a_server_asks_for(written: str, seconds: float | None) -> None:
    assert seconds_asked(written) == seconds


@pytest.mark.parametrize(
    ("body", "read"),
    [
        (rb'["a\u0000b"]', ["ab"]),
        (rb'["\ud800", "\uDFFF", "\ud83d\ud83d\ude00"]', ["", "", "\U0001f600"]),
        (rb'["\\u0000", "\\\ud800"]', ["\\u0000", "\\"]),
        (b'["\xed\xa0\x80"]', ["\ufffd\ufffd\ufffd"]),
        (rb'{"\udc00": 1}', {"": 1}),
    ],
)
def test_what_cannot_be_stored_is_in_no_text(body: bytes, read: object) -> None:
    assert parse_json(body) == read


def test_who_waits_does_not_wait_for_all_attempts(shelf: Shelf) -> None:
    shelf.fail("GET /things", Reply(after_seconds=5), times=float("inf"))
    began = time.monotonic()
    with open_api() as api, waited_for(0.3), pytest.raises(OriginUnavailable):
        api.get(f"{shelf.url}/things")
    assert time.monotonic() - began < 5  # sooner than the first attempt ends
    assert len(shelf.calls) == 1


def test_a_list_without_end_ends_when_nobody_waits_any_more(shelf: Shelf) -> None:
    with open_api() as api, waited_for(0.3):
        pages = (api.get(f"{shelf.url}/things") for _ in count())
        with pytest.raises(OriginUnavailable):
            deque(pages, maxlen=0)


def test_who_waits_is_told_that_the_provider_wants_more_time(shelf: Shelf) -> None:
    shelf.fail("GET /things", Reply(429, headers={"Retry-After": "10"}))
    with open_api() as api, waited_for(5), pytest.raises(AskedToWait):
        api.get(f"{shelf.url}/things")
