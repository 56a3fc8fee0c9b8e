"""Where, when and how a company is reached is found by what such lines are called."""

import pytest

from accounts.models import Tenant
from language.message import read_message
from language.words import Language
from query.tests.factories import index_texts
from query.understanding.contact import name_line


def named(tenant: Tenant, text: str, language: Language) -> str:
    return name_line(tenant, read_message(text).spoken_in(language), source_ids=None).text


LINES = ("Dirección: calle Mayor 5, Soria.", "Horario: de 9 a 14 h.", "Teléfono: 975 000 111.")


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("¿dónde estáis?", "dirección"),
        ("hola, donde queda la tienda", "dirección"),
        ("cómo llego en coche", "dirección"),
        ("a que hora abris los sabados", "horario"),
        ("¿Cuándo cierran en agosto?", "horario"),
        ("¿Abrís los lunes?", "horario"),
        ("¿cómo os llamo?", "teléfono"),
    ],
)
def test_the_line_is_named(tenant: Tenant, question: str, called: str):
    index_texts(tenant, *LINES)

    assert named(tenant, question, "es") == f"{question} ({called})"


@pytest.mark.parametrize(
    "question",
    [
        "¿cuál es vuestra dirección?",
        "¿dónde está el cargador que dejé en la silla azul?",
        "cuánto vale cortar el pelo",
        "¿cuándo me llega el pedido?",
        "me dejé las llaves en el probador el otro día y no sé si están, ¿a qué hora abrís?",
    ],
)
def test_other_questions_stay_as_they_are(tenant: Tenant, question: str):
    index_texts(tenant, *LINES)

    assert named(tenant, question, "es") == question


def test_a_name_that_no_source_holds_is_not_put_there(tenant: Tenant, other_tenant: Tenant):
    index_texts(other_tenant, *LINES)

    assert named(tenant, "¿dónde estáis?", "es") == "¿dónde estáis?"


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("where are you?", "address"),
        ("how do I get there", "address"),
        ("what time do you open on Sundays?", "opening hours"),
        ("how can I contact you", "phone"),
    ],
)
def test_in_english_too(tenant: Tenant, question: str, called: str):
    index_texts(tenant, "Address: 5 High Street. Opening hours: 9 to 5. Phone: 555 111.")

    assert named(tenant, question, "en") == f"{question} ({called})"
