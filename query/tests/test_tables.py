"""Answers that are computed from all rows of a table."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Tenant
from language.message import read_message
from language.words import Language
from query.answering.hidden import UNDECIDED, Hidden, told_cells
from query.answering.rows import read_cells, told_row
from query.answering.tables import reading
from query.answering.tables.answering import TableAnswer, answer_from_tables
from query.answering.tables.asking import Want, read_table_question
from query.answering.tables.cells import Span, read_amount, read_span, tell_value
from query.answers import Answer
from query.models import Outcome
from query.pipeline import SourcesFound, stream_answer
from query.search.candidates import NO_VECTOR, Question
from query.search.retrieval import read_question, retrieve_chunks
from query.tests.factories import ask, index_texts, make_question
from query.understanding.inquiries import Inquiry
from reading.passages import ChunkLevel
from sources.models import Source

SALAS = (
    "Sala: Cantábrica; Aforo (personas): 8; Precio por hora: 18,00 €; Proyector: no; Stock: 3",
    "Sala: Mediterránea; Aforo (personas): 12; Precio por hora: 1.250,50 €; Proyector: sí",
    "Sala: Atlántica; Aforo (personas): 30; Precio por hora: 46,00 €; Proyector: sí; Stock: 5",
    "Sala: Balear; Aforo (personas): 4; Precio por hora: 18,00 €; Proyector: no; Stock: 9",
)
KAYAKS = (
    "Kayak: Otter; Weight (kg): 24.5; Day: £1,020.00; Wholesale price: £7.00",
    "Kayak: Heron; Weight (kg): 19; Day: £38.00; Wholesale price: £30.00",
    "Kayak: Pike; Weight (kg): 31; Day: £40.00; Wholesale price: £9.00",
)


def index_rows(tenant: Tenant, rows: Sequence[str], *, name: str, sheet: str = "") -> Source:
    return index_texts(tenant, *rows, name=name, section_title=sheet, level=ChunkLevel.ROW)


def computed(tenant: Tenant, text: str, language: Language, **given: object) -> TableAnswer | None:
    message = read_message(text).spoken_in(language)
    question, chunks = retrieve_chunks(tenant, read_question(message), top_k=10)
    hidden = given.get("hidden", UNDECIDED)
    assert isinstance(hidden, Hidden)
    return answer_from_tables(tenant, question, chunks, hidden=hidden, marks_sources=False)


def told(tenant: Tenant, text: str, language: Language) -> str:
    answer = computed(tenant, text, language)
    return answer.text if answer else ""


@pytest.fixture
def salas(tenant: Tenant) -> Source:
    return index_rows(tenant, SALAS, name="salas.csv")


@pytest.fixture
def kayaks(tenant: Tenant) -> Source:
    return index_rows(tenant, KAYAKS, name="kayaks.csv")


@pytest.mark.usefixtures("salas")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿Cuál es la sala más cara?", "La más cara es Mediterránea: 1.250,50 €."),
        ("la sala mas grande q teneis", "La más grande es Atlántica: 30 personas."),
        ("¿cuál es la sala más barata?", "Las más baratas son Cantábrica y Balear: 18,00 €."),
        ("¿cuántas salas tienen proyector?", "Son 2: Mediterránea y Atlántica."),
        (
            "somos nueve, ¿qué sala nos vale?",
            "Encajan 2: Mediterránea (12 personas) y Atlántica (30 personas).",
        ),
        ("¿qué salas tienen proyector?", "Son 2: Mediterránea y Atlántica."),
        ("¿cuántas salas sin proyector hay?", "Son 2: Cantábrica y Balear."),
        ("salas con proyector", "Son 2: Mediterránea y Atlántica."),
        ("la más cara sin proyector", "Las más caras son Cantábrica y Balear: 18,00 €."),
        ("cuántas personas caben en la Balear", "Balear, aforo: 4 personas."),
        ("¿algo por menos de 40 €?", "Son 2: Cantábrica (18,00 €) y Balear (18,00 €)."),
        ("¿cuántas salas cuestan menos de 40 euros?", "Son 2: Cantábrica y Balear."),
        ("¿cuánto cuesta la hora en la sala Atlántica?", "Atlántica, precio por hora: 46,00 €."),
    ],
)
def test_what_is_asked_of_a_spanish_table_is_computed(
    tenant: Tenant, question: str, answer: str
) -> None:
    assert told(tenant, question, "es") == answer


@pytest.mark.usefixtures("kayaks")
@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("which kayak is the lightest?", "The lightest is Heron: 19 kg."),
        ("what's your most expensive kayak for a day", "The most expensive is Otter: £1,020.00."),
        ("which of the kayaks weighs the most?", "The heaviest is Pike: 31 kg."),
        ("how much is the Heron for a day?", "Heron, day: £38.00."),
    ],
)
def test_what_is_asked_of_an_english_table_is_computed(
    tenant: Tenant, question: str, answer: str
) -> None:
    assert told(tenant, question, "en") == answer


BUSES = (
    "Destino: Soria; Salida: 07:15; Llegada: 09:05; Días: laborables; Andén: 3; Billete: 11,40 €",
    "Destino: Logroño; Salida: 08:00; Llegada: 09:10; Días: diario; Andén: 1; Billete: 8,90 €",
    "Destino: Calahorra; Salida: 12:15; Llegada: 13:00; Días: diario; Andén: 1; Billete: 4,60 €",
    "Destino: Vitoria; Salida: 13:30; Llegada: 15:05; Días: diario; Andén: 2; Billete: 12,10 €",
)
BIKES = (
    "Modelo: Brisa 7; Tipo: paseo; Altura (cm): 150-165; Peso (kg): 14.2; Precio: 349 €",
    "Modelo: Brisa E; Tipo: paseo; Altura (cm): 155-175; Peso (kg): 22.5; Precio: 1390 €",
    "Modelo: Brisa X; Tipo: paseo; Altura (cm): 170-190; Peso (kg): 15; Precio: 420.5 €",
    "Modelo: Cierzo; Tipo: montaña; Altura (cm): 150-172; Peso (kg): 9.8; Precio: 899 €",
)
SEASONS = (
    "Temporada: Agosto; Fechas: del 1 al 31 de agosto; Estudio (€/noche): 105; Dos dormitorios: 9",
    "Temporada: Septiembre; Fechas: del 1 al 20 de septiembre; Estudio (€/noche): 78; Ático: 8",
    "Temporada: Otoño; Fechas: del 21 de septiembre al 1 de enero; Estudio (€/noche): 52",
)
PASSES = (
    "Membership: Junior; Age: 8-15; Monthly: £14.5; Joining fee: £0; Pool: yes",
    "Membership: Student; Age: 16-25; Monthly: £19.9; Joining fee: £10; Pool: yes",
    "Membership: Gym only; Age: 16-64; Monthly: £1026.5; Joining fee: £15; Pool: no",
    "Membership: Senior; Age: 65-99; Monthly: £21; Joining fee: £12; Pool: no",
)
PAINTS = (
    "Paint: Moss; Finish: matt; Coverage (m²): 34; Dry: 90 minutes; Outdoors: no; Price: £22.75",
    "Paint: Oak; Finish: satin; Coverage (m²): 30; Dry: 6 hours; Outdoors: yes; Price: £24.00",
    "Paint: Masonry; Finish: matt; Coverage (m²): 80; Dry: 3 hours; Outdoors: yes; Price: £46.80",
    "Paint: Floor; Finish: satin; Coverage (m²): 55; Dry: 1 hour; Outdoors: no; Price: £58.00",
)


INVITATIONS = (
    "Set: Azahar; 50 guests: €4.60; 100 guests: €3.70",
    "Set: Olivo; 50 guests: €4.40; 100 guests: €4.10",
)
CHEESES = (
    "Queso: Payoyo; Leche: cabra; Pieza (kg): 1,2; Precio: 22,80 €; Sin lactosa: no",
    "Queso: Majorero; Leche: cabra; Pieza (kg): 1,5; Precio: 19,75 €; Sin lactosa: sí",
    "Queso: Murcia; Leche: cabra; Pieza (kg): 2,1; Precio: 16,40 €; Sin lactosa: no",
    "Queso: Mahón; Leche: vaca; Pieza (kg): 2,5; Precio: 11,50 €; Sin lactosa: sí",
)
VANS = (
    "Van: Pip; Year: 2022; Payload (kg): 600; Gearbox: manual; Per week: £240; Per day: £45",
    "Van: Mover; Year: 2023; Payload (kg): 1150; Gearbox: automatic; Per week: £410; Per day: £75",
    "Van: Luton; Year: 2019; Payload (kg): 1000; Gearbox: manual; Per week: £540; Per day: £98",
    "Van: Crew; Year: 2021; Payload (kg): 950; Gearbox: manual; Per week: £69; Per day: £68",
)


@pytest.mark.parametrize(
    ("rows", "question", "language", "answer"),
    [
        pytest.param(
            BUSES, "de qué andén sale el de Soria", "es", "Soria, andén: 3.", id="a named column"
        ),
        pytest.param(
            BUSES, "qué días hay bus a Soria", "es", "Soria, días: laborables.", id="days"
        ),
        pytest.param(
            BUSES, "cuántos salen del andén 1", "es", "Son 2: Logroño y Calahorra.", id="a number"
        ),
        pytest.param(
            BUSES,
            "a dónde puedo ir por menos de 10 euros",
            "es",
            "Son 2: Logroño (8,90 €) y Calahorra (4,60 €).",
            id="a bound, whose figure is no time of day",
        ),
        pytest.param(
            BIKES,
            "mido 1,58, qué bicis de paseo me van bien",
            "es",
            "Encajan 2: Brisa 7 (150-165 cm) y Brisa E (155-175 cm).",
            id="a height without its unit",
        ),
        pytest.param(
            BIKES,
            "la bici de paseo más barata",
            "es",
            "La más barata es Brisa 7: 349 €.",
            id="within a kind",
        ),
        pytest.param(
            SEASONS,
            "how much is the studio per night in september",
            "en",
            "Septiembre, estudio: €78/noche. Fechas: del 1 al 20 de septiembre.",
            id="a row by its name in the other language",
        ),
        pytest.param(
            PASSES,
            "cheapest one with a pool",
            "en",
            "The cheapest is Junior: £14.50.",
            id="what is paid, and not the joining fee",
        ),
        pytest.param(
            PASSES,
            "my son is 17, which can he have",
            "en",
            "2 would fit: Student (age: 16-25) and Gym only (age: 16-64).",
            id="an age",
        ),
        pytest.param(
            PAINTS,
            "cheapest paint I can use outside",
            "en",
            "The cheapest is Oak: £24.00.",
            id="a column of yes and no by another word",
        ),
        pytest.param(
            PAINTS,
            "i need to cover 60 square metres, which tin is enough?",
            "en",
            "Masonry (80 m²) would fit.",
            id="a unit of two words",
        ),
        pytest.param(
            PAINTS,
            "which paints are matt?",
            "en",
            "There are 2: Moss and Masonry.",
            id="all of a kind",
        ),
        pytest.param(
            CHEESES,
            "queso de cabra más barato sin lactosa",
            "es",
            "Lo más barato es Majorero: 19,75 €.",
            id="a header that says without",
        ),
        pytest.param(
            CHEESES, "hay quesos de vaca?", "es", "Solo 1: Mahón.", id="whether there are some"
        ),
        pytest.param(
            CHEESES, "queso más caro", "es", "Lo más caro es Payoyo: 22,80 €.", id="no article"
        ),
        pytest.param(
            PASSES,
            "im 70 what membership",
            "en",
            "Senior (age: 65-99) would fit.",
            id="an age without a verb that asks what fits",
        ),
        pytest.param(
            INVITATIONS,
            "which set is the cheapest for 100 guests",
            "en",
            "The cheapest is Azahar: €3.70.",
            id="a figure with a unit that a header holds",
        ),
        pytest.param(
            VANS, "which van is the newest", "en", "The newest is Mover: 2023.", id="a year"
        ),
        pytest.param(
            VANS, "payload of the Luton", "en", "Luton, payload: 1,000 kg.", id="a fragment"
        ),
        pytest.param(
            VANS,
            "any van for under £70 a day",
            "en",
            "There are 2: Pip (£45) and Crew (£68).",
            id="of two prices the one that is named",
        ),
        pytest.param(
            PAINTS, "which one dries fastest", "en", "The quickest is Floor: 1 hour.", id="quickest"
        ),
    ],
)
def test_what_customers_type_is_understood(
    tenant: Tenant, rows: Sequence[str], question: str, language: Language, answer: str
) -> None:
    index_rows(tenant, rows, name="lista.csv", sheet="buses, bikes, paints, memberships, vans")

    assert told(tenant, question, language) == answer


CAMPS = (
    "Campamento: Velas; Monitores por niño: 2; Precio: 640 €",
    "Campamento: Robots; Monitores por niño: 5; Precio: 420 €",
)
CAMPS_WITH_PLACES = (
    "Campamento: Velas; Plazas: 36; Ratio niños por monitor: 8; Precio: 640 €",
    "Campamento: Robots; Plazas: 20; Ratio niños por monitor: 5; Precio: 420 €",
)
FLATS = (
    "Calle: Mayor; Superficie: 62 m²; Amueblado: sí; Alquiler: 740 €",
    "Calle: Pozo; Superficie: 85 m²; Amueblado: no; Alquiler: 910 €",
    "Calle: Olmo; Superficie: 38 m²; Amueblado: sí; Alquiler: 560 €",
)
RUGS = (
    "Rug: Ember; Thickness (mm): 12; Washable: no; Price: £128.00",
    "Rug: Harbour; Thickness (mm): 4; Washable: yes; Price: £39.00",
    "Rug: Puddle; Thickness (mm): 7; Washable: yes; Price: £18.00",
)


@pytest.mark.parametrize(
    ("rows", "question", "language", "answer"),
    [
        (CAMPS_WITH_PLACES, "cuantos niños caben en velas", "es", "Velas: 36 plazas."),
        (CAMPS, "cuantos niños caben en velas", "es", ""),
        (FLATS, "cuantos metros tiene el de la calle olmo", "es", "Olmo, superficie: 38 m²."),
        (
            FLATS,
            "amueblados por menos de 700 euros",
            "es",
            "Solo 1: Olmo (560 €).",
        ),
        (RUGS, "which is the thickest", "en", "The thickest is Ember: 12 mm."),
        (RUGS, "whats the cheepest washable rug", "en", "The cheapest is Puddle: £18.00."),
        (
            RUGS,
            "washable rugs under £100",
            "en",
            "There are 2: Harbour (£39.00) and Puddle (£18.00).",
        ),
    ],
)
def test_people_areas_adjectives_and_misspelt_superlatives_are_understood(
    tenant: Tenant, rows: Sequence[str], question: str, language: Language, answer: str
) -> None:
    index_rows(tenant, rows, name="lista.csv", sheet="rugs, campamentos, pisos")

    assert told(tenant, question, language) == answer


FRIDGES = (
    "Modelo: Polar 200; Consumo (kWh): 180; Clase: E; Ancho (cm): 55; Precio: 349,00 €",
    "Modelo: Polar 300; Consumo (kWh): 210; Clase: E; Ancho (cm): 60; Precio: 529,00 €",
    "Modelo: Glacia; Consumo (kWh): 160; Clase: C; Ancho (cm): 60; Precio: 899,00 €",
)
CAMPERS = (
    "Camper: Robin; Berths: 2; Length (m): 5.1; Hire (h): 30; Shower: no; Pets: yes; Price: £72",
    "Camper: Lark; Berths: 4; Length (m): 6.0; Hire (h): 20; Shower: yes; Pets: yes; Price: £105",
    "Camper: Raven; Berths: 6; Length (m): 7.2; Hire (h): 25; Shower: yes; Pets: no; Price: £139",
)
YOGA = (
    "Clase: Hatha; Profesora: Irene; Empieza: 09:30; Termina: 10:45; Desde: 2014",
    "Clase: Vinyasa; Profesora: Marcos; Empieza: 18:30; Termina: 19:45; Desde: 2019",
    "Clase: Yin; Profesora: Irene; Empieza: 20:00; Termina: 21:15; Desde: 2021",
)
TEACHERS = (
    "Profesora: Irene; Idiomas: inglés, francés; Aula: 4",
    "Profesora: Marta; Idiomas: inglés; Aula: 5",
    "Profesora: Julia; Idiomas: francés; Aula: 6",
)


@pytest.mark.parametrize(
    ("rows", "question", "language", "answer"),
    [
        pytest.param(
            FRIDGES,
            "cual gasta menos",
            "es",
            "La cifra más baja en «Consumo (kWh)» es la de Glacia: 160 kWh.",
            id="a header by an everyday word, a superlative by a verb",
        ),
        pytest.param(
            FRIDGES,
            "la más barata de clase C",
            "es",
            "La más barata es Glacia: 899,00 €.",
            id="a letter",
        ),
        pytest.param(
            FRIDGES,
            "qué modelos son de clase E",
            "es",
            "Son 2: Polar 200 y Polar 300.",
            id="all of a letter",
        ),
        pytest.param(
            CAMPERS,
            "cheapest camper for 3 people",
            "en",
            "The cheapest is Lark: £105.",
            id="berths are people",
        ),
        pytest.param(
            CAMPERS,
            "which sleeps 4 and has a shower",
            "en",
            "2 would fit: Lark (berths: 4) and Raven (berths: 6).",
            id="how many it sleeps",
        ),
        pytest.param(
            CAMPERS,
            "which is the longest",
            "en",
            "The longest is Raven: 7.2 m.",
            id="a length before a duration",
        ),
        pytest.param(
            CAMPERS,
            "which is the longest in hours",
            "en",
            "The longest is Robin: 30 h.",
            id="by the unit that is said",
        ),
        pytest.param(
            CAMPERS,
            "which campers allow dogs",
            "en",
            "There are 2: Robin and Lark.",
            id="a list by a verb",
        ),
        pytest.param(
            CAMPERS,
            "how long is the Lark",
            "en",
            "Lark, length: 6.0 m.",
            id="how long it is",
        ),
        pytest.param(YOGA, "quién da vinyasa", "es", "Vinyasa, profesora: Marcos.", id="who"),
        pytest.param(
            TEACHERS, "quién habla francés", "es", "Son 2: Irene y Julia.", id="who they are"
        ),
        pytest.param(
            YOGA,
            "a qué hora acaba hatha",
            "es",
            "Hatha, termina: 10:45.",
            id="of two times the one of the verb",
        ),
        pytest.param(
            YOGA, "desde cuándo hay vinyasa", "es", "Vinyasa, desde: 2019.", id="since when"
        ),
    ],
)
def test_what_a_header_says_otherwise_is_understood(
    tenant: Tenant, rows: Sequence[str], question: str, language: Language, answer: str
) -> None:
    index_rows(tenant, rows, name="lista.csv", sheet="neveras, campers, clases")

    assert told(tenant, question, language) == answer


@pytest.mark.parametrize(
    ("rows", "question", "language"),
    [
        (CAMPERS, "cheapest one in august", "en"),
        (FRIDGES, "la más barata para 4 personas", "es"),
        (FRIDGES, "la más barata en blanco", "es"),
        (FRIDGES, "la más barata de clase A", "es"),
        (CAMPERS, "cheapest red camper", "en"),
        (CAMPERS, "cheapest with a bike rack", "en"),
        (CAMPERS, "how wide is the Lark", "en"),
        (YOGA, "a qué hora es yin", "es"),
        (YOGA, "quién lleva la cuenta", "es"),
    ],
)
def test_a_condition_that_no_column_tells_is_never_left_out(
    tenant: Tenant, rows: Sequence[str], question: str, language: Language
) -> None:
    index_rows(tenant, rows, name="lista.csv", sheet="neveras, campers, clases")

    assert told(tenant, question, language) == ""


@pytest.mark.usefixtures("salas")
@pytest.mark.parametrize(
    "question",
    [
        "somos noventa, ¿qué sala nos vale?",  # nothing fits
        "¿cuántas salas sin ventanas hay?",  # a condition that is not understood
        "¿cuántas personas caben en la sala?",
        "¿cuál es la más cara sin cocina?",
        "¿es más barato entre semana?",
        "¿cuál es la sala más barata con piscina climatizada en Mallorca?",
        "¿cuál es la sala más barata con cocina?",
        "¿qué salas tienen cocina?",
        "¿de qué país son las salas?",
        "¿qué necesito para la sala Balear?",
        "salas con precio",  # all of them
        "¿algo con vistas por menos de 40 €?",
        "¿dónde estáis?",
    ],
)
def test_what_is_not_certain_is_left_to_the_sentences(tenant: Tenant, question: str) -> None:
    assert told(tenant, question, "es") == ""


@pytest.mark.usefixtures("salas")
def test_the_rows_are_cited_and_told_of_beforehand(tenant: Tenant) -> None:
    first, *_, last = stream_answer(Inquiry(tenant, "¿cuál es la sala más cara?"))

    assert isinstance(first, SourcesFound)
    assert isinstance(last, Answer)
    assert last.text == "La más cara es Mediterránea: 1.250,50 €. [1]"
    assert last.outcome == Outcome.ANSWERED
    assert [source.text for source in last.sources] == [SALAS[1]]
    assert first.sources == last.sources


LABELLED_BIKES = """Carretera – Modelo: Xaloc; Día: 14 €
Carretera – Modelo: Brisa; Día: 18 €
Montaña – Modelo: Duna; Día: 22 €
Montaña – Modelo: Gredos; Día: 20 €
De paseo – Modelo: Tramontana; Día: 9 €"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("¿cuál es el modelo más barato?", "El más barato es Tramontana: 9 €."),
        ("¿cuál es el modelo de montaña más barato?", "El más barato es Gredos: 20 €."),
        ("¿cuántos modelos de carretera tenéis?", "Son 2: Xaloc y Brisa."),
    ],
)
def test_labels_before_rows_of_a_text_are_values_of_them(
    tenant: Tenant, question: str, answer: str
) -> None:
    index_texts(tenant, LABELLED_BIKES, name="bicis.docx")
    assert told(tenant, question, "es") == answer


