"""A shop's questions and answers, asked as customers type their headings."""

import pytest

from accounts.models import Tenant
from query.models import Outcome
from query.search.headings import is_asked_for
from query.tests.factories import ask, index_texts, make_question
from sources.models import Chunk

ENTRIES = {
    "¿Dónde estáis?": "Calle Mayor 14, Soria. La entrada está en el patio, junto a la farmacia.",
    "¿Qué horario tenéis?": "De lunes a viernes, de 9:30 a 13:30. Los sábados abrimos a las 10:00.",
    "¿Puedo hablar con una persona?": "Sí. Llámanos al 975 000 111 y te contesta Inés.",
    "¿Cuánto tarda un envío?": "Dos días laborables en la península y cinco en las islas.",
    "¿Puedo devolver la lana que me sobra?": "Sí, los ovillos sin empezar y del mismo lote.",
    "¿Dais clases de punto?": "Los martes y jueves a las 18:00, para principiantes.",
    "¿Hacéis arreglos de jerséis?": "Zurcimos codos y puños por 15 €. No cambiamos cremalleras.",
    "¿Se puede pagar con Bizum?": "Sí, y con tarjeta desde cualquier importe.",
}


@pytest.fixture(autouse=True)
def faq(tenant: Tenant) -> None:
    index_texts(tenant, *(f"{heading}\n{answer}" for heading, answer in ENTRIES.items()))
    for heading, answer in ENTRIES.items():
        found = Chunk.objects.for_tenant(tenant).filter(text__endswith=answer)
        found.update(section_title=f"Preguntas frecuentes > {heading}")


@pytest.mark.parametrize(
    ("asked", "heading"),
    [
        ("donde estais", "¿Dónde estáis?"),
        ("hola, que horario teneis", "¿Qué horario tenéis?"),
        ("PUEDO HABLAR CON UNA PERSONA", "¿Puedo hablar con una persona?"),
        ("buenas! cuanto tarda un envío", "¿Cuánto tarda un envío?"),
        ("puedo devolver la lana q me sobra", "¿Puedo devolver la lana que me sobra?"),
        ("dais clases de puntoo?", "¿Dais clases de punto?"),
        ("haceis arreglos de jerseis", "¿Hacéis arreglos de jerséis?"),
        ("se puede pagar con bizun?", "¿Se puede pagar con Bizum?"),
        ("quiero hablar con una persona", "¿Puedo hablar con una persona?"),
        ("hola, a que hora abris", "¿Qué horario tenéis?"),
        ("¿cuál es vuestra dirección?", "¿Dónde estáis?"),
        ("donde estan ustedes", "¿Dónde estáis?"),
        ("where are you", "¿Dónde estáis?"),
    ],
)
def test_what_stands_under_the_heading_is_the_answer(
    tenant: Tenant, asked: str, heading: str
) -> None:
    answer = ask(tenant, asked)

    assert answer.outcome == Outcome.ANSWERED
    assert answer.text == f"{ENTRIES[heading]} [1]"


def test_of_hours_under_the_heading_those_of_the_day_are_the_answer(tenant: Tenant) -> None:
    answer = ask(tenant, "hola, a que hora abris los sabados")

    assert answer.outcome == Outcome.ANSWERED
    assert answer.text == "Los sábados abrimos a las 10:00. [1]"


@pytest.mark.parametrize(
    ("asked", "heading"),
    [
        ("¿a qué hora abre la piscina?", "Horario"),
        ("a que hora abris", "Horario de la piscina"),
        ("¿dónde está mi pedido?", "¿Dónde estáis?"),
        ("quiero hablar de una factura", "¿Puedo hablar con una persona?"),
    ],
)
def test_a_question_about_another_thing_is_not_that_heading(asked: str, heading: str) -> None:
    assert not is_asked_for(make_question(asked), heading)
