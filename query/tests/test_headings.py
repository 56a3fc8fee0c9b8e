"""A question that is a heading, word for word, is answered by what stands under it."""

import pytest

from accounts.models import Tenant
from query.models import Outcome
from query.search.headings import is_asked_for
from query.tests.factories import ask, index_texts, make_question
from sources.models import Chunk

FAQ = "Preguntas frecuentes > ¿Puedo devolver una pintura teñida a medida?"
ENTRY = (
    "¿Puedo devolver una pintura teñida a medida?\nNo. Lo que sale de la máquina de teñir es a tu"
    " gusto y ya no se puede vender a otro."
)


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("¿Puedo devolver una pintura teñida a medida?", True),
        ("puedo devolver una pintura tenida a medida", True),
        ("hola buenas, PUEDO DEVOLVER UNA PINTURA TEÑIDA A MEDIDA??", True),
        ("¿Puedo devolver una pintura?", False),
        ("Puedo devolver hoy una pintura teñida a medida", False),
    ],
)
def test_accents_marks_and_greetings_do_not_count(question: str, is_asked: bool):
    assert is_asked_for(make_question(question), FAQ) is is_asked


def test_a_heading_of_one_or_two_words_is_no_question():
    assert not is_asked_for(make_question("horario"), "Horario")


@pytest.mark.parametrize(
    "question",
    ["¿Puedo devolver una pintura teñida a medida?", "puedo devolver una pintura tenida a medida"],
)
def test_what_stands_under_it_is_the_answer(tenant: Tenant, question: str):
    index_texts(tenant, ENTRY, "Las pinturas se devuelven en treinta días con su tique.")
    Chunk.objects.for_tenant(tenant).filter(text=ENTRY).update(section_title=FAQ)

    answer = ask(tenant, question)

    assert answer.outcome == Outcome.ANSWERED
    assert answer.text == (
        "No. Lo que sale de la máquina de teñir es a tu gusto y ya no se puede vender a otro. [1]"
    )


def test_of_several_entries_in_one_passage_only_its_own_is_told(tenant: Tenant):
    index_texts(tenant, "Do you cut keys? Yes, while you wait. Do you sharpen knives? On Tuesdays.")

    assert ask(tenant, "do you cut keys").text == "Yes, while you wait. [1]"
