"""How a company is reached is answered by the line that tells it, in whatever kind of passage."""

import pytest

from accounts.models import Tenant
from query.models import Outcome
from query.search.contact_lines import Mark, contact_lines
from query.tests.factories import ask, index_texts, make_chunk, make_question
from query.understanding.contact import Way, meant, ways_of

LINES = (
    "Cerámica Aljarafe\nDirección: calle Alfareros 12, 41930 Bormujos\nTeléfono: 955 010 203\n"
    "WhatsApp: 655 010 203\nCorreo: hola@aljarafe.example\n"
    "Horario: de martes a sábado, de 10 a 14 h"
)
RETURNS = "Si una pieza llega rota, mande una foto a roturas@aljarafe.example en 48 horas."
PROSE = (
    "You will find us behind the fire station at 17 Mill Lane, Fernley, FN3 4QT.",
    "Ring 01632 960 455 between 8 and 4, or write to workshop@fernley.example.",
    "Repairs are guaranteed for six months. Bring the receipt.",
)
MAIL = (
    "Desde el 15 de noviembre nos tendréis en la calle Nogal 21 de Logroño. La tienda no cambia.",
    "Un saludo,\nBerta\nTel. 941 222 333",
    "Baño de perro pequeño: 22 €. Los gatos se bañan solo los martes.",
)


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("teneis correo electronico?", "Correo: hola@aljarafe.example"),
        ("email?", "Correo: hola@aljarafe.example"),
        ("a que correo os escribo", "Correo: hola@aljarafe.example"),
        ("do you have an email address", "Correo: hola@aljarafe.example"),
        ("cómo llego", "Dirección: calle Alfareros 12, 41930 Bormujos"),
        ("código postal?", "Dirección: calle Alfareros 12, 41930 Bormujos"),
        ("me pasas la ubicación", "Dirección: calle Alfareros 12, 41930 Bormujos"),
        ("how do I get there", "Dirección: calle Alfareros 12, 41930 Bormujos"),
        ("teneis whatsapp", "WhatsApp: 655 010 203"),
        ("horario?", "Horario: de martes a sábado, de 10 a 14 h"),
    ],
)
def test_the_line_that_says_what_it_is(tenant: Tenant, asked: str, line: str) -> None:
    index_texts(tenant, LINES, RETURNS)

    answer = ask(tenant, asked)

    assert (answer.outcome, answer.text) == (Outcome.ANSWERED, f"{line} [1]")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("where are u based? need the postcode", PROSE[0]),
        ("how do I get there", PROSE[0]),
        ("directions please", PROSE[0]),
        ("¿cómo llego?", PROSE[0]),
        ("phone?", PROSE[1]),
        ("how can I reach you", PROSE[1]),
        ("teneis correo electronico?", PROSE[1]),
    ],
)
def test_a_sentence_beside_others_of_its_kind(tenant: Tenant, asked: str, told: str) -> None:
    index_texts(tenant, *PROSE)

    answer = ask(tenant, asked)

    assert (answer.outcome, answer.text) == (Outcome.ANSWERED, f"{told} [1]")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("teléfono?", "Tel. 941 222 333"),
        ("como puedo contactar", "Tel. 941 222 333"),
        ("en que calle estais", "Desde el 15 de noviembre nos tendréis en la calle Nogal 21 de"),
        ("where do I find you", "Desde el 15 de noviembre nos tendréis en la calle Nogal 21 de"),
    ],
)
def test_a_mail_and_its_signature(tenant: Tenant, asked: str, told: str) -> None:
    index_texts(tenant, *MAIL)

    answer = ask(tenant, asked)

    assert answer.outcome == Outcome.ANSWERED
    assert answer.text.startswith(told)


@pytest.mark.parametrize("asked", ["teneis correo?", "phone?", "cómo llego", "teneis whatsapp"])
def test_what_nobody_wrote_down_is_not_told(tenant: Tenant, asked: str) -> None:
    index_texts(tenant, "Las piezas se devuelven en 15 días.", "El curso de torno cuesta 120 €.")

    assert ask(tenant, asked).sources == ()


def test_an_address_for_something_else_is_not_the_companys(tenant: Tenant) -> None:
    index_texts(tenant, RETURNS)

    assert ask(tenant, "email?").outcome != Outcome.ANSWERED


