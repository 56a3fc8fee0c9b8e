"""What is quoted where nothing is certain: three short windows, rows of a table side by side."""

import pytest

from query.answering.quotes import QUOTED_MAX, QUOTED_MAX_CHARS, ROWS_MAX, quote_windows
from query.answering.weighing import read_passages
from query.search.calibration import trying
from query.tests.factories import make_calibration, make_chunk, make_question
from reading.passages import ChunkLevel

BY_WORDS = make_calibration(sentences={"coverage": 1.0})
PRICES = ("Box: Solo; Price: £12", "Box: Couple; Price: £17", "Box: Family; Price: £24")
LONG = "The weekly box holds what the field gives, from beet and leek to the odd parsnip. "


def quoted(question: str, *texts: str, level: str = ChunkLevel.PARAGRAPH) -> list[str]:
    chunks = [
        make_chunk(chunk_id=number, text=text, level=level)
        for number, text in enumerate(texts, start=1)
    ]
    with trying(BY_WORDS):
        reading = read_passages(make_question(question), chunks)
        return [one.text for one in quote_windows(reading, marks_sources=False)]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what do we pay for a box", PRICES),
        ("precio de la caja", ("Caja: grande; Precio: 9 €", "Caja: chica; Precio: 5 €")),
        ("how long is the sea route", ("Route: Sea; Length: 4 km", "Route: Wood; Length: 6 km")),
    ],
)
def test_rows_of_a_table_share_a_window(question: str, rows: tuple[str, ...]) -> None:
    (window,) = quoted(question, "\n".join(rows))

    assert len(window.splitlines()) == len(rows)


def test_a_window_of_rows_has_room_for_few() -> None:
    rows = [f"Box: number {number}; Price: £{number}" for number in range(1, 20)]

    windows = quoted("what is the price of a box", "\n".join(rows))

    assert len(windows) == QUOTED_MAX
    assert all(len(window.splitlines()) == ROWS_MAX for window in windows)
    assert all(len(window) <= QUOTED_MAX_CHARS for window in windows)


def test_rows_of_two_passages_stand_apart() -> None:
    windows = quoted("what is the price of a box", *PRICES[:2], level=ChunkLevel.ROW)

    assert len(windows) == 2


def test_a_row_that_is_much_less_likely_stands_apart() -> None:
    with trying(make_calibration(sentences={"coverage": 30.0})):
        chunk = make_chunk(text="Box: Solo; Price: £12\nCrate: empty; Deposit: £4")
        reading = read_passages(make_question("price of the solo box"), [chunk])
        (window,) = quote_windows(reading, marks_sources=False)

    assert "empty" not in window.text


def test_three_short_windows_are_quoted_and_no_more() -> None:
    windows = quoted("is there a box with leek", *(LONG * 2 + f"Box {n}." for n in range(5)))

    assert len(windows) == QUOTED_MAX
    assert all(len(window) <= QUOTED_MAX_CHARS for window in windows)
