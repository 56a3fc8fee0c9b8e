"""What the pages of Notion say: blocks of every kind, properties of every type."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from connectors.notion.body import Body, Node
from connectors.notion.properties import property_lines
from connectors.tests.notion.account import NotionAccount
from connectors.tests.providers.notion_blocks import (
    Written,
    bullet,
    code,
    columns,
    equation,
    heading,
    number,
    paragraph,
    rich,
    synced,
    synced_copy,
    table,
    to_do,
    words,
)
from reading.passages import Block, ReadDocument

PAGE_ID = "00000000-0000-0000-0000-00000000000a"


def nodes_of(*blocks: Written, level: int = 0) -> Iterator[Node]:
    for block in blocks:
        node = Node(block.kind, block.content, level, has_inside=bool(block.inside))
        yield node
        yield from nodes_of(*block.inside, level=node.level_inside)


def read(*blocks: Written) -> list[str]:
    return [block.text for block in Body().read(nodes_of(*blocks))]


def sections(*blocks: Written) -> list[tuple[str, str]]:
    found: list[Block] = list(Body().read(nodes_of(*blocks)))
    return [(block.section_title, block.text) for block in found if not block.is_heading]


# --- Blocks ---------------------------------------------------------------------------------------


def test_lists_have_their_marks_and_numbers() -> None:
    assert read(
        number("Open the lid"),
        number("Fill in water", bullet("cold"), bullet("no more than a litre")),
        number("Wait"),
        paragraph("Then:"),
        number("Pour"),
        to_do("Clean it", is_checked=True),
        to_do("Order filters", is_checked=False),
    ) == [
        "1. Open the lid",
        "2. Fill in water",
        "- cold",
        "- no more than a litre",
        "3. Wait",
        "Then:",
        "1. Pour",
        "[x] Clean it",
        "[ ] Order filters",
    ]


def test_every_kind_that_says_something_is_read() -> None:
    assert read(
        words("quote", "The customer is king."),
        words("callout", "Ask before you leave.", icon=None),
        code("print(899)\n", caption="The price"),
        equation("E = mc^2"),
        words("template", "Add a day"),
        Written("bookmark", {"url": "https://shop.example", "caption": rich("Our shop")}),
        Written("embed", {"url": "javascript:alert(1)", "caption": []}),
        Written("divider", {}),
        Written("table_of_contents", {"color": "default"}),
        Written("child_page", {"title": "Another document"}),
    ) == [
        "The customer is king.",
        "Ask before you leave.",
        "print(899)\nThe price",
        "E = mc^2",
        "Add a day",
        "Our shop",
    ]


def test_rows_of_a_table_carry_the_names_of_its_columns() -> None:
    rows = (("Model", "Price"), ("Xaloc", "899"), ("Garbí", "1,099"))
    assert read(table(*rows), table(("Opening", "Nine"), has_header=False)) == [
        "Model: Xaloc; Price: 899",
        "Model: Garbí; Price: 1,099",
        "Opening: Nine",
    ]


def test_headings_and_toggles_are_sections() -> None:
    assert sections(
        paragraph("Before."),
        heading(1, "Returns"),
        heading(2, "Europe"),
        paragraph("30 days."),
        words("toggle", "Who pays?", paragraph("We do."), heading(1, "Except"), paragraph("Ice.")),
        paragraph("After."),
        heading(1, "Repairs", paragraph("Two years.")),
    ) == [
        ("", "Before."),
        ("Returns > Europe", "30 days."),
        ("Europe > Who pays?", "We do."),
        ("Who pays? > Except", "Ice."),
        ("Returns > Europe", "After."),
        ("Repairs", "Two years."),
    ]


def test_columns_and_synced_blocks_only_arrange() -> None:
    assert sections(
        heading(1, "Hours"),
        columns((paragraph("Left."),), (heading(2, "Sunday"), paragraph("Right."))),
        synced(paragraph("Everywhere.")),
    ) == [
        ("Hours", "Left."),
        ("Hours > Sunday", "Right."),
        ("Hours > Sunday", "Everywhere."),
    ]


def test_blocks_are_read_however_deep_they_lie(account: NotionAccount) -> None:
    block = bullet("The bottom.")
    for depth in range(40):
        block = bullet(f"Level {depth}", block)
    account.server.workspace.add_page("Deep", block)
    [page] = account.sync()
    assert isinstance(page, ReadDocument)
    assert page.passages[-1].text.endswith("- Level 0\n- The bottom.")


def test_a_synced_block_says_what_its_original_says(account: NotionAccount) -> None:
    workspace = account.server.workspace
    source = workspace.add_page("Imprint", synced(paragraph("Shop Ltd., Valencia")))
    original = workspace.blocks_in(source)[0]["id"]
    copy = workspace.add_page("Contact", synced_copy(original))
    workspace.put(synced_copy(copy), copy)  # itself

    items = account.sync()
    texts = [item.passages[0].text for item in items if isinstance(item, ReadDocument)]
    assert texts == ["Shop Ltd., Valencia", "Shop Ltd., Valencia"]


# --- Properties -----------------------------------------------------------------------------------


def value(kind: str, content: object) -> dict[str, object]:
    return {"id": "x", "type": kind, kind: content}


ANA = {"object": "user", "id": PAGE_ID, "name": "Ana Gil"}


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (value("rich_text", rich("Red and\nblue")), "Red and blue"),
        (value("number", 899.0), "899"),
        (value("number", 0), "0"),
        (value("number", 12.5), "12.5"),
        (value("number", None), None),
        (value("select", {"id": "1", "name": "Large", "color": "red"}), "Large"),
        (value("status", {"id": "1", "name": "On sale", "color": "red"}), "On sale"),
        (value("multi_select", [{"name": "Bike"}, {"name": "City"}]), "Bike, City"),
        (value("date", {"start": "2026-11-22", "end": None}), "2026-11-22"),
        (
            value("date", {"start": "2026-11-22T09:30:00.000+01:00", "end": "2026-11-23"}),
            "2026-11-22 09:30 – 2026-11-23",
        ),
        (value("people", [ANA, {"object": "user", "id": PAGE_ID}]), "Ana Gil"),
        (value("created_by", ANA), "Ana Gil"),
        (value("last_edited_time", "2026-11-22T09:30:00.000Z"), "2026-11-22 09:30"),
        (value("files", [{"name": "manual.pdf"}]), "manual.pdf"),
        (value("checkbox", True), "yes"),
        (value("checkbox", False), "no"),
        (value("url", "https://shop.example"), "https://shop.example"),
        (value("email", "ana@company.example"), "ana@company.example"),
        (value("phone_number", "960 555 014"), "960 555 014"),
        (value("formula", {"type": "string", "string": "899 €"}), "899 €"),
        (value("formula", {"type": "boolean", "boolean": False}), "no"),
        (value("formula", {"type": "date", "date": {"start": "2026-01-01"}}), "2026-01-01"),
        (value("rollup", {"type": "number", "number": 3, "function": "sum"}), "3"),
        (
            value("rollup", {"type": "array", "array": [value("number", 1), value("number", 2)]}),
            "1, 2",
        ),
        (value("relation", [{"id": PAGE_ID}, {"id": "not shared"}]), "Garbí"),
        (value("unique_id", {"prefix": "ART", "number": 7}), "ART-7"),
        (value("unique_id", {"prefix": None, "number": 7}), "7"),
        (value("verification", {"state": "verified"}), "verified"),
        (
            value("place", {"lat": 1, "name": "Shop", "address": "Calle Mayor 1"}),
            "Shop, Calle Mayor 1",
        ),
        (value("button", {}), None),
        (value("of tomorrow", {"a": 1}), None),
        (value("select", ["Large"]), None),
        (value("number", float("inf")), "inf"),
        ({}, None),
        (None, None),
    ],
)
def test_a_property_is_a_line(given: object, line: str | None) -> None:
    properties = {"Value": given, "Model": value("title", rich("Xaloc"))}
    told = property_lines(properties, {PAGE_ID: "Garbí"})
    assert told == ("Model: Xaloc" if line is None else f"Model: Xaloc\nValue: {line}")


def test_a_page_that_has_but_a_title_has_no_lines() -> None:
    assert property_lines({"title": value("title", rich("Handbook"))}, {}) == ""


def test_rollups_in_rollups_end() -> None:
    nested: dict[str, object] = value("number", 1)
    for _ in range(2000):
        nested = value("rollup", {"type": "array", "array": [nested]})
    assert property_lines({"A": nested, "B": value("number", 2)}, {}) == "B: 2"