def test_where_two_tables_may_be_meant_it_asks_which(tenant: Tenant) -> None:
    for name, price in (("cerrojos.csv", "3,00 €"), ("bisagras.csv", "4,00 €")):
        rows = [f"Pieza: {name[:4]} uno; Precio: {price}", f"Pieza: {name[:4]} dos; Precio: 9,00 €"]
        index_rows(tenant, rows, name=name)

    answer = ask(tenant, "¿cuál es la pieza más barata?")

    assert answer.text.startswith("¿Cuál de estas listas te interesa: «")
    assert "«cerrojos»" in answer.text
    assert "«bisagras»" in answer.text
    assert answer.outcome == Outcome.UNSURE
    assert len(answer.sources) == 2


@pytest.mark.usefixtures("salas")
def test_rows_of_another_tenant_are_never_read(tenant: Tenant, other_tenant: Tenant) -> None:
    index_rows(other_tenant, ["Sala: Ajena; Precio por hora: 1,00 €"] * 2, name="salas.csv")
    question, chunks = retrieve_chunks(
        other_tenant,
        read_question(read_message("¿cuál es la sala más barata?")),
        top_k=10,
    )

    # Passages of one tenant, handed over with the other: nothing comes of them.
    assert answer_from_tables(tenant, question, chunks[:1], marks_sources=False) is None


