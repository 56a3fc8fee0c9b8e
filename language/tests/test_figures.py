"""The numbers of a text are those of its translation."""

import pytest

from language.figures import FIGURES_MAX, read_figures
from language.tests.processor_time import processor_seconds


@pytest.mark.parametrize(
    ("spanish", "english", "figures"),
    [
        ("El envío cuesta 14,50 €.", "Shipping costs €14.50.", {14.5}),
        ("Son 1.200 plazas.", "There are 1,200 seats.", {1200}),
        ("A las 19:30.", "At 7:30 pm.", {19, 30}),
        ("De 10:00 a 14:00.", "From 10 am to 2 p.m.", {10, 14}),
        ("Llega en nueve días.", "It arrives in nine days.", {9}),
        ("Una hora antes.", "An hour before.", set()),
        ("El 24/12.", "On 24 December (12).", {24, 12}),
    ],
)
def test_a_text_and_its_translation_hold_the_same(
    spanish: str, english: str, figures: set[float]
) -> None:
    assert read_figures(spanish, "es") == read_figures(english, "en") == figures


def test_of_a_long_text_the_first_are_read() -> None:
    numbers = " ".join(map(str, range(1000, 1000 + 2 * FIGURES_MAX)))
    assert len(read_figures(numbers, "en")) == FIGURES_MAX


@pytest.mark.parametrize("text", ["1" * 20_000, "1." * 10_000, "1:" * 10_000 + "pm", "1 " * 10_000])
def test_hostile_numbers_are_read_in_time(text: str) -> None:
    assert processor_seconds(lambda: read_figures(text, "es")) < 0.1
