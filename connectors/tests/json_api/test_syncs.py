"""What the next sync asks for, and what it reads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from connectors.tests.json_api.help_centre import (
    HelpCentre,
    Open,
    read,
    read_twice,
    serve,
    text_of,
    the_only,
)
from reading.passages import Description, ReadDocument
from sources.connectors.interface import Item, Unchanged
from sources.tests.connectors.context import FakeRun
from sources.tests.providers.server import Reply

pytestmark = pytest.mark.django_db


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
