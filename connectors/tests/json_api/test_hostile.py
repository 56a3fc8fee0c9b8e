"""What an API may not do to us."""

from __future__ import annotations

from typing import Any

import pytest

from connectors.json_api import listing, pages
from connectors.tests.json_api.help_centre import (
    ALWAYS,
    HelpCentre,
    Open,
    cut_of,
    read,
    reasons,
    serve,
    text_of,
    the_only,
)
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.interface import Cut, Failed, Unchanged
from sources.errors import SyncFailed
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Call, Reply, json_reply

pytestmark = pytest.mark.django_db


def test_items_that_are_no_documents_are_told(centre: HelpCentre) -> None:
    good = {"id": 7, "title": "Good", "body": "A text."}
    again = {"id": 7, "title": "Other", "body": "Another text."}
    bad: list[Any] = [None, "text", 7, [], {}, {"id": None}, {"id": {"a": 1}}, {"id": "x" * 501}]
    serve(centre, [good, good, again, *bad, {"id": 8}, {"id": 9, "body": "\0\ud800<p> </p>"}])

    items = read(centre)
    assert [item.external_id for item in items if isinstance(item, ReadDocument)] == ["7"]
    told = reasons(items)
    assert told.pop("page 1, item 3") == (Reason("item_id_repeated", id="7"))
    assert told.pop("8") == Reason("no_text")
    assert told.pop("9") == Reason("no_text")
    assert list(told) == [f"page 1, item {place}" for place in range(4, 12)]
    assert set(told.values()) == {Reason("item_without_id", limit=500, pointer="/id")}


def test_a_page_of_items_without_ids_does_not_end_the_list(open_centre: Open) -> None:
    server = open_centre(paging="page")
    serve(server, {"results": [{"id": 1, "body": "A text."}]})
    serve(server, {"results": [{}, {}]})
    serve(server, {"results": [{"id": 2, "body": "A text."}]})
    serve(server, {"results": []})
    items = read(server)
    assert [type(item) for item in items] == [ReadDocument, Failed, Failed, ReadDocument]


def test_an_item_that_moves_to_another_page_meanwhile_is_read_once(open_centre: Open) -> None:
    """And belongs to both: the next sync may find either as it was."""
    server = open_centre(paging="page")
    first, second, third = ({"id": number, "body": "A text."} for number in (1, 2, 3))
    serve(server, {"results": [first, second]}, ETag='"1"')
    serve(server, {"results": [second, third]}, ETag='"2"')
    serve(server, {"results": []})
    run = FakeRun()
    run = run.next(read(server, run))
    assert [page["ids"] for page in run.cursor["pages"]] == [("1", "2"), ("2", "3")]

    serve(server, {"results": [first]}, ETag='"3"')
    server.fail("GET", Reply(304))
    serve(server, {"results": []})
    items = read(server, run)
    assert [item.external_id for item in items if isinstance(item, Unchanged)] == ["1", "2", "3"]


@pytest.mark.parametrize("end", [None, "", False])
def test_a_cursor_ends_with_nothing(open_centre: Open, end: object) -> None:
    server = open_centre(paging="cursor")
    serve(server, {"items": [{"id": 1, "body": "A text."}], "meta": {"next": end}})
    assert the_only(read(server)).external_id == "1"


def test_hostile_values_are_harmless(centre: HelpCentre) -> None:
    deep: Any = "deep"
    for _ in range(400):
        deep = {"a": [deep]}
    wide = {"k" * 1000: {"k" * 1000: list(range(1000))}}
    serve(
        centre,
        [
            {"id": 1, "title": "\0\n\u202eevil\ud800", "body": deep, "url": "javascript:alert(1)"},
            {"id": 2, "title": ["t"], "body": wide, "url": "http://ana:secret@169.254.169.254/"},
            {"id": 3, "title": "t" * 9000, "body": {"a": 1e999, "b": 10**400, "c": False}},
        ],
    )
    items = read(centre)
    assert reasons(items) == {"1": Reason("no_text")}
    two, three = (item for item in items if isinstance(item, ReadDocument))
    assert (two.title, two.link, three.title) == ("2", "", "t" * 500)
    assert text_of(two)[0].startswith(f"{'k' * 80} {'k' * 80}: 0, 1, 2, ")
    assert text_of(three) == [f"b: 1{'0' * 400}\nc: false"]


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data",
        "https://elsewhere.example/v1/articles?page=2",
        "//elsewhere.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "http://[::1",
        "http://ana:secret@127.0.0.1/",
    ],
)
@pytest.mark.parametrize("paging", ["link", "next"])
def test_credentials_go_to_no_other_address(open_centre: Open, paging: str, target: str) -> None:
    server = open_centre(paging=paging)
    article = {"id": 1, "body": "A text."}
    if paging == "link":
        serve(server, [article], Link=f'<{target}>; rel="next"')
    else:
        serve(server, {"data": [article], "links": {"next": target}})
    with pytest.raises(SyncFailed, match="next page is at another address"):
        read(server)
    assert len(server.calls) == 1


