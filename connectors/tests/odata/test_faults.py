"""What an OData service may answer, and what becomes of it."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from connectors.odata import reading
from connectors.tests.odata.account import (
    ALWAYS,
    sync,
    text_of,
)
from connectors.tests.providers.odata_server import ODataServer
from reading.passages import ReadDocument
from sources.connectors import calling
from sources.connectors.interface import Failed
from sources.errors import (
    AskedToWait,
    OriginUnavailable,
    SyncFailed,
)
from sources.models import Source
from sources.tests.providers.server import Call, Reply, cut_in_half, json_reply

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "reply", [Reply(429, headers={"Retry-After": "0"}), Reply(500), cut_in_half]
)
def test_what_passes_is_tried_again(erp: ODataServer, source: Source, reply: Any) -> None:
    erp.page_max = 2
    erp.fail("GET .*/Items", reply, after=1)
    told, _ = sync(source)
    assert len(told) == 5
    assert len(erp.calls_to("/Items$")) == 4


def test_who_is_asked_to_wait_long_lets_go(erp: ODataServer, source: Source) -> None:
    erp.fail("GET .*/Items", Reply(429, headers={"Retry-After": "300"}))
    with pytest.raises(AskedToWait):
        sync(source)
    assert len(erp.calls_to("/Items$")) == 1


def test_500_for_delta_links_is_asked_without_them(erp: ODataServer, source: Source) -> None:
    """As Business Central answers where it has none."""

    def refuse(call: Call, answer: Any) -> Reply:
        return Reply(500) if "track-changes" in call.headers["prefer"] else answer(call)

    erp.fail("GET .*/Items", refuse, times=ALWAYS)
    assert len(sync(source)[0]) == 5


def test_a_service_that_stays_broken_or_is_down(erp: ODataServer, source: Source) -> None:
    erp.fail("GET .*/Items", Reply(500), times=ALWAYS)
    with pytest.raises(OriginUnavailable):
        sync(source)
    with erp.down(), pytest.raises(OriginUnavailable):
        sync(source)


@pytest.mark.parametrize(
    "link",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://evil.example/odata/Items?$skiptoken=2",
        "javascript:alert(1)",
        "//evil.example/Items",
        "http://[::1",
        {"href": "Items"},
    ],
)
def test_links_that_lead_elsewhere_are_not_followed(
    erp: ODataServer, source: Source, link: object
) -> None:
    for name in ("@odata.nextLink", "@odata.deltaLink"):
        erp.fail("GET .*/Items", json_reply({"value": [], name: link}))
        with pytest.raises(SyncFailed, match="is on another server"):
            sync(source)


def test_a_link_that_is_too_long_says_what_to_do(erp: ODataServer, source: Source) -> None:
    link = "Items?$skiptoken=" + "x" * 2000
    erp.fail("GET .*/Items", json_reply({"value": [], "@odata.nextLink": link}))
    with pytest.raises(SyncFailed, match="Choose fewer properties"):
        sync(source)


def test_pages_that_never_end_are_noticed(erp: ODataServer, source: Source) -> None:
    erp.fail(
        "GET .*/Items", json_reply({"value": [], "@odata.nextLink": "Items?again"}), times=ALWAYS
    )
    with pytest.raises(SyncFailed, match="without end"):
        sync(source)


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b'{"value": [', b"[" * 100_000, b"[]", b'{"value": 1}', b'{"value": [null]}'],
)
def test_answers_of_another_form_may_be_another_time(
    erp: ODataServer, source: Source, body: bytes
) -> None:
    erp.fail("GET .*/Items", Reply(200, body), times=ALWAYS)
    with pytest.raises(OriginUnavailable, match="cannot be read"):
        sync(source)


def test_hostile_values_become_text_or_nothing(erp: ODataServer, source: Source) -> None:
    deep: Any = "bottom"
    for _ in range(50):
        deep = {"in": [deep]}
    records: list[Any] = [
        {"ID": 1, "displayName": "a\0b\u202ec", "unitPrice": True, "@odata.etag": "x\n" * 9},
        {"ID": 2, "displayName": "antes" * 20_000, "unitPrice": [1, {"@a": 1, "EUR": 2}]},
        {"ID": 3, "displayName": {"a": deep}, "unitPrice": 10**400},
        {"ID": 4, "displayName": "0001-01-01", "unitPrice": "1e5"},
        {"ID": None},
        {"displayName": "no key"},
        {"ID": "5) or (1"},
        {"ID": ["6"]},
        {"ID": 1, "displayName": "the same again"},
    ]
    erp.fail("GET .*/Items", json_reply({"value": records}))
    told, _ = sync(source)
    assert list(told) == ["Items(1)", "Items(2)", "Items(3)", "Items(4)", "Items"]
    first = told["Items(1)"]
    assert isinstance(first, ReadDocument)
    assert (text_of(first), first.etag) == ("ID: 1; Name: abc; Unit price: true", "")
    second = told["Items(2)"]
    assert isinstance(second, ReadDocument)
    assert second.title == "antes" * 100
    assert second.passages[-1].text.endswith("Unit price: 1 | EUR: 2")
    assert text_of(told["Items(4)"]) == "ID: 4; Unit price: 1e5"
    assert told["Items"] == Failed("Items", reading.NO_KEY, title="Articles")


def test_an_answer_that_is_too_large_says_what_to_do(
    erp: ODataServer, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    erp.fail("GET .*/Items", Reply(200, b" " * (calling.JSON_MAX_BYTES + 1)))
    with pytest.raises(SyncFailed, match="Choose fewer properties"):
        sync(source)


def test_a_redirect_does_not_take_the_credentials_along(erp: ODataServer, source: Source) -> None:
    away = f"http://localhost:{erp.port}/elsewhere"
    erp.fail("GET .*/Items", Reply(302, headers={"Location": away}), times=ALWAYS)
    told, _ = sync(source)
    assert list(told) == ["Items"]
    assert erp.calls_to("/elsewhere") == []


def test_a_description_that_is_none_ends_the_sync(erp: ODataServer, source: Source) -> None:
    for body in (b"<html/>", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'):
        erp.fail(r"GET .*\$metadata", Reply(200, body))
        with pytest.raises(SyncFailed, match="answer at /\\$metadata"):
            sync(source)


def test_the_stand_in_keeps_the_rules(erp: ODataServer) -> None:
    """Else what passes here would fail at a real service."""
    right = {"authorization": "Basic " + b64encode(f"{erp.user}:{erp.password}".encode()).decode()}
    right |= {"odata-maxversion": "4.0", "accept": "application/json"}

    def status(query: dict[str, str], **change: str) -> int:
        call = Call("GET", "/odata/v4/shop/Items", query, {**right, **change}, b"", 0.0)
        return erp.answer(call).status

    assert status({}) == 200
    assert status({"$select": "nope"}) == 400
    assert status({"$unknown": "1"}) == 400
    assert status({"$filter": "lastModifiedDateTime ge '2026-01-01T00:00:00Z'"}) == 400
    assert status({"$skiptoken": "made up"}) == 410
    assert status({}, accept="text/html") == 406
    assert status({}, authorization="Basic YTpi") == 401
