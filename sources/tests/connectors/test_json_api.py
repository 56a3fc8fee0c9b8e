"""Lists of an API: what becomes of their items, what the next sync asks for, and what they may not
do to us."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from accounts.models import Tenant
from sources.connections import keep_credentials
from sources.connectors import calling
from sources.connectors.interface import Checked, Cut, Extent, Failed, Item, Unchanged
from sources.connectors.json_api import listing, pages
from sources.connectors.json_api.connector import JsonApiConnector
from sources.connectors.json_api.fields import FIELDS
from sources.connectors.json_api.links import next_link
from sources.connectors.json_api.pointers import parse_pointer, resolve
from sources.errors import ConnectionRefused, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection, Source
from sources.reading.passages import Description, ReadDocument
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.json_api_server import (
    KEY_HEADER,
    PASSWORD,
    TOKEN,
    USER,
    JsonApiServer,
)
from sources.tests.providers.server import Call, Reply, cut_in_half, json_reply

pytestmark = pytest.mark.django_db

ALWAYS = float("inf")
# What somebody types, by the way in which the list is paged.
PAGED = {
    "link": {"paging": "link"},
    "next": {"paging": "next", "items": "/data", "next": "/links/next"},
    "cursor": {
        "paging": "cursor",
        "items": "/items",
        "next": "/meta/next",
        "parameter": "after",
    },
    "page": {"paging": "page", "items": "/results"},
    "offset": {"paging": "offset", "items": "/results"},
}
ARTICLE = {"id": "/id", "title": "/title", "body": "/body", "link": "/url"}
OPENED = {
    "bearer": {"auth": "bearer", "auth_secret": TOKEN},
    "header": {"auth": "header", "auth_name": KEY_HEADER, "auth_secret": TOKEN},
    "basic": {"auth": "basic", "auth_name": USER, "auth_secret": PASSWORD},
    "": {"auth": "none"},
}


class HelpCentre(JsonApiServer):
    """With what somebody types to have it read. `over`: other fields."""

    def __init__(self, tenant: Tenant, **how: Any) -> None:
        super().__init__(**how)
        self.tenant = tenant
        self.over: dict[str, str] = {}

    @property
    def fields(self) -> dict[str, str]:
        """All of them, as `check_connection` is given them."""
        nothing = {field.name: "" for field in FIELDS}
        typed = {"url": self.list_url, **ARTICLE, **PAGED[self.paging], **OPENED[self.wants]}
        return nothing | typed | self.over

    def source(self) -> Source:
        connection = Connection(tenant=self.tenant, provider="api", account=self.list_url)
        sealed = {field.name: self.fields[field.name] for field in FIELDS if not field.is_selection}
        keep_credentials(connection, sealed)
        selection = JsonApiConnector().clean_selection(self.fields)
        return Source.objects.for_tenant(self.tenant).create(
            name="Help", source_type="api", connection=connection, selection=selection
        )

    def checked(self, **over: str) -> Checked:
        return JsonApiConnector().check_connection(self.fields | over)


Open = Callable[..., HelpCentre]


@pytest.fixture
def open_centre(tenant: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    monkeypatch.setattr(calling, "BACK_OFF_SECONDS", 0.001)
    with ExitStack() as stack:

        def start(**how: Any) -> HelpCentre:
            server = stack.enter_context(HelpCentre(tenant, **how))
            settings.FETCH_ALLOWED_HOSTS = [server.host]
            return server

        yield start


@pytest.fixture
def centre(open_centre: Open) -> HelpCentre:
    return open_centre()


def read(server: HelpCentre, run: FakeRun | None = None) -> list[Item]:
    """One sync. `calls` are those of it alone."""
    server.calls.clear()
    return list(JsonApiConnector().read(server.source(), run or FakeRun()))


def read_twice(server: HelpCentre, between: Callable[[], object]) -> list[Item]:
    """What the second sync tells, after what happened between them."""
    run = FakeRun()
    run = run.next(read(server, run))
    between()
    return read(server, run)


def the_only(items: list[Item]) -> ReadDocument:
    [item] = items
    assert isinstance(item, ReadDocument)
    return item


def text_of(item: Item) -> list[str]:
    assert isinstance(item, ReadDocument)
    return [passage.text for passage in item.passages]


def reasons(items: list[Item]) -> dict[str, str]:
    return {item.external_id: item.reason for item in items if isinstance(item, Failed)}


def serve(server: HelpCentre, content: object, *, times: float = 1, **headers: str) -> None:
    """One answer of the list in the place of its own. In ASCII: it may hold half characters."""
    body = json.dumps(content).encode()
    server.fail("GET /v1/articles", Reply(200, body, headers), times=times)


# --- The first sync -------------------------------------------------------------------------------


def test_an_item_becomes_a_document_with_its_title_link_and_text(centre: HelpCentre) -> None:
    centre.add("May I return a bicycle?", "Within thirty days, with the receipt.")

    document = the_only(read(centre))
    assert (document.external_id, document.title, document.place, document.link) == (
        "a00001",
        "May I return a bicycle?",
        "May I return a bicycle?",
        "https://help.example/a00001",
    )
    [passage] = document.passages
    assert (passage.section_title, passage.text) == (
        "May I return a bicycle?",
        "Within thirty days, with the receipt.",
    )


@pytest.mark.parametrize(
    ("paging", "requests"), [("link", 3), ("next", 3), ("cursor", 3), ("page", 4), ("offset", 4)]
)
def test_all_pages_are_read_in_their_order(open_centre: Open, paging: str, requests: int) -> None:
    """By number, one more is asked for: a page may be short and not be the last."""
    server = open_centre(paging=paging)
    server.fill(45)

    items = read(server)
    assert [item.external_id for item in items if isinstance(item, ReadDocument)] == [
        f"a{number:05}" for number in range(1, 46)
    ]
    assert len(server.calls) == requests


def test_fixed_parameters_of_the_address_go_with_every_page(open_centre: Open) -> None:
    server = open_centre(paging="offset")
    server.fill(3)
    server.over["url"] = f"{server.list_url}?per_page=2&offset=1"

    assert [item.external_id for item in read(server) if isinstance(item, ReadDocument)] == [
        "a00002",
        "a00003",
    ]
    assert [call.query for call in server.calls] == [
        {"per_page": "2", "offset": "1"},
        {"per_page": "2", "offset": "3"},
    ]


@pytest.mark.parametrize("wants", ["bearer", "header", "basic", ""])
def test_it_is_opened_as_it_wants_to_be(open_centre: Open, wants: str) -> None:
    server = open_centre(wants=wants)
    server.fill(1)
    assert the_only(read(server)).title == "Article 1"


# --- Texts ----------------------------------------------------------------------------------------


def test_html_is_read_as_a_page_below_its_title(centre: HelpCentre) -> None:
    centre.add(
        "Opening hours &amp; days",
        "<p>The workshop opens at <b>nine</b> and repairs every bicycle within two days.</p>"
        "<script>steal()</script><h2>Sundays</h2><ul><li>Closed all day on Sundays.</li></ul>",
    )
    document = the_only(read(centre))
    assert (document.title, document.content_type) == ("Opening hours & days", "text/html")
    assert [(passage.section_title, passage.text) for passage in document.passages] == [
        (
            "Opening hours & days",
            "The workshop opens at nine and repairs every bicycle within two days.",
        ),
        ("Opening hours & days > Sundays", "- Closed all day on Sundays."),
    ]


def test_markdown_is_read_by_its_headings(centre: HelpCentre) -> None:
    centre.add("Shipping", "## Islands\n\nParcels to the **islands** take five days by ship.")
    document = the_only(read(centre))
    assert document.content_type == "text/markdown"
    assert [(passage.section_title, passage.text) for passage in document.passages] == [
        ("Shipping > Islands", "Parcels to the islands take five days by ship.")
    ]


def test_what_it_is_written_in_can_be_said(centre: HelpCentre) -> None:
    centre.over["body_format"] = "text"
    centre.add("Signs", "Write <b> before a bold word.\n\n# is a number sign.")
    assert text_of(the_only(read(centre))) == ["Write <b> before a bold word.\n# is a number sign."]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            {"price": 19.5, "in_stock": True, "note": None, "size": {"height_cm": 30}},
            "price: 19.5\nin stock: true\nsize height cm: 30",
        ),
        ({"colours": ["red", None, "blue"]}, "colours: red, blue"),
        ({"parts": [{"name": "Bell"}, {"name": "Lamp"}]}, "parts name: Bell\nparts name: Lamp"),
        (["First the bell.", "Then the lamp."], "First the bell., Then the lamp."),
        (1899, "1899"),
    ],
)
def test_what_is_no_text_is_written_as_lines(centre: HelpCentre, body: Any, text: str) -> None:
    centre.add("Xaloc", body)
    assert text_of(the_only(read(centre))) == [text]


def test_without_a_pointer_the_whole_item_is_its_text(centre: HelpCentre) -> None:
    centre.over |= {"body": "", "title": "", "link": ""}
    centre.add("Xaloc", "A bicycle for the city.")
    document = the_only(read(centre))
    assert (document.title, document.link) == ("a00001", "")
    assert text_of(document) == [
        "id: a00001\ntitle: Xaloc\nbody: A bicycle for the city.\n"
        "url: https://help.example/a00001\nupdated at: 2026-11-01T00:00:01Z"
    ]


# --- The next sync --------------------------------------------------------------------------------


@pytest.mark.parametrize("paging", ["link", "next", "cursor", "page", "offset"])
def test_pages_that_have_not_changed_are_not_sent_again(open_centre: Open, paging: str) -> None:
    """But for the last one that a Link header may come to follow."""
    server = open_centre(paging=paging)
    server.fill(45)
    run = FakeRun()
    run = run.next(read(server, run))
    requests = len(server.calls)

    items = read(server, run)
    assert items == [Unchanged(f"a{number:05}", told) for number, told in enumerate_told(items)]
    assert len(items) == 45
    assert len(server.calls) == requests
    conditional = ["if-none-match" in call.headers for call in server.calls]
    assert (
        conditional
        == {
            "link": [True, True, False],
            "next": [True] * 3,
            "cursor": [True] * 3,
            "page": [True] * 3 + [False],  # 404 says nothing of its version
            "offset": [True] * 4,
        }[paging]
    )


def enumerate_told(items: list[Item]) -> Iterator[tuple[int, Description | None]]:
    for number, item in enumerate(items, 1):
        assert isinstance(item, Unchanged)
        yield number, item.description


def test_a_server_that_tells_no_versions_is_read_and_compared(open_centre: Open) -> None:
    server = open_centre(validates=False)
    server.fill(45)
    items = read_twice(server, lambda: None)
    assert {type(item) for item in items} == {Unchanged}
    assert len(items) == 45


def test_only_what_changed_is_read_again(centre: HelpCentre) -> None:
    for name in ("edited", "renamed", "moved", "deleted", "same"):
        centre.add(name, f"A text about what is {name}.", id=name)

    def happen() -> None:
        centre.change("edited", body="Another text.")
        centre.change("renamed", title="Another name")
        centre.change("moved", url="https://help.example/attic/moved")
        centre.delete("deleted")
        centre.add("added", "A new text.", id="added")

    items = {item.external_id: item for item in read_twice(centre, happen)}  # type: ignore[union-attr]
    assert {key: type(item) for key, item in items.items()} == {
        "edited": ReadDocument,
        "renamed": ReadDocument,  # its text is found by its title too
        "moved": Unchanged,
        "same": Unchanged,
        "added": ReadDocument,
    }
    moved = items["moved"]
    assert isinstance(moved, Unchanged)
    assert moved.description is not None
    assert moved.description.link == "https://help.example/attic/moved"


def test_a_page_that_came_to_follow_is_found(centre: HelpCentre) -> None:
    """The ETag of the last page is of its body, and its body is as it was."""
    centre.fill(20)
    items = read_twice(centre, lambda: centre.add("Article 21", "Is on a second page."))
    assert isinstance(items[-1], ReadDocument)
    assert items[-1].title == "Article 21"


def test_cursors_that_have_expired_begin_the_list_anew(open_centre: Open) -> None:
    server = open_centre(paging="cursor")
    server.fill(45)
    run = FakeRun()
    run = run.next(read(server, run))
    server.expire_cursors()
    server.change("a00030", body="Another text.")
    spoilt = dict(run.cursor)  # as if the first page, with its old cursor, had not changed
    server.fail("GET /v1/articles", Reply(304))

    items = read(server, FakeRun(run.known.values(), cursor=spoilt))
    assert len(items) == 45
    assert [item.external_id for item in items if isinstance(item, ReadDocument)] == ["a00030"]


def test_the_time_of_the_last_change_stands_for_the_text(centre: HelpCentre) -> None:
    """For a text may hold what changes by itself."""
    centre.over["changed_at"] = "/updated_at"
    article = centre.add("Views", "Looked at 7 times.")
    looked_at = {"title": "Views", "body": "Looked at 8 times.", "id": article.id}

    run = FakeRun()
    run = run.next(read(centre, run))
    serve(centre, [{**looked_at, "updated_at": article.updated_at}])
    assert isinstance(read(centre, run)[0], Unchanged)
    serve(centre, [{**looked_at, "updated_at": "2026-11-22T10:00:00Z"}])
    assert text_of(the_only(read(centre, run))) == ["Looked at 8 times."]


def test_a_mere_date_does_not(centre: HelpCentre) -> None:
    centre.over["changed_at"] = "/on"
    run = FakeRun()
    serve(centre, [{"id": 1, "on": "2026-11-22", "body": "In the morning."}])
    run = run.next(read(centre, run))
    serve(centre, [{"id": 1, "on": "2026-11-22", "body": "In the evening."}])
    assert text_of(the_only(read(centre, run))) == ["In the evening."]


def test_what_is_remembered_of_an_address_holds_no_secret_of_it(open_centre: Open) -> None:
    server = open_centre(paging="page", wants="")
    server.over["url"] = f"{server.list_url}?per_page=7"
    server.fill(10)
    run = FakeRun()
    run.next(read(server, run))
    assert [page["url"] for page in run.kept_cursor["pages"]] == [
        ["/v1/articles", 0],
        ["/v1/articles", 0, "page=2"],
    ]


# --- What an API may not do -----------------------------------------------------------------------


def test_items_that_are_no_documents_are_told(centre: HelpCentre) -> None:
    good = {"id": 7, "title": "Good", "body": "A text."}
    again = {"id": 7, "title": "Other", "body": "Another text."}
    bad: list[Any] = [None, "text", 7, [], {}, {"id": None}, {"id": {"a": 1}}, {"id": "x" * 501}]
    serve(centre, [good, good, again, *bad, {"id": 8}, {"id": 9, "body": "\0\ud800<p> </p>"}])

    items = read(centre)
    assert [item.external_id for item in items if isinstance(item, ReadDocument)] == ["7"]
    told = reasons(items)
    assert told.pop("page 1, item 3") == (
        "Another item has the id 7 too: only the first one is read."
    )
    assert told.pop("8") == "It has no text that can be indexed."
    assert told.pop("9") == "It has no text that can be indexed."
    assert list(told) == [f"page 1, item {place}" for place in range(4, 12)]
    assert set(told.values()) == {
        "It has no id at /id: a text or a number of up to 500 characters, which no other item has."
    }


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
    assert reasons(items) == {"1": "It has no text that can be indexed."}
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
    with pytest.raises(SyncFailed, match="names a next page at another address"):
        read(server)
    assert len(server.calls) == 1


def test_a_next_page_may_be_written_relative(centre: HelpCentre) -> None:
    centre.fill(25)
    serve(centre, [], Link='<?page=2>; rel="next"')
    assert len(read(centre)) == 5


def cut_of(items: list[Item]) -> Cut:
    assert isinstance(items[-1], Cut)
    return items[-1]


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
    server = open_centre(paging="page")
    serve(server, {"results": [{"id": 1, "body": "A text."}]})
    serve(server, {"results": [{"id": 2, "body": "A text."}]}, times=ALWAYS)
    items = read(server)
    assert [type(item) for item in items] == [ReadDocument, ReadDocument]
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


# --- Faults ---------------------------------------------------------------------------------------


def test_a_busy_api_is_waited_for(centre: HelpCentre) -> None:
    centre.fill(25)
    centre.fail("GET", Reply(429, headers={"Retry-After": "1"}), after=1)
    assert len(read(centre)) == 25
    assert centre.calls[2].at - centre.calls[1].at >= 1


@pytest.mark.parametrize("fault", [Reply(500), cut_in_half, Reply(200, b'[{"id":')])
def test_a_page_that_fails_once(centre: HelpCentre, fault: Any) -> None:
    """What came is not JSON: the next try of the sync may find better."""
    centre.fill(25)
    centre.fail("GET", fault, after=1)
    if isinstance(fault, Reply) and fault.status == 200:
        with pytest.raises(OriginUnavailable, match="cannot be read"):
            read(centre)
    else:
        assert len(read(centre)) == 25
        assert len(centre.calls) == 3


def test_an_api_that_fails_for_good_or_is_down_may_be_back(centre: HelpCentre) -> None:
    centre.fail("GET", Reply(500), times=ALWAYS)
    with pytest.raises(OriginUnavailable, match="It answers 500"):
        read(centre)
    with centre.down(), pytest.raises(OriginUnavailable):
        read(centre)


def test_a_token_that_is_taken_away_in_the_middle(centre: HelpCentre) -> None:
    centre.fill(25)

    def revoke(call: Call, answer: Callable[[Call], Reply]) -> Reply:
        reply = answer(call)
        centre.token = "another"
        return reply

    centre.fail("GET", revoke)
    with pytest.raises(ReauthRequired, match="does not accept the connected account any more"):
        read(centre)


def test_a_token_without_the_right(centre: HelpCentre) -> None:
    centre.may_read = False
    with pytest.raises(SyncFailed, match="Check what the connected account may read"):
        read(centre)


def test_a_source_without_an_address_says_so(tenant: Tenant) -> None:
    source = Source.objects.for_tenant(tenant).create(name="Old", source_type="api")
    with pytest.raises(ReauthRequired, match="No address is connected"):
        list(JsonApiConnector().read(source, FakeRun()))


# --- Before there is a source ---------------------------------------------------------------------


def test_it_is_looked_at_before_anything_is_stored(open_centre: Open) -> None:
    server = open_centre(paging="next")
    server.fill(45)
    checked = server.checked()
    assert (checked.account.label, checked.amount) == (server.list_url, Extent(20, is_more=True))
    assert checked.passages == tuple(
        f"Spare part {number} arrives in {number + 1} days and costs {number} euros."
        for number in (1, 2, 3)
    )
    assert checked.selection == {
        "items": "/data",
        "id": "/id",
        "title": "/title",
        "body": "/body",
        "body_format": "",
        "link": "/url",
        "changed_at": "",
        "paging": "next",
        "next": "/links/next",
        "parameter": "",
    }
    assert len(server.calls) == 1


def test_the_account_is_another_where_another_list_is_opened(centre: HelpCentre) -> None:
    centre.fill(1)
    account = centre.checked().account
    other = centre.checked(url=f"{centre.list_url}?per_page=7").account
    assert (account.label, account.id == other.id) == (other.label, False)
    centre.token = "a-new-token"
    assert centre.checked(auth_secret="a-new-token").account == account


@pytest.mark.parametrize(
    ("over", "field", "reason"),
    [
        ({"url": "help.example"}, "url", "This is not a web address"),
        ({"url": "http://help.example/list"}, "url", "Only addresses that begin with https://"),
        ({"url": "https://10.0.0.1/list"}, "url", "not on the public internet"),
        ({"url": "{url}/nothing"}, "url", "There is nothing at this address"),
        ({"auth_secret": "wrong"}, "auth_secret", "does not open the list with this (HTTP 401)"),
        ({"auth_secret": ""}, "auth_secret", "Give what opens it."),
        ({"auth_secret": "a\r\nHost: b"}, "auth_secret", "printable"),
        ({"auth": "none"}, "auth", "does not open the list with this (HTTP 401)"),
        ({"auth": "header", "auth_name": "Host"}, "auth_name", "the name of a header"),
        ({"auth": "header", "auth_name": "Transfer-Encoding"}, "auth_name", "name of a header"),
        ({"auth": "header", "auth_name": "X: y\r\nZ"}, "auth_name", "the name of a header"),
        ({"auth": "basic", "auth_name": "a:b"}, "auth_name", "without a colon"),
        ({"items": "data"}, "items", "A JSON Pointer begins with a slash. For example: /data"),
        ({"items": "/data"}, "items", "The answer has no list at /data."),
        ({"id": ""}, "id", "Say where in an item its id is"),
        ({"id": "/key"}, "id", "It has no id at /key"),
        ({"body": "/text"}, "body", "It has no text that can be indexed."),
        ({"body": "/a~2"}, "body", "In a JSON Pointer ~ is written ~0."),
        ({"paging": "cursor"}, "next", "Say where in the answer it is"),
        ({"parameter": "a b"}, "parameter", "the name of a parameter"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(
    centre: HelpCentre, over: Mapping[str, str], field: str, reason: str
) -> None:
    centre.fill(1)
    over = {name: value.replace("{url}", centre.list_url) for name, value in over.items()}
    with pytest.raises(ConnectionRefused) as refused:
        centre.checked(**over)
    assert refused.value.field == field
    assert reason in refused.value.message


def test_a_list_that_moved_says_where_to(centre: HelpCentre) -> None:
    centre.fail("GET", Reply(301, headers={"Location": "https://help.example/v2/articles"}))
    with pytest.raises(ConnectionRefused, match="leads to https://help.example/v2/articles"):
        centre.checked()


def test_how_much_it_will_be_is_counted(open_centre: Open) -> None:
    server = open_centre(paging="offset")
    server.fill(45)
    source = server.source()
    assert source.connection is not None
    assert JsonApiConnector().measure(source.connection, source.selection) == Extent(45)


# --- RFC 6901 and RFC 8288 ------------------------------------------------------------------------

DOCUMENT = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
        ("/foo/-", None),
        ("/foo/00", None),
        ("/foo/2", None),
        ("/foo/bar", None),
        ("/nothing/below", None),
    ],
)
def test_pointers_as_the_rfc_shows_them(pointer: str, value: object) -> None:
    assert resolve(DOCUMENT, parse_pointer(pointer)) == value


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("", ""),
        ('<https://a.example/?page=2>; rel="next"', "https://a.example/?page=2"),
        ("</p?page=2>;rel=next", "/p?page=2"),
        ('<a>; rel="prev", <b>; title="x, y; rel=\\"next\\""; rel="last next"', "b"),
        ('<a,b;c>; REL="Next"', "a,b;c"),
        ('<a>; rel="last"; rel="next"', ""),
        ('<a>; title="rel=next"', ""),
        ("rel=next", ""),
        ('<a; rel="next"', ""),
        ("<" * 10_000, ""),
        ('<a>; rel="' + '\\"' * 7_000, ""),
        ("<a>" * 6_000 + '; rel="next"', ""),
    ],
)
def test_link_headers_of_any_form(header: str, target: str) -> None:
    assert next_link(header) == target


def test_the_stand_in_keeps_its_rules(centre: HelpCentre) -> None:
    """Or our own tests would show nothing: it knows no other parameter, size or credentials."""
    good = {"authorization": f"Bearer {TOKEN}", "accept": "application/json"}

    def status(headers: Mapping[str, str], **query: str) -> int:
        return centre.answer(Call("GET", "/v1/articles", query, headers, b"", 0.0)).status

    assert status(good, per_page="100") == 200
    assert status(good, per_page="101") == 400
    assert status(good, limit="10") == 400
    assert status({**good, "accept": "*/*"}) == 406
    encoded = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    assert status({**good, "authorization": f"Basic {encoded}"}) == 401
