"""Days of the week, as people ask for them and lists of hours write them."""

from __future__ import annotations

import pytest

from language.tests.processor_time import processor_seconds
from language.weekdays import begins_with_days, days_of_lines, read_weekdays, tells_hours


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("¿abrís de lunes a viernes?", {1, 2, 3, 4, 5}),
        ("de jueves a lunes", {4, 5, 6, 7, 1}),
        ("los sabados y domingos", {6, 7}),
        ("¿y el finde?", {6, 7}),
        ("entre semana", {1, 2, 3, 4, 5}),
        ("todos los días", {1, 2, 3, 4, 5, 6, 7}),
        ("from Tuesday to Thursday", {2, 3, 4}),
        ("on weekdays", {1, 2, 3, 4, 5}),
        ("at the weekend", {6, 7}),
        ("The sun and the sea; a sat phone", set()),
        ("el mar en verano", set()),
    ],
)
def test_a_sentence_names_days(text: str, days: set[int]) -> None:
    assert read_weekdays(text) == days


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("- Lunes: cerrado", {1}),
        ("L-V 9:00-14:00", {1, 2, 3, 4, 5}),
        ("Lun. a jue.: de 9 a 14", {1, 2, 3, 4}),
        ("Abrimos los martes y los viernes de 10 a 13 h", {2, 5}),
        ("Domingo y festivos: cerrado.", {7}),
        ("Mon–Fri 9am–6pm", {1, 2, 3, 4, 5}),
        ("• Tue, Thu & Sat: 10 to 16", {2, 4, 6}),
        ("Day: Sat; Hours: 9:00-20:00", {6}),
        ("Open daily 8:30–18:00", {1, 2, 3, 4, 5, 6, 7}),
    ],
)
def test_a_line_of_hours_begins_with_its_days(line: str, days: set[int]) -> None:
    assert days_of_lines([line]) == [days]
    assert begins_with_days(line)
    assert tells_hours(line)


@pytest.mark.parametrize(
    "line",
    ["Horario", "Cursos los lunes", "The sun rises at 6:00", "Monday blues", "Sold on Friday"],
)
def test_other_lines_tell_no_hours(line: str) -> None:
    assert not tells_hours(line)


def test_hours_on_lines_of_their_own_belong_to_the_days_before() -> None:
    lines = [
        "Monday to Friday",
        "9:00 – 13:00",
        "and 16:00 – 20:00",
        "Sundays",
        "Closed",
        "Parking",
    ]
    working = {1, 2, 3, 4, 5}
    assert days_of_lines(lines) == [working, working, working, {7}, {7}, set()]


@pytest.mark.parametrize("piece", ["lunes a ", "l a ", "9-", "mon . ", "(", " ", "de lunes: "])
def test_a_hostile_line_takes_no_time(piece: str) -> None:
    text = piece * (10_000 // len(piece))
    lines = [text, text[:240], text[:200]]
    assert processor_seconds(lambda: (read_weekdays(text), days_of_lines(lines))) < 0.1
