"""Which pages of Notion are read, and which are not read again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from connectors.notion import reading
from connectors.tests.notion.account import NotionAccount, Shop, asked, one_of, price, told
from connectors.tests.providers.notion_blocks import (
    columns,
    paragraph,
    synced,
    synced_copy,
)
from connectors.tests.providers.notion_rules import refusal
from reading.passages import ReadDocument
from reasons import Reason
from sources.connectors.interface import Unchanged

# --- What is read ---------------------------------------------------------------------------------


def test_pages_and_rows_are_read_with_their_places(account: NotionAccount, shop: Shop) -> None:
    items = account.sync()
    assert told(items) == [
        ("read", "Handbook"),
        ("read", "Handbook / Returns"),
        (Reason("page_without_own_text"), "Handbook / Team"),
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


def test_long_lists_are_followed_to_their_end(account: NotionAccount, shop: Shop) -> None:
    account.server.page_max = 2
    account.server.workspace.write(shop.returns, *(paragraph(f"Rule {n}.") for n in range(5)))

    items = account.sync()

    assert len(items) == 5
    returns = one_of(items, shop.returns)
    assert isinstance(returns, ReadDocument)
    assert returns.passages[0].text == "Rule 0.\nRule 1.\nRule 2.\nRule 3.\nRule 4."
    assert len(account.server.calls_to("search")) == 3
    assert {call.query["page_size"] for call in account.server.calls_to("children")} == {"100"}


def test_only_what_was_chosen_is_read_with_what_lies_in_it(
    account: NotionAccount, shop: Shop
) -> None:
    assert told(account.sync(shop.team, shop.products)) == [
        (Reason("page_without_own_text"), "Handbook / Team"),
        ("read", "Handbook / Team / Holidays"),
        ("read", "Handbook / Products / Xaloc"),
    ]


def test_a_page_in_a_column_lies_in_the_page_of_the_column(
    account: NotionAccount, shop: Shop
) -> None:
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
    account: NotionAccount, shop: Shop
) -> None:
    account.server.workspace.forget_in_search(shop.team, shop.holidays, shop.xaloc)

    assert len(account.sync()) == 5
    assert [kind for kind, _ in told(account.sync())] == [
        "unchanged",
        "unchanged",
        Reason("page_without_own_text"),
        "unchanged",
        "unchanged",
    ]


def test_what_was_chosen_is_read_although_the_search_does_not_know_it(
    account: NotionAccount, shop: Shop
) -> None:
    account.server.workspace.forget_in_search(shop.products, shop.xaloc, shop.holidays)
    assert told(account.sync(shop.products, shop.holidays)) == [
        ("read", "Handbook / Team / Holidays"),
        ("read", "Handbook / Products / Xaloc"),
    ]


def test_what_a_synced_block_shows_of_another_page_is_not_read_with_it(
    account: NotionAccount, shop: Shop
) -> None:
    workspace = account.server.workspace
    workspace.write(shop.team, synced(paragraph("Everywhere.")))
    original = workspace.blocks_in(shop.team)[0]["id"]
    shifts = workspace.add_page("Shifts", paragraph("From nine to five."), under=original)
    workspace.write(shop.returns, synced_copy(original))
    workspace.forget_in_search(shifts)

    assert told(account.sync(shop.returns)) == [("read", "Handbook / Returns")]


def test_lists_that_notion_ends_early_remove_nothing(account: NotionAccount, shop: Shop) -> None:
    account.server.results_max = 4
    *_, last = told(account.sync())
    assert last == ("cut", reading.CUT)


# --- What is not read again -----------------------------------------------------------------------


def test_nothing_is_read_again_that_has_not_changed(account: NotionAccount, shop: Shop) -> None:
    account.sync()
    assert {kind for kind, _ in told(account.sync())} == {
        "unchanged",
        Reason("page_without_own_text"),
    }
    assert asked(account.server) == ["POST search", "POST data_sources query"]


def test_one_edited_page_is_read_alone(account: NotionAccount, shop: Shop) -> None:
    account.sync()
    account.server.workspace.write(shop.returns, paragraph("Within 60 days."))

    items = account.sync()

    [changed] = [item for item in items if isinstance(item, ReadDocument)]
    assert (changed.title, changed.passages[0].text) == ("Returns", "Within 60 days.")
    assert asked(account.server).count("GET blocks children") == 1


def test_a_new_name_is_told_and_the_text_stays(account: NotionAccount, shop: Shop) -> None:
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
    account: NotionAccount, shop: Shop
) -> None:
    account.sync()
    account.server.workspace.move(shop.holidays, under=shop.returns)

    assert ("unchanged", "Handbook / Returns / Holidays") in told(account.sync())
    assert account.server.calls_to("children") == []


def test_a_value_that_is_computed_changes_without_an_edit(
    account: NotionAccount, shop: Shop
) -> None:
    account.sync()
    account.server.workspace.items[shop.xaloc].properties["Price"] = price(949)

    [changed] = [item for item in account.sync() if isinstance(item, ReadDocument)]
    assert changed.passages[0].text == "Name: Xaloc\nPrice: 949"


def test_what_is_trashed_or_no_longer_shared_goes(account: NotionAccount, shop: Shop) -> None:
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


def test_what_lay_in_a_page_that_is_gone_is_not_asked_for(
    account: NotionAccount, shop: Shop
) -> None:
    account.sync()
    account.server.workspace.unshare(shop.handbook)
    assert account.sync() == []
    assert asked(account.server) == ["POST search", "GET pages"]


def test_what_was_not_asked_for_stays_until_the_next_sync(
    account: NotionAccount, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "GONE_CHECKS_MAX", 1)
    account.sync()
    account.server.workspace.trash(shop.returns)
    account.server.workspace.trash(shop.xaloc)
    handbook_and_team = {"Handbook", "Handbook / Team", "Handbook / Team / Holidays"}

    assert {place for _, place in told(account.sync())} == {*handbook_and_team, ""}
    assert {place for _, place in told(account.sync())} == handbook_and_team


def test_a_page_that_goes_while_it_is_read_is_not_named(account: NotionAccount, shop: Shop) -> None:
    account.server.fail(f"GET /v1/blocks/{shop.returns}", refusal(404, "object_not_found"))
    assert "Handbook / Returns" not in [place for _, place in told(account.sync())]


def test_a_page_that_may_be_edited_within_the_same_minute_is_looked_at_again(
    account: NotionAccount,
) -> None:
    workspace = account.server.workspace
    workspace.now = datetime.now(UTC)
    page = workspace.add_page("Offers", paragraph("Today: ten percent."))
    account.sync()
    workspace.put(paragraph("Tomorrow: twenty."), page)  # last_edited_time stays

    [changed] = account.sync()
    assert isinstance(changed, ReadDocument)
    assert changed.passages[0].text == "Today: ten percent.\nTomorrow: twenty."