@pytest.mark.usefixtures("salas")
def test_a_scope_bounds_what_is_read(tenant: Tenant) -> None:
    question, chunks = retrieve_chunks(
        tenant, read_question(read_message("¿cuál es la sala más cara?")), top_k=10
    )

    assert answer_from_tables(tenant, question, chunks, source_ids=[], marks_sources=False) is None


@pytest.mark.usefixtures("salas")
def test_one_query_is_made_and_none_for_other_questions(tenant: Tenant) -> None:
    question, chunks = retrieve_chunks(
        tenant, read_question(read_message("¿cuál es la sala más cara?")), top_k=10
    )
    with CaptureQueriesContext(
        connection,
    ) as queries:
        answer_from_tables(tenant, question, chunks, marks_sources=False)
    assert len(queries) == 1

    other = Question(read_message("¿se admiten perros?"), NO_VECTOR)
    with CaptureQueriesContext(connection) as queries:
        assert answer_from_tables(tenant, other, chunks, marks_sources=False) is None
    assert len(queries) == 0


@pytest.mark.usefixtures("salas")
def test_of_too_many_rows_nothing_is_computed(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ROWS_MAX", 3)

    assert told(tenant, "¿cuál es la sala más cara?", "es") == ""


@pytest.mark.usefixtures("salas", "kayaks")
def test_hidden_columns_are_never_computed_with(tenant: Tenant) -> None:
    marked = Hidden(marked=frozenset({"precio por hora"}))

    assert computed(tenant, "¿cuánto cuesta la hora en la Balear?", "es", hidden=marked) is None
    assert told(tenant, "what is the wholesale price of the Pike?", "en") != "£9.00"


@pytest.mark.usefixtures("salas")
@pytest.mark.parametrize("question", ["¿Cuántas hay en stock de Balear?", "háblame de la Balear"])
def test_hidden_columns_are_never_quoted(tenant: Tenant, question: str) -> None:
    assert "Stock" not in ask(tenant, question).text
    tenant.hidden_columns = ["aforo (Personas)"]
    assert "Aforo" not in ask(tenant, question).text


@pytest.mark.parametrize(
    ("row", "kept"),
    [
        ("Planta: laurel; precio: 48 €; precio mayorista: 30 €; nota interna: cochinilla", 2),
        ("code: R10; price_gbp: 54.00; trade_gbp: 31.20; stock: 6", 2),
        ("Pieza: A; Coste: 3 €; PVP: 5 €; Proveedor: Luz; Margen: 40 %", 2),
        ("Servicio: traslado; Coste: 30 €", 2),  # what the customer pays
        ("Item: A; Retail: £5; Cost price: £2; Supplier: Tarn; Internal notes: slow", 2),
        ("Tube: A; Internal diameter: 3 mm", 2),
        ("Trabajo: lonas; Margen de seguridad: 50 mm", 2),
    ],
)
def test_names_that_suggest_it_are_hidden(row: str, kept: int) -> None:
    cells = read_cells(row)
    assert told_cells(cells)[0] == cells[0]
    assert len(told_cells(cells)) == kept


def test_a_row_is_told_without_hidden_cells_and_a_sentence_as_it_is() -> None:
    assert told_row("Pieza: A; PVP: 5 €; Stock: 3", UNDECIDED) == "Pieza: A; PVP: 5 €"
    assert told_row("We keep stock: three of each.", UNDECIDED) == "We keep stock: three of each."


@pytest.mark.parametrize(
    ("text", "language", "low", "high"),
    [
        ("1.250,50 €", "es", 1250.5, 1250.5),
        ("£1,250.50", "en", 1250.5, 1250.5),
        ("1.200", "es", 1200, 1200),
        ("8.9", "es", 8.9, 8.9),
        ("-10 °C", "es", -10, -10),
        ("60-80 cm", "es", 60, 80),
        ("de 10 a 15 personas", "es", 10, 15),
        ("hasta 5 kg", "es", 0, 5),
        ("gratis", "es", 0, 0),
        ("sin coste", "es", 0, 0),
        ("free of charge", "en", 0, 0),
        ("from 12.5 €", "en", 12.5, float("inf")),
        ("1.5M", "en", 1.5, 1.5),
    ],
)
def test_numbers_are_read_in_both_formats(
    text: str, language: Language, low: float, high: float
) -> None:
    assert read_span(text, language) == Span(low, high)


@pytest.mark.parametrize("text", ["19/06/2025", "03/2027", "según modelo", "Pack: 30 lenses"])
def test_what_is_no_number_is_not_read_as_one(text: str) -> None:
    assert read_span(text, "es") is None


def test_units_are_compared_in_their_base() -> None:
    assert read_amount("2 h 30 min", "es", 1) == Span(2.5, 2.5)
    assert read_amount("45 min", "es", 1) == Span(0.75, 0.75)


@pytest.mark.parametrize(
    ("header", "value", "language", "told"),
    [
        ("precio_eur", "8.9", "es", "8,90 €"),
        ("precio_eur", "8.9", "en", "€8.90"),
        ("Precio", "1390 €", "es", "1.390 €"),
        ("Price", "£14.5", "en", "£14.50"),
        ("Price", "£1026.5", "en", "£1,026.50"),
        ("Price", "£110.00", "es", "£110.00"),
        ("Peso (kg)", "7.9", "es", "7,9 kg"),
        ("Payload (kg)", "1400", "en", "1,400 kg"),
        ("Estudio (€/noche)", "105", "es", "105 €/noche"),
        ("Seats", "6", "en", "6 seats"),
        ("Price", "1,390.5", "es", "1,390.5"),
        ("Precio", "8,90 €", "en", "8,90 €"),
        ("weight_kg", "8.9", "en", "8.9 kg"),
        ("Price (GBP)", "79", "en", "£79"),
        ("Aforo", "30", "es", "30"),
        ("Verano Día", "30", "es", "30"),
        ("Winter Week", "190", "en", "190"),
        ("Duration (weeks)", "2", "en", "2 weeks"),
    ],
)
def test_values_are_written_with_the_unit_of_their_header(
    header: str, value: str, language: Language, told: str
) -> None:
    assert tell_value(header, value, "en", language) == told


@pytest.mark.parametrize(
    ("question", "language", "want"),
    [
        ("¿cuál es el más barato?", "es", Want.EXTREME),
        ("the least expensive one?", "en", Want.EXTREME),
        ("¿cuántos vinos tenéis?", "es", Want.COUNT),
        ("there are twelve of us, which room fits?", "en", Want.FITS),
        ("how much is the Pike?", "en", Want.VALUE),
        ("what year is the Crew van", "en", Want.VALUE),
        ("anything under £4?", "en", Want.LIST),
        ("¿algo bonito?", "es", None),
        ("¿caben 50 personas en alguna?", "es", None),
        ("skerry blue, what is it a hundred grams", "en", None),
        ("member rate for the room that fits 40 people", "en", None),
        ("¿sale más barato si pago en efectivo?", "es", None),
        ("is it cheaper than last year", "en", None),
        ("¿aceptáis perros?", "es", None),
        ("sale más barato", "es", None),
    ],
)
def test_what_a_question_asks_of_a_table(
    question: str, language: Language, want: Want | None
) -> None:
    asked = read_table_question(make_question(question, language=language))
    assert (asked and asked.want) == want
