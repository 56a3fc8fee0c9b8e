"""Values that say nothing without their heading, the prices of three models: a quote names the
heading, and a question that names one gets that one alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO

import docx
import pytest
from django.core.files.base import ContentFile
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate

from accounts.models import Tenant
from agents.tests.factories import make_agent
from language.message import read_message
from language.tests.processor_time import processor_seconds
from query.models import Outcome
from query.pipeline import find_for_text
from query.search.siblings import (
    are_alike,
    find_families,
    heading_of,
    named_alone,
    without_other_headings,
)
from query.tests.factories import ask, make_chunk
from sources.services.uploads import ingest_file

ASTILLERO = {
    "Alcatraz 17": "Precio desde 28.400 €. Eslora: 5,20 m. Se entrega en 7 semanas.",
    "Ostrero 20": "Precio desde 44.100 €. Eslora: 6,10 m. Se entrega en 11 semanas.",
    "Zarapito 25": "Precio desde 69.800 €. Eslora: 7,60 m. Se entrega en 19 semanas.",
}
INN = {
    "Wren room": "The price per night is 88 EUR. It sleeps two people.",
    "Plover room": "The price per night is 115 EUR. It sleeps three people.",
    "Curlew suite": "The price per night is 172 EUR. It sleeps four people.",
}
NORMAS = {
    "Piscina": "Los perros no pueden entrar en ningún momento del día.",
    "Jardín": "Los perros pueden entrar en todo momento con correa.",
}


def as_markdown(title: str, sections: dict[str, str]) -> bytes:
    parts = (f"## {heading}\n\n{text}\n" for heading, text in sections.items())
    return "\n".join((f"# {title}\n", *parts)).encode()


def as_html(title: str, sections: dict[str, str]) -> bytes:
    parts = (f"<h2>{heading}</h2><p>{text}</p>" for heading, text in sections.items())
    head = f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>"
    return f"{head}{''.join(parts)}</main></body></html>".encode()


def as_docx(title: str, sections: dict[str, str]) -> bytes:
    written, document = BytesIO(), docx.Document()
    document.add_heading(title, 1)
    for heading, text in sections.items():
        document.add_heading(heading, 2)
        document.add_paragraph(text)
    document.save(written)
    return written.getvalue()


def as_pdf(title: str, sections: dict[str, str]) -> bytes:
    written, styles = BytesIO(), getSampleStyleSheet()
    story: list[Flowable] = [
        Paragraph(title, styles["Title"]),
        Paragraph(f"{title}.", styles["BodyText"]),
    ]
    for heading, text in sections.items():
        story += [Paragraph(heading, styles["Heading1"]), Paragraph(text, styles["BodyText"])]
    SimpleDocTemplate(written).build(story)
    return written.getvalue()


FORMATS = {"md": as_markdown, "html": as_html, "docx": as_docx, "pdf": as_pdf}


def index(tenant: Tenant, title: str, sections: dict[str, str], *, form: str = "md") -> None:
    content = FORMATS[form](title, sections)
    ingest_file(tenant, file=ContentFile(content), filename=f"{title}.{form}")


def told_under(text: str, headings: Iterable[str]) -> dict[str, str]:
    """What the answer tells behind each heading that it names at the beginning of a line."""
    named = "|".join(map(re.escape, headings))
    return dict(re.findall(rf"^({named}):\s(.+)$", text, re.MULTILINE))


# --- A quote carries its heading ------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
def test_of_several_prices_each_stands_behind_its_heading(tenant: Tenant, form: str) -> None:
    index(tenant, "Tarifas del astillero", ASTILLERO, form=form)

    told = told_under(ask(tenant, "¿Qué precio tienen los barcos?").text, ASTILLERO)

    assert len(told) == len(ASTILLERO)
    assert all(ASTILLERO[heading].split(".")[0] in text for heading, text in told.items())


@pytest.mark.parametrize("form", FORMATS)
def test_it_is_so_in_english(tenant: Tenant, form: str) -> None:
    index(tenant, "Our rooms", INN, form=form)

    answer = ask(tenant, "What is the price per night?")

    told = told_under(answer.text, INN)
    assert {
        heading: text.split(" [")[0].split(". It")[0].rstrip(".") for heading, text in told.items()
    } == {heading: text.split(".")[0] for heading, text in INN.items()}
    marks = dict(re.findall(r"^(.+?): .*\[(\d)\]$", answer.text, re.MULTILINE))
    assert {
        name: answer.sources[int(mark) - 1].section_title.rpartition(" > ")[2]
        for name, mark in marks.items()
    } == {name: name for name in INN}


def test_sentences_without_figures_have_theirs_too(tenant: Tenant) -> None:
    index(tenant, "Normas", NORMAS)

    told = told_under(ask(tenant, "¿pueden entrar los perros?").text, NORMAS)

    assert told.keys() == NORMAS.keys()


def test_a_list_stands_below_its_heading(tenant: Tenant) -> None:
    index(
        tenant,
        "Bike hire",
        {
            "City bike": "- One day: 14 EUR\n- One week: 66 EUR",
            "Cargo bike": "- One day: 35 EUR\n- One week: 160 EUR",
        },
    )

    assert "City bike:\n- One day: 14 EUR" in ask(tenant, "How much is a bike for one day?").text


def test_the_same_row_of_two_tables_is_told_of_both(tenant: Tenant) -> None:
    head = "| Trabajo | Precio | Horas |\n|---|---|---|\n"
    index(
        tenant,
        "Taller",
        {
            "Turismos": f"{head}| Cambio de aceite | 58 € | 1 |\n| Frenos | 130 € | 2 |",
            "Furgonetas": f"{head}| Cambio de aceite | 83 € | 1 |\n| Frenos | 185 € | 3 |",
        },
    )

    both = ask(tenant, "¿cuánto cuesta el cambio de aceite?").text
    one = ask(tenant, "¿cuánto cuesta el cambio de aceite de una furgoneta?").text

    assert re.search(r"^Turismos: .*58 €.* \[\d\]$", both, re.MULTILINE)
    assert re.search(r"^Furgonetas: .*83 €.* \[\d\]$", both, re.MULTILINE)
    assert "83 €" in one
    assert "58 €" not in one


def test_what_has_no_sibling_has_no_heading(tenant: Tenant) -> None:
    index(
        tenant,
        "Our rooms",
        {
            "Wren room": "The price per night is 88 EUR.",
            "Cancellation": "You can cancel free of charge up to three days before you arrive.",
        },
    )

    assert ask(tenant, "What is the price per night?").text == "The price per night is 88 EUR. [1]"


# --- A question names a heading -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "heading", "told", "others"),
    [
        ("¿Cuánto cuesta el Ostrero?", "Ostrero 20", "44.100", ("28.400", "69.800")),
        ("precio del zarapito 25", "Zarapito 25", "69.800", ("28.400", "44.100")),
        ("¿qué eslora tiene el alcatraz?", "Alcatraz 17", "5,20", ("6,10", "7,60")),
        ("how much is the Ostrero", "Ostrero 20", "44.100", ("28.400", "69.800")),
    ],
)
def test_what_stands_under_a_heading_that_is_asked_for_is_told_alone(
    tenant: Tenant, question: str, heading: str, told: str, others: tuple[str, ...]
) -> None:
    index(tenant, "Tarifas del astillero", ASTILLERO)

    text = ask(tenant, question).text

    assert f"{heading}: " in text
    assert told in text
    assert not any(other in text for other in others)


def test_two_that_are_named_are_both_told(tenant: Tenant) -> None:
    index(tenant, "Our rooms", INN)

    text = ask(tenant, "What is the price per night of the Wren and of the Curlew?").text

    assert told_under(text, INN).keys() == {"Wren room", "Curlew suite"}


@pytest.mark.parametrize(
    ("title", "sections", "turns"),
    [
        (
            "Tarifas del astillero",
            ASTILLERO,
            (
                ("¿Cuánto cuesta el Ostrero 20?", "Ostrero 20", "44.100"),
                ("¿y el Zarapito?", "Zarapito 25", "69.800"),
                ("¿y qué eslora tiene?", "Zarapito 25", "7,60"),
            ),
        ),
        (
            "Our rooms",
            INN,
            (
                ("How much is the Wren room per night?", "Wren room", "88"),
                ("and the Plover?", "Plover room", "115"),
                ("how many people does it sleep?", "Plover room", "three"),
            ),
        ),
        (
            "Normas",
            NORMAS,
            (
                ("¿pueden entrar perros en la piscina?", "Piscina", "no pueden"),
                ("¿y en el jardín?", "Jardín", "con correa"),
            ),
        ),
    ],
)
def test_a_follow_up_that_names_another_gets_that_one_alone(
    tenant: Tenant, title: str, sections: dict[str, str], turns: tuple[tuple[str, str, str], ...]
) -> None:
    index(tenant, title, sections)
    agent = make_agent(tenant)

    for question, heading, told in turns:
        answer = ask(tenant, question, agent, session_id="visitor 1")
        assert told_under(answer.text, sections).keys() == {heading}, question
        assert told in answer.text
        assert answer.outcome == Outcome.ANSWERED


# --- What is alike, and which heading tells -------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("Tyre change: 84 EUR.", "Tyre change: 96 EUR.", True),
        ("48.900 €", "32.500 €", True),
        ("La cuota mensual es de 29 €.", "La cuota mensual es de 42 € con piscina.", True),
        ("Dogs are allowed in this room.", "Dogs are not allowed in this room.", True),
        ("Yes.", "Yes, of course.", False),
        ("We open at 9.", "We open at 9.", False),
        ("Tyre change: 84 EUR.", "The warranty is 24 months.", False),
        ("Matrícula: 15 €.", "La matrícula es gratis.", False),
    ],
)
def test_sentences_are_alike_that_differ_in_figures_or_a_word(
    one: str, other: str, alike: bool
) -> None:
    assert are_alike(one, other) is alike


def test_as_few_headings_are_named_as_tell_them_apart() -> None:
    titles = ("Adults > Mornings", "Adults > All day", "Juniors > Mornings", "Visitors")
    chunks = [
        make_chunk(chunk_id=number, section_title=title, text=f"The fee is {number} EUR.")
        for number, title in enumerate(titles)
    ]
    families = find_families(chunks)

    named = [heading_of(chunk, families[chunk.chunk_id]) for chunk in chunks]

    assert named == ["Adults, Mornings", "All day", "Juniors, Mornings", "Visitors"]


def test_a_question_is_no_name_and_another_document_no_sibling() -> None:
    faq = [
        make_chunk(chunk_id=1, section_title="How much is a lesson?", text="It costs 40 EUR."),
        make_chunk(chunk_id=2, section_title="How much is a helmet?", text="It costs 5 EUR."),
        make_chunk(
            chunk_id=3, section_title="Boots", text="It costs 7 EUR.", source_file="boots.txt"
        ),
    ]
    families = find_families(faq)

    assert families.keys() == {1, 2}
    assert heading_of(faq[0], families[1]) == ""


def test_words_of_most_headings_and_figures_alone_name_none() -> None:
    chunks = [
        make_chunk(chunk_id=number, section_title=title, text=f"A wash costs {number} EUR.")
        for number, title in enumerate(("Van Lince 3", "Van Garza 5", "Van Heron"))
    ]
    families = find_families(chunks)

    def kept(text: str) -> list[int]:
        chosen = named_alone(read_message(text), chunks, families)
        return [chunk.chunk_id for chunk in chosen]

    assert kept("how much is a wash of a van?") == [0, 1, 2]
    assert kept("how much are 3 washes?") == [0, 1, 2]
    assert kept("how much is a wash of the Lince 3?") == [0]
    assert kept("a wash of the lince or the heron?") == [0, 2]


def test_only_words_that_were_added_are_left_out() -> None:
    chunks = [
        make_chunk(chunk_id=number, section_title=title, text=f"A wash costs {number} EUR.")
        for number, title in enumerate(("Van Lince 3", "Van Garza"))
    ]
    asked = read_message("the Garza?").reworded("the Garza? How much wash Van Lince 3")

    assert without_other_headings(asked, chunks).text == "the Garza? How much wash Van"
    alone = read_message("the Garza or the Lince 3?")
    assert without_other_headings(alone, chunks) is alone


def test_a_code_alone_finds_what_holds_it(tenant: Tenant) -> None:
    index(
        tenant,
        "Workshop",
        {
            "Warranty": "The warranty on repairs is 24 months, except for wear parts.",
            "Parts": "The oil filter of the Lince is KD-2041-B. The air filter is LF-2041-B.",
        },
    )

    assert [one.section_title for one in find_for_text(tenant, "what is kd2041b?").sources] == [
        "Workshop > Parts"
    ]
    assert "oil filter of the Lince is KD-2041-B" in ask(tenant, "what is kd2041b?").text


def test_ten_long_passages_are_compared_in_a_few_milliseconds() -> None:
    chunks = [
        make_chunk(
            chunk_id=number,
            section_title=f"Part {number}",
            text=" ".join(f"Thing{number} x{line} is unlike all others." for line in range(60)),
        )
        for number in range(10)
    ]
    find_families(chunks)

    assert processor_seconds(lambda: find_families(chunks)) < 0.1
