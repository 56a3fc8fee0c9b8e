"""What a company decides on the columns of its tables, and what customers are then told."""

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Action, ActivityEntry, Tenant
from config.errors import InvalidValue
from query.models import Outcome
from query.services import columns
from query.services.columns import decide_column, list_columns
from query.tests.chat_server import ChatServer, serve_chat
from query.tests.factories import ask, index_texts
from reading.passages import ChunkLevel

WINES = (
    "Vino: Albariño Lareira; Precio: 12,50 €; Bodega: Castro Vello; Precio mayorista: 7,10 €",
    "Vino: Mencía Lareira; Precio: 9,80 €; Bodega: Souto Alto; Precio mayorista: 5,30 €",
    "Vino: Godello Lareira; Precio: 14,20 €; Bodega: Souto Alto; Precio mayorista: 8,40 €",
)
PRICE = "¿Cuánto cuesta el Albariño Lareira?"
ALL = "háblame del Albariño Lareira"
TRADE = "¿Cuál es el precio mayorista del Albariño Lareira?"


@pytest.fixture(autouse=True)
def wines(tenant: Tenant) -> None:
    index_texts(tenant, *WINES, name="vinos.csv", level=ChunkLevel.ROW)


@pytest.fixture
def model(settings) -> Iterator[ChatServer]:
    with serve_chat() as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL = server.url, "small-model"
        yield server


