"""A text that stands in several documents is one source."""

from __future__ import annotations

import pytest

from accounts.models import Tenant
from query.search.repeats import fold_repeats
from query.tests.factories import ask, index_texts, make_chunk
from query.tests.test_translations import ingest
from reading.passages import ChunkLevel

NOTES = """# Kayaks

Kayaks are rented out by the hour: 12 euros for one person, 18 euros for two.

# Weather

In a gale warning no kayak leaves the harbour, and the rent that was paid is given back.

# Lessons

A kayak lesson lasts two hours, on Saturdays at ten; bring a towel and dry clothes.
"""


def test_the_same_file_uploaded_again_takes_no_second_place(tenant: Tenant):
    for name in ("kayaks.md", "kayaks (1).md", "copy of kayaks.md"):
        ingest(tenant, NOTES.encode(), name)

    for question in ("How much is a kayak for two people?", "When are the kayak lessons?"):
        sources = ask(tenant, question).sources
        assert len({source.text for source in sources}) == len(sources)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"text": "We are closed on Mondays.", "section_title": "Hours"},
            {"text": "WE ARE CLOSED ON MONDAYS", "section_title": "HOURS"},
        ),
        (
            {"text": "The lift to the tower is for ten people. " * 4, "section_title": "Lift"},
            {"text": "The lift to the tower is for ten people. " * 4, "section_title": "The lift"},
        ),
        (
            {"text": "Ref: B-12; Buoy: red; Price: 9 €", "level": ChunkLevel.ROW},
            {"text": "Reference: B-12; Name: red; Price (€): 9 €", "level": ChunkLevel.ROW},
        ),
    ],
)
def test_what_says_the_same_is_one(one: dict[str, object], other: dict[str, object]):
    chunks = [make_chunk(chunk_id=1, **one), make_chunk(chunk_id=2, source_file="b.txt", **other)]

    assert fold_repeats(chunks) == chunks[:1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"text": "It costs 20 euros a day.", "section_title": "Kayak"},
            {"text": "It costs 20 euros a day.", "section_title": "Canoe"},
        ),
        ({"text": "It costs 20 euros a day."}, {"text": "It costs 21 euros a day."}),
        (
            {"text": "From: 9; Until: 14", "level": ChunkLevel.ROW},
            {"text": "At least: 9; At most: 14", "level": ChunkLevel.ROW},
        ),
    ],
)
def test_what_says_something_else_stays(one: dict[str, object], other: dict[str, object]):
    chunks = [make_chunk(chunk_id=1, **one), make_chunk(chunk_id=2, **other)]

    assert fold_repeats(chunks) == chunks


def test_pages_that_end_with_the_same_lines_leave_room_for_others(tenant: Tenant):
    for number in range(6):
        index_texts(tenant, "Call us on 555 123 456 to book a boat.", name=f"page {number}")
    index_texts(tenant, "To book a boat by e-mail, write three days before.", name="email.txt")

    files = [source.source_file for source in ask(tenant, "How do I book a boat?").sources]

    assert "email.txt" in files
    assert len(files) == 2
