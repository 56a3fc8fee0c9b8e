"""Notion: which pages are read, which are not read again, and what its faults lead to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

import pytest

from accounts.models import Tenant
from config.errors import InvalidValue
from sources import services
from sources.connections import open_credentials
from sources.connectors.interface import Choice, Cut, Item, Unchanged
from sources.connectors.notion import reading, walking
from sources.connectors.notion.connector import NotionConnector
from sources.errors import AskedToWait, OriginUnavailable, ReauthRequired, SyncFailed
from sources.models import Connection, ConnectionState, Source
from sources.oauth.providers import callback_url
from sources.reading.passages import ReadDocument
from sources.tests.connectors.context import FakeRun
from sources.tests.connectors.notion_syncs import Account, asked, started, told
from sources.tests.providers.notion_blocks import (
    attached,
    columns,
    paragraph,
    synced,
    synced_copy,
)
from sources.tests.providers.notion_rules import rate_limited, refusal
from sources.tests.providers.notion_server import NotionServer, workspace_of
from sources.tests.providers.server import Call, Reply, cut_in_half, json_reply

LISTED = ["POST search"]


@pytest.fixture
def notion(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[NotionServer]:
    with started(settings, monkeypatch) as server:
        yield server


@pytest.fixture
def account(notion: NotionServer, monkeypatch: pytest.MonkeyPatch) -> Account:
    return Account(notion, monkeypatch)


class Shop:
    """A small workspace: Handbook / (Returns, Team / Holidays), and Products, a database."""

    def __init__(self, server: NotionServer) -> None:
        add = server.workspace.add_page
        self.handbook = add("Handbook", paragraph("How we work at the shop."))
        self.returns = add("Returns", paragraph("Within 30 days."), under=self.handbook)
        self.team = add("Team", under=self.handbook)
        self.holidays = add("Holidays", paragraph("Closed in August."), under=self.team)
        self.products = server.workspace.add_data_source("Products", under=self.handbook)
        self.xaloc = add("Xaloc", under=self.products, properties={"Price": price(899)})


def price(value: float) -> dict[str, Any]:
    return {"id": "pr", "type": "number", "number": value}


@pytest.fixture
def shop(notion: NotionServer) -> Shop:
    return Shop(notion)


def one_of(items: list[Item], page_id: str) -> Item:
    [found] = [each for each in items if not isinstance(each, Cut) and each.external_id == page_id]
    return found


def json_of(reply: Reply) -> Any:
    return json.loads(reply.body)


# --- What is read ---------------------------------------------------------------------------------


def test_pages_and_rows_are_read_with_their_places(account: Account, shop: Shop) -> None:
    items = account.sync()
    assert told(items) == [
        ("read", "Handbook"),
        ("read", "Handbook / Returns"),
        ("The page has no text of its own.", "Handbook / Team"),
        ("read", "Handbook / Team / Holidays"),
        ("read", "Handbook / Products / Xaloc"),
    ]
    row = items[-1]
    assert isinstance(row, ReadDocument)
    assert row.title == "Xaloc"
    assert row.link == "https://www.notion.so/" + shop.xaloc.replace("-", "")
    assert [(each.text, each.location) for each in row.passages] == [
        ("Name: Xaloc\nPrice: 899", "properties")
    ]


def test_long_lists_are_followed_to_their_end(account: Account, shop: Shop) -> None:
    account.server.page_max = 2
    account.server.workspace.write(shop.returns, *(paragraph(f"Rule {n}.") for n in range(5)))

    items = account.sync()

    assert len(items) == 5
    returns = one_of(items, shop.returns)
    assert isinstance(returns, ReadDocument)
    assert returns.passages[0].text == "Rule 0.\nRule 1.\nRule 2.\nRule 3.\nRule 4."
    assert len(account.server.calls_to("search")) == 3
    assert {call.query["page_size"] for call in account.server.calls_to("children")} == {"100"}


def test_only_what_was_chosen_is_read_with_what_lies_in_it(account: Account, shop: Shop) -> None:
    assert told(account.sync(shop.team, shop.products)) == [
        ("The page has no text of its own.", "Handbook / Team"),
        ("read", "Handbook / Team / Holidays"),
        ("read", "Handbook / Products / Xaloc"),
    ]


def test_a_page_in_a_column_lies_in_the_page_of_the_column(account: Account, shop: Shop) -> None:
    workspace = account.server.workspace
    workspace.write(shop.team, columns((paragraph("Left"),), (paragraph("Right"),)))
    [column_list] = [b for b in workspace.blocks_in(shop.team) if b["type"] == "column_list"]
    column = workspace.blocks_in(column_list["id"])[1]["id"]
    workspace.add_page("Shifts", paragraph("From nine to five."), under=column)

    assert ("read", "Handbook / Team / Shifts") in told(account.sync())
    assert len(account.server.calls_to(r"GET /v1/blocks/[^/]+$")) == 2  # the column, its list

    account.sync()
    assert account.server.calls_to(r"GET /v1/blocks/[^/]+$") == []


def test_what_the_search_does_not_know_yet_is_found_in_its_parent(
    account: Account, shop: Shop
) -> None:
    account.server.workspace.forget_in_search(shop.team, shop.holidays, shop.xaloc)

    assert len(account.sync()) == 5
    assert [kind for kind, _ in told(account.sync())] == [
        "unchanged",
        "unchanged",
        "The page has no text of its own.",
        "unchanged",
        "unchanged",
    ]


def test_what_was_chosen_is_read_although_the_search_does_not_know_it(
    account: Account, shop: Shop
) -> None:
    account.server.workspace.forget_in_search(shop.products, shop.xaloc, shop.holidays)
    assert told(account.sync(shop.products, shop.holidays)) == [
        ("read", "Handbook / Team / Holidays"),
        ("read", "Handbook / Products / Xaloc"),
    ]


def test_lists_that_notion_ends_early_remove_nothing(account: Account, shop: Shop) -> None:
    account.server.results_max = 4
    *_, last = told(account.sync())
    assert last == ("cut", reading.CUT)


# --- What is not read again -----------------------------------------------------------------------


def test_nothing_is_read_again_that_has_not_changed(account: Account, shop: Shop) -> None:
    account.sync()
    assert {kind for kind, _ in told(account.sync())} == {
        "unchanged",
        "The page has no text of its own.",
    }
    assert asked(account.server) == ["POST search", "POST data_sources query"]


def test_one_edited_page_is_read_alone(account: Account, shop: Shop) -> None:
    account.sync()
    account.server.workspace.write(shop.returns, paragraph("Within 60 days."))

    items = account.sync()

    [changed] = [item for item in items if isinstance(item, ReadDocument)]
    assert (changed.title, changed.passages[0].text) == ("Returns", "Within 60 days.")
    assert asked(account.server).count("GET blocks children") == 1


def test_a_new_name_is_told_and_the_text_stays(account: Account, shop: Shop) -> None:
    """Notion counts a new name as an edit: the text is looked at, and found to be the same."""
    account.sync()
    account.server.workspace.rename(shop.returns, "Sending back")

    items = account.sync()

    assert not [item for item in items if isinstance(item, ReadDocument)]
    renamed = one_of(items, shop.returns)
    assert isinstance(renamed, Unchanged)
    assert renamed.description is not None
    assert renamed.description.title == "Sending back"
    assert renamed.description.place == "Handbook / Sending back"


def test_a_page_that_moved_is_told_with_its_new_place_and_not_read(
    account: Account, shop: Shop
) -> None:
    account.sync()
    account.server.workspace.move(shop.holidays, under=shop.returns)

    assert ("unchanged", "Handbook / Returns / Holidays") in told(account.sync())
    assert account.server.calls_to("children") == []


def test_a_value_that_is_computed_changes_without_an_edit(account: Account, shop: Shop) -> None:
    account.sync()
    account.server.workspace.items[shop.xaloc].properties["Price"] = price(949)

    [changed] = [item for item in account.sync() if isinstance(item, ReadDocument)]
    assert changed.passages[0].text == "Name: Xaloc\nPrice: 949"


def test_what_is_trashed_or_no_longer_shared_goes(account: Account, shop: Shop) -> None:
    account.sync()
    account.server.workspace.trash(shop.team)
    assert [place for _, place in told(account.sync())] == [
        "Handbook",
        "Handbook / Returns",
        "Handbook / Products / Xaloc",
    ]
    account.server.workspace.unshare(shop.handbook)
    account.server.workspace.share(shop.products)
    assert told(account.sync()) == [("unchanged", "Products / Xaloc")]


def test_a_page_that_goes_while_it_is_read_is_not_named(account: Account, shop: Shop) -> None:
    account.server.fail(f"GET /v1/blocks/{shop.returns}", refusal(404, "object_not_found"))
    assert "Handbook / Returns" not in [place for _, place in told(account.sync())]


def test_a_page_that_may_be_edited_within_the_same_minute_is_looked_at_again(
    account: Account,
) -> None:
    workspace = account.server.workspace
    workspace.now = datetime.now(UTC)
    page = workspace.add_page("Offers", paragraph("Today: ten percent."))
    account.sync()
    workspace.put(paragraph("Tomorrow: twenty."), page)  # last_edited_time stays

    [changed] = account.sync()
    assert isinstance(changed, ReadDocument)
    assert changed.passages[0].text == "Today: ten percent.\nTomorrow: twenty."


# --- What goes wrong ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        rate_limited(after_seconds=0),
        refusal(409, "conflict_error"),
        refusal(500, "internal_server_error"),
        refusal(529, "service_overload"),
        cut_in_half,
    ],
)
@pytest.mark.parametrize("where", ["/search", "/children"])
def test_what_passes_is_tried_again(account: Account, shop: Shop, where: str, fault: Any) -> None:
    account.server.fail(where, fault)
    assert [kind for kind, _ in told(account.sync())].count("read") == 4


def test_notion_may_ask_for_a_minute(account: Account, shop: Shop) -> None:
    account.server.budget = 1
    with pytest.raises(AskedToWait) as caught:
        account.sync()
    assert 50 <= caught.value.wait_seconds <= 60
    assert asked(account.server) == ["POST search", "POST data_sources query"]


@pytest.mark.parametrize("where", ["/search", "/query", "/children"])
def test_an_error_that_stays_ends_the_sync(account: Account, shop: Shop, where: str) -> None:
    account.server.fail(where, refusal(502, "bad_gateway"), times=100)
    with pytest.raises(OriginUnavailable, match="Notion does not answer"):
        account.sync()


def test_a_provider_that_is_down_ends_the_sync(account: Account, shop: Shop) -> None:
    with account.server.down(), pytest.raises(OriginUnavailable):
        account.sync()


MALFORMED = [
    Reply(200, b"<html>Sorry</html>"),
    Reply(200, b"[" * 100_000),
    json_reply(None),
    json_reply({"results": None, "has_more": False}),
    json_reply({"results": [], "has_more": True, "next_cursor": None}),
    json_reply({"results": [], "has_more": True, "next_cursor": 7}),
]


@pytest.mark.parametrize("answer", MALFORMED)
@pytest.mark.parametrize("where", ["/search", "/children"])
def test_what_is_no_list_removes_nothing(
    account: Account, shop: Shop, where: str, answer: Reply
) -> None:
    account.sync()
    account.server.workspace.touch(shop.returns)
    account.server.fail(where, answer, times=100)
    with pytest.raises(OriginUnavailable):
        account.sync()


HOSTILE: list[object] = [
    None,
    7,
    "page",
    {"object": "page"},
    {"object": "page", "id": "../../v1/users/me"},
    {"object": "comment", "id": "00000000-0000-0000-0000-000000000001"},
]


def test_what_is_no_page_is_passed_over(account: Account, shop: Shop) -> None:
    def spoil(call: Call, answer: Any) -> Reply:
        whole = json_of(answer(call))
        return json_reply({**whole, "results": [*HOSTILE, *whole["results"]]})

    account.server.fail("/search|/query", spoil, times=100)
    assert len(account.sync()) == 5


def test_a_page_of_which_nothing_is_as_published_is_still_a_page(account: Account) -> None:
    page_id = "00000000-0000-0000-0000-000000000001"
    page = {
        "object": "page",
        "id": page_id,
        "parent": {"type": "page_id", "page_id": page_id},
        "last_edited_time": "\0" + "9" * 10_000,
        "url": "javascript:alert(1)",
        "properties": {"a": 1, "b": {"type": "title", "title": [None, {"plain_text": 3}]}},
    }
    blocks = [
        None,
        {"type": {}},
        {"type": "paragraph", "paragraph": 7},
        {"type": "bookmark", "bookmark": {"url": "http://169.254.169.254/latest"}},
        {"type": "image", "image": {"external": {"url": "http://169.254.169.254/"}}},
        {"type": "paragraph", "id": page_id, "has_children": True},
        {"type": "toggle", "id": "../../users", "has_children": True},
        {"type": "quote", "quote": {"rich_text": [{"plain_text": "Here\0 I am."}, 1, None]}},
    ]
    account.server.fail("/search", json_reply({"results": [page], "has_more": False}))
    account.server.fail("/children", json_reply({"results": blocks, "has_more": False}))

    [item] = account.sync()

    assert isinstance(item, ReadDocument)
    assert (item.title, item.place, item.etag) == ("Untitled", "Untitled", "")
    assert item.link == "https://www.notion.so/00000000000000000000000000000001"
    assert [passage.text for passage in item.passages] == ["Here I am."]
    assert asked(account.server) == ["POST search", "GET blocks children"]


def test_an_answer_without_end_is_refused(account: Account, shop: Shop) -> None:
    account.server.fail("/search", Reply(200, b" " * (11 * 2**20)))
    with pytest.raises(SyncFailed, match="larger than 10 MB"):
        account.sync()


def test_an_application_that_may_not_read_content_says_so(account: Account, shop: Shop) -> None:
    account.server.reads_content = False
    reason = "Notion does not let this server read the page."
    assert (reason, "Handbook / Returns") in told(account.sync())


def test_a_page_without_end_is_refused(
    account: Account, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walking, "BLOCKS_MAX", 3)
    account.server.workspace.write(shop.returns, *(paragraph("Again.") for _ in range(4)))
    assert (walking.TOO_LARGE, "Handbook / Returns") in told(account.sync())

    account.sync()
    assert account.server.calls_to(f"/{shop.returns}/children") == []


def test_what_was_not_read_of_a_page_is_told(account: Account, shop: Shop) -> None:
    other = account.server.workspace.add_page("Private", synced(paragraph("Ours alone.")))
    original = account.server.workspace.blocks_in(other)[0]["id"]
    account.server.workspace.write(
        shop.returns,
        paragraph("See the form."),
        attached("pdf", "form.pdf"),
        attached("file", "form.docx"),
        attached("image", "form.png", caption="The form"),
        synced_copy(original),
    )
    account.server.workspace.unshare(other)

    returns = one_of(account.sync(), shop.returns)
    assert isinstance(returns, ReadDocument)
    assert returns.outcome == (
        "2 attached files, 1 image and 1 block of a page that is not shared were not read."
    )
    assert returns.passages[0].text == "See the form.\nThe form"


# --- Whose account, what is in it, how much -------------------------------------------------------


def test_the_picker_shows_pages_and_databases_as_they_lie(account: Account, shop: Shop) -> None:
    browse = NotionConnector().browse
    assert browse(account.connection, inside="") == [
        Choice(shop.handbook, "Handbook", is_open=True)
    ]
    assert browse(account.connection, inside=shop.handbook) == [
        Choice(shop.products, "Products", hint="database"),
        Choice(shop.returns, "Returns"),
        Choice(shop.team, "Team", is_open=True),
    ]
    assert browse(account.connection, inside=shop.products) == []


def test_how_much_will_be_read_is_counted(account: Account, shop: Shop) -> None:
    measure = NotionConnector().measure
    assert measure(account.connection, {"chosen": []}).documents == 5
    team = {"chosen": [{"id": shop.team, "name": "Team"}]}
    assert measure(account.connection, team).documents == 2
    assert account.server.calls_to("blocks") == []


def test_what_is_no_id_cannot_be_chosen() -> None:
    with pytest.raises(InvalidValue):
        NotionConnector().clean_selection({"chosen": [{"id": "../users/me", "name": "me"}]})


# --- Signing in -----------------------------------------------------------------------------------


def connect(tenant: Tenant, notion: NotionServer) -> Connection:
    notion.authorization.redirect_uris = {callback_url()}
    session_id = uuid4()
    address = services.begin_sign_in(tenant, "notes_app", session_id=session_id)
    wanted = dict(parse_qsl(urlsplit(address).query))
    assert notion.authorization.problem_of(wanted) == ""
    given = {"state": wanted["state"], "code": notion.authorization.make_code(wanted)}
    return services.finish_sign_in(tenant, given, session_id=session_id)


def sync(connection: Connection) -> list[Item]:
    source = Source(source_type="notes_app", connection=connection, tenant=connection.tenant)
    return list(NotionConnector().read(source, FakeRun()))


def test_a_token_that_ends_in_the_middle_is_renewed_once(
    committed_tenant: Tenant, notion: NotionServer, shop: Shop
) -> None:
    connection = connect(committed_tenant, notion)
    workspace_id, workspace_name = workspace_of(notion.authorization.signed_in)
    assert (connection.account_id, connection.account) == (workspace_id, workspace_name)

    def end_tokens(call: Call, answer: Any) -> Reply:
        notion.authorization.expire_access()
        return cast(Reply, answer(call))

    notion.fail("/search", end_tokens)
    assert [kind for kind, _ in told(sync(connection))].count("read") == 4
    assert len(notion.calls_to("/token")) == 2  # the code, and one renewal


@pytest.mark.parametrize("expires", [True, False])
def test_an_account_that_was_taken_away_is_to_be_connected_again(
    committed_tenant: Tenant, notion: NotionServer, expires: bool
) -> None:
    notion.authorization.expires = expires
    connection = connect(committed_tenant, notion)
    notion.authorization.revoke_all()
    with pytest.raises(ReauthRequired, match="Connect the account again"):
        sync(connection)
    connection.refresh_from_db()
    assert connection.state == ConnectionState.REAUTH_REQUIRED


@pytest.mark.django_db
def test_disconnecting_ends_the_right_at_notion_too(tenant: Tenant, notion: NotionServer) -> None:
    connection = connect(tenant, notion)
    token = str(open_credentials(connection)["access_token"])
    services.disconnect(tenant, connection.pk)
    assert notion.authorization.grant_of(token) is None
