"""What becomes of the items of a list, and of their texts."""

from __future__ import annotations

from typing import Any

import pytest

from connectors.tests.json_api.help_centre import (
    HelpCentre,
    Open,
    read,
    text_of,
    the_only,
)
from reading.passages import ReadDocument

pytestmark = pytest.mark.django_db


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