def test_a_next_page_may_be_written_relative(centre: HelpCentre) -> None:
    centre.fill(25)
    serve(centre, [], Link='<?page=2>; rel="next"')
    assert len(read(centre)) == 5


def test_pages_in_a_circle_are_left(open_centre: Open) -> None:
    server = open_centre(paging="cursor")
    for number, after in enumerate(("b", "c", "b")):
        article = {"id": number, "body": "A text."}
        serve(server, {"items": [article], "meta": {"next": after}})
    items = read(server)
    assert len(items) == 4
    assert cut_of(items) == Cut(pages.IN_A_CIRCLE, keeps_rest=True)
    assert len(server.calls) == 3


def test_the_same_items_under_ever_new_cursors_are_left(open_centre: Open) -> None:
    server = open_centre(paging="cursor")

    def endless(call: Call, answer: object) -> Reply:
        following = call.query.get("after", "") + "+"
        return json_reply({"items": [{"id": 1, "body": "A."}], "meta": {"next": following}})

    server.fail("GET", endless, times=ALWAYS)
    items = read(server)
    assert cut_of(items) == Cut(listing.SAME_ITEMS, keeps_rest=True)
    assert len(server.calls) == 2


def test_ever_more_empty_pages_are_left(open_centre: Open) -> None:
    server = open_centre(paging="cursor")

    def endless(call: Call, answer: object) -> Reply:
        return json_reply({"items": [], "meta": {"next": call.query.get("after", "") + "+"}})

    server.fail("GET", endless, times=ALWAYS)
    assert cut_of(read(server)) == Cut(pages.ALL_EMPTY, keeps_rest=True)
    assert len(server.calls) == pages.EMPTY_PAGES_MAX


def test_a_parameter_that_the_api_does_not_know_is_told(open_centre: Open) -> None:
    """It gives its first page whatever page is asked for."""
    server = open_centre(paging="page")
    serve(server, {"results": [{"id": 1, "body": "A text."}]}, times=ALWAYS)
    items = read(server)
    assert cut_of(items) == Cut(listing.SAME_ITEMS, keeps_rest=True)
    assert len(server.calls) == 2


def test_an_api_that_gives_its_last_page_for_ever_is_at_its_end(open_centre: Open) -> None:
    """At every sync after the same number of requests."""
    server, run = open_centre(paging="page"), FakeRun()

    def last_for_ever(call: Call, answer: object) -> Reply:
        number = min(int(call.query.get("page", "1")), 2)
        return server.validated(call, json_reply({"results": [{"id": number, "body": "A text."}]}))

    server.fail("GET", last_for_ever, times=ALWAYS)
    for _ in range(3):
        run = run.next(read(server, run))
        assert list(run.known) == ["1", "2"]
        assert len(server.calls) == 3


def test_a_list_is_read_up_to_a_limit(open_centre: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "ITEMS_MAX", 25)
    server = open_centre()
    server.fill(45)
    items = read(server)
    assert len(items) == 26
    assert cut_of(items) == Cut(listing.TOO_MANY_ITEMS, keeps_rest=False)
    assert len(server.calls) == 2


def test_a_page_over_the_limit_is_not_read(centre: HelpCentre) -> None:
    body = b'["' + b"x" * (10 * 1024 * 1024) + b'"]'
    centre.fail("GET", Reply(200, body))
    with pytest.raises(SyncFailed, match="larger than 10 MB"):
        read(centre)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"data": []}, "The answer has no list at the top. It has /data."),
        ({"a\0\ud800": 1, "b": 2}, "The answer has no list at the top. It has /a, /b."),
        ("articles", "The answer has no list at the top."),
        (None, "The answer has no list at the top."),
    ],
)
def test_an_answer_of_another_shape_is_told(
    centre: HelpCentre, content: object, reason: str
) -> None:
    serve(centre, content)
    with pytest.raises(SyncFailed) as failed:
        read(centre)
    assert failed.value.message == reason