@pytest.mark.parametrize(
    ("asked", "way"),
    [
        ("teléfono?", Way.PHONE),
        ("hola, me das un numero para llamar", Way.PHONE),
        ("do you have an email", Way.EMAIL),
        ("what is the way to get there", Way.DIRECTIONS),
        ("a q hora abris", Way.HOURS),
        ("quiero hora para el lunes", None),
        ("what do I get", None),
        ("where is my car", None),
        ("¿dónde está mi pedido?", None),
        ("quiero un telefono nuevo", None),
        ("teléfono de urgencias", None),
        ("contact lenses", None),
        ("horario de la piscina", None),
    ],
)
def test_the_way_is_all_that_is_asked_for(asked: str, way: Way | None) -> None:
    message = make_question(asked, language="es").message
    text = message.written_out
    assert meant(ways_of(make_question(text, language="es").message.content.heading)) is way


@pytest.mark.parametrize(
    ("asked", "text", "over", "mark"),
    [
        ("phone?", "Tel.: +34 941 222 333", {}, Mark.LABEL),
        ("phone?", "Teléfono de urgencias: 941 222 333", {}, None),
        ("phone?", "Ask for Inés on 01632 960 455.", {"section_title": "Contact us"}, Mark.PLACE),
        (
            "phone?",
            "Ask on 01632 960 455.",
            {"document_title": "contacto_y_horario.txt"},
            Mark.PLACE,
        ),
        ("phone?", "Lenses: order on 01632 960 455.", {"section_title": "Contact lenses"}, None),
        ("phone?", "IBAN ES76 2077 0024 0031 0257 5766", {"section_title": "Contacto"}, None),
        ("phone?", "Order 2026-11-28 0001, 1,200.50 €", {"section_title": "Contacto"}, None),
        ("email?", "Berta, tel. 941 222 333, berta@trufa.example", {}, Mark.BLOCK),
        ("email?", "Fotos a roturas@trufa.example", {}, None),
        ("where are you", "We are at 5 Station Parade.", {}, Mark.LABEL),
        ("where are you", "A walk of 5 km along the road to the mill", {}, None),
        ("horario?", "Abrimos todos los días de 9 a 20 h", {}, Mark.LABEL),
        ("horario?", "Horario de la piscina: de 9 a 20 h", {}, None),
        ("horario?", "Lunes 9:00-20:00", {"document_title": "horario.txt"}, Mark.PLACE),
        ("horario?", "Lunes 9:00-20:00", {"section_title": "Horario de la piscina"}, None),
        ("opening hours?", "Open daily, 10am to 5pm", {}, Mark.LABEL),
    ],
)
def test_what_marks_a_line(asked: str, text: str, over: dict[str, str], mark: Mark | None) -> None:
    chunk = make_chunk(text=text, **over)

    found = contact_lines(make_question(asked), [chunk])

    assert (found[1].mark if found else None) == mark


def test_only_the_best_marked_lines_count_in_the_questions_language_first() -> None:
    chunks = [
        make_chunk(chunk_id=1, text="Tel. 941 222 333, berta@trufa.example"),
        make_chunk(chunk_id=2, text="Ana: 941 000 333, ana@trufa.example"),
        make_chunk(chunk_id=3, text="Tel. 941 222 333", language="es"),
    ]

    assert set(contact_lines(make_question("phone?"), chunks)) == {1}


def test_the_way_there_goes_before_the_address(tenant: Tenant) -> None:
    index_texts(
        tenant,
        "¿Dónde estáis? En la avenida del Puerto 88, al lado del faro.",
        "¿Cómo puedo llegar? El autobús 12 para en la puerta.",
    )

    assert ask(tenant, "cómo llego").text == "El autobús 12 para en la puerta. [1]"
    assert ask(tenant, "donde estais").text.startswith("En la avenida del Puerto 88")


def test_ten_thousand_characters_are_read_in_no_time() -> None:
    for text in ("9" * 10_000, "a@" * 5_000, "9 " * 5_000, "calle " * 1_700, "Tel. (" * 1_700):
        assert contact_lines(make_question("phone?"), [make_chunk(text=text)]) == {}