@pytest.fixture
def unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is certain, and nothing is computed."""
    monkeypatch.setattr("query.answering.extraction.is_answer", lambda evidence: False)
    monkeypatch.setattr("query.pipeline.answer_from_tables", lambda *args, **given: None)


@pytest.fixture
def uncomputed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("query.answering.extraction.is_answer", lambda evidence: True)
    monkeypatch.setattr("query.pipeline.answer_from_tables", lambda *args, **given: None)


def told_to(model: ChatServer, tenant: Tenant, question: str) -> str:
    model.says("NO_ANSWER")
    ask(tenant, question)
    content = str(model.received[-1].body["messages"][-1]["content"])
    return content.partition("<<<END OF PASSAGES>>>")[0]


# --- Each kind of answer --------------------------------------------------------------------------


def test_a_computed_answer_has_the_price_until_it_is_marked(tenant: Tenant) -> None:
    assert "12,50" in ask(tenant, PRICE).text
    decide_column(tenant, "PRECIO", is_told=False)
    assert "12,50" not in ask(tenant, PRICE).text


def test_a_computed_answer_does_not_name_rows_by_a_marked_column(tenant: Tenant) -> None:
    asked = "¿Cuál es el vino más caro?"
    assert "Godello" in ask(tenant, asked).text
    decide_column(tenant, "vino", is_told=False)
    assert "Godello" not in ask(tenant, asked).text


@pytest.mark.usefixtures("uncomputed")
@pytest.mark.parametrize("question", [ALL, TRADE, PRICE])
def test_a_quoted_row_has_no_marked_column(tenant: Tenant, question: str) -> None:
    decide_column(tenant, "bodega", is_told=False)
    answer = ask(tenant, question)
    assert answer.outcome is Outcome.ANSWERED
    assert "Albariño" in answer.text
    assert "Castro Vello" not in answer.text


@pytest.mark.usefixtures("unsure")
def test_what_is_quoted_in_doubt_has_no_untold_column(tenant: Tenant) -> None:
    answer = ask(tenant, ALL)
    assert answer.outcome is Outcome.UNSURE
    assert "Castro Vello" in answer.text
    assert "7,10" not in answer.text

    decide_column(tenant, "bodega", is_told=False)
    decide_column(tenant, "precio mayorista", is_told=True)
    answer = ask(tenant, ALL)
    assert "Castro Vello" not in answer.text
    assert "7,10" in answer.text


def test_a_language_model_is_told_no_untold_column(tenant: Tenant, model: ChatServer) -> None:
    told = told_to(model, tenant, ALL)
    assert "Castro Vello" in told
    assert "7,10" not in told

    decide_column(tenant, "bodega", is_told=False)
    decide_column(tenant, "precio mayorista", is_told=True)
    told = told_to(model, tenant, ALL)
    assert "Castro Vello" not in told
    assert "7,10" in told


def test_a_value_that_a_language_model_guesses_is_not_spelt_out(
    tenant: Tenant, model: ChatServer
) -> None:
    model.says("7,10 € [1]")
    assert "7,10" not in ask(tenant, TRADE).text


@pytest.mark.usefixtures("unsure")
def test_where_all_columns_are_marked_nothing_is_told(tenant: Tenant, model: ChatServer) -> None:
    for name in ("vino", "precio", "bodega"):
        decide_column(tenant, name, is_told=False)
    assert "Albariño" not in told_to(model, tenant, ALL)
    model.says("NO_ANSWER")
    assert ask(tenant, ALL).text == "No tengo información sobre eso en los documentos disponibles."


@pytest.mark.usefixtures("uncomputed")
def test_a_sheet_of_one_untold_column_says_nothing(tenant: Tenant) -> None:
    notes = [f"Nota interna: la cochinilla del laurel {n}" for n in ("vuelve", "se va")]
    index_texts(tenant, *notes, name="notas.csv", level=ChunkLevel.ROW)
    assert "vuelve" not in ask(tenant, "¿Qué pasa con la cochinilla del laurel?").text


@pytest.mark.usefixtures("unsure")
def test_a_note_of_several_sentences_in_a_texts_table_is_not_told(tenant: Tenant) -> None:
    rows = (
        "Planta: laurel; Nota interna: Tiene cochinilla. Regar menos al laurel; Alto: 2 m",
        "Planta: boj; Nota interna: Se va. Regar más al boj; Alto: 1 m",
    )
    index_texts(tenant, "\n".join(rows), name="plantas.docx")
    answer = ask(tenant, "¿Cuánto mide de alto el laurel?").text
    assert "Alto: 2 m" in answer
    assert "Regar" not in answer
    assert "cochinilla" not in answer


# --- What was decided -----------------------------------------------------------------------------


@pytest.mark.usefixtures("uncomputed")
def test_a_suggested_column_is_told_once_it_is_released_and_not_before(tenant: Tenant) -> None:
    assert "7,10" not in ask(tenant, TRADE).text
    decide_column(tenant, "Precio_Mayorista", is_told=True)
    assert "7,10" in ask(tenant, TRADE).text
    decide_column(tenant, "précio mayorista", is_told=False)
    assert "7,10" not in ask(tenant, TRADE).text


def test_a_released_column_is_computed_with(tenant: Tenant) -> None:
    decide_column(tenant, "Precio mayorista", is_told=True)
    assert "7,10" in ask(tenant, TRADE).text


@pytest.mark.usefixtures("uncomputed")
def test_what_another_company_has_decided_does_not_count(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    decide_column(other_tenant, "Precio mayorista", is_told=True)
    decide_column(other_tenant, "Bodega", is_told=False)
    tenant.refresh_from_db()

    assert "7,10" not in ask(tenant, TRADE).text
    assert "Castro Vello" in ask(tenant, ALL).text
    assert [column.name for column in list_columns(other_tenant)] == ["Bodega", "Precio mayorista"]


# --- The list -------------------------------------------------------------------------------------


def test_proposed_columns_come_first_then_those_that_are_never_told(tenant: Tenant) -> None:
    decide_column(tenant, "BODEGA", is_told=False)
    with CaptureQueriesContext(connection) as queries:
        found = [(one.name, one.is_told, one.is_proposed) for one in list_columns(tenant)]

    assert found == [
        ("Precio mayorista", False, True),
        ("Bodega", False, False),
        ("Precio", True, False),
        ("Vino", True, False),
    ]
    assert len(queries) == 1


def test_a_decided_column_is_proposed_no_more(tenant: Tenant) -> None:
    decide_column(tenant, "Precio mayorista", is_told=False)
    assert not any(one.is_proposed for one in list_columns(tenant))


def test_costs_are_proposed_beside_a_price_alone(tenant: Tenant) -> None:
    index_texts(tenant, "Pieza: A; Coste: 3 €; PVP: 5 €", name="piezas.csv", level=ChunkLevel.ROW)
    assert "Coste" in {one.name for one in list_columns(tenant) if one.is_proposed}


def test_tables_in_texts_have_columns_and_sentences_have_none(tenant: Tenant) -> None:
    lines = "Color: rojo; Talla: S\nColor: azul; Talla: M\nNota: hoy; ojo: mañana"
    index_texts(tenant, lines, name="catálogo.docx")
    names = {one.name for one in list_columns(tenant)}
    assert {"Color", "Talla"} <= names
    assert names.isdisjoint({"Nota", "ojo"})


def test_the_list_is_bounded(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "NAMES_MAX", 2)
    assert [one.name for one in list_columns(tenant)] == ["Precio mayorista", "Bodega"]
    monkeypatch.setattr(columns, "ROWS_READ_MAX", 0)
    assert list_columns(tenant) == []


@pytest.mark.parametrize("name", ["", " ", "_", "a\0b", "x" * 81, "x" * 10_000])
def test_what_is_no_name_is_refused(tenant: Tenant, name: str) -> None:
    with pytest.raises(InvalidValue):
        decide_column(tenant, name, is_told=False)


def test_so_many_names_are_kept_and_no_more(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columns, "DECIDED_MAX", 1)
    decide_column(tenant, "<b>Márgenes</b>", is_told=False)
    decide_column(tenant, "<B>margenes</B>", is_told=False)
    assert tenant.hidden_columns == ["<B>margenes</B>"]
    with pytest.raises(InvalidValue):
        decide_column(tenant, "other", is_told=True)


def test_a_decision_stands_in_the_activity_log(tenant: Tenant) -> None:
    decide_column(tenant, "Bodega", is_told=False)
    entry = ActivityEntry.objects.for_tenant(tenant).get(action=Action.WORKSPACE_CHANGED)
    assert entry.details == {"column": "Bodega", "is_told": False}
