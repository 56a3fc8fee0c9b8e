"""Which day a question means."""

import re
from datetime import UTC, date, datetime
from typing import Any

import pytest

from accounts.models import Tenant
from language.calendar import MONTHS
from language.message import read_message
from language.words import Language
from query.conversations.memory import recall
from query.tests.factories import ask, index_texts
from query.understanding import dates
from query.understanding.dates import date_pattern, local_now, name_day
from query.understanding.inquiries import Inquiry


def set_clock(monkeypatch: pytest.MonkeyPatch, year: int, month: int, day: int) -> None:
    moment = datetime(year, month, day, 11, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: moment)


@pytest.fixture
def sunday(monkeypatch: pytest.MonkeyPatch) -> None:
    """22 November 2026."""
    set_clock(monkeypatch, 2026, 11, 22)


def named(tenant: Tenant, text: str, language: Language) -> str:
    return name_day(tenant, read_message(text).spoken_in(language), source_ids=None).text


@pytest.mark.usefixtures("sunday")
@pytest.mark.parametrize(
    ("language", "text", "searched"),
    [
        ("es", "¿abrís hoy?", "¿abrís hoy, domingo?"),
        ("es", "¿Abrís mañana?", "¿Abrís mañana, lunes (de lunes a viernes)?"),
        ("es", "¿abrís pasado mañana?", "¿abrís pasado mañana, martes (de lunes a viernes)?"),
        ("es", "¿estáis abiertos ahora o no?", "¿estáis abiertos ahora, domingo, o no?"),
        ("es", "¿puedo pasar esta tarde?", "¿puedo pasar esta tarde, domingo?"),
        ("es", "¿abrís este finde?", "¿abrís este finde, sábado y domingo?"),
        ("en", "are you open today?", "are you open today, Sunday?"),
        ("en", "Are you open tomorrow?", "Are you open tomorrow, Monday (Monday to Friday)?"),
        ("en", "a table for tonight at 8", "a table for tonight, Sunday, at 8"),
        ("en", "what about this weekend", "what about this weekend, Saturday and Sunday"),
    ],
)
def test_the_day_that_is_meant_is_named(
    tenant: Tenant, language: Language, text: str, searched: str
) -> None:
    assert named(tenant, text, language) == searched


@pytest.mark.usefixtures("sunday")
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "¿a qué hora cerráis el domingo?"),
        ("es", "¿abrís por la mañana?"),
        ("es", "q tiempo hace mañana en la costa"),
        ("es", "¿va a llover hoy?"),
        ("en", "what's the weather like tomorrow"),
        ("es", "¿hay misa de mañana?"),
        ("en", "are you open on Sundays?"),
        ("en", "do you know Todayshop?"),
    ],
)
def test_a_question_that_means_no_such_day_stays_and_costs_nothing(
    tenant: Tenant, language: Language, text: str, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert named(tenant, text, language) == text


def test_today_is_what_it_is_where_the_company_is(
    tenant: Tenant, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: late)

    assert named(tenant, "¿abrís hoy?", "es") == "¿abrís hoy, domingo?"
    settings.LOCAL_TIME_ZONE = "America/Mexico_City"
    assert local_now(tenant).hour == 17
    assert named(tenant, "¿abrís hoy?", "es") == "¿abrís hoy, sábado?"


def test_each_company_has_a_today_of_its_own(
    tenant: Tenant, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    monkeypatch.setattr("django.utils.timezone.now", lambda: late)
    tenant.time_zone, other_tenant.time_zone = "America/Bogota", "Asia/Tokyo"

    assert named(tenant, "open today?", "en") == "open today, Saturday?"
    assert named(other_tenant, "open today?", "en") == "open today, Sunday?"
    assert named(tenant, "¿abrís mañana?", "es") == "¿abrís mañana, domingo?"


# --- Holidays -------------------------------------------------------------------------------------


def test_the_date_is_named_where_a_short_source_names_it(
    tenant: Tenant, other_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, 2026, 12, 24)
    index_texts(other_tenant, "Cerramos el 24 de diciembre.")
    assert named(tenant, "¿abrís hoy?", "es") == "¿abrís hoy, jueves (de lunes a viernes)?"

    source = index_texts(tenant, "On 24 and 31 December we close at 14:00.")

    assert named(tenant, "¿abrís hoy?", "es") == "¿abrís hoy, jueves 24 de diciembre?"
    assert named(tenant, "open today?", "en") == "open today, Thursday 24 December?"
    without_sources = name_day(tenant, read_message("open today?"), source_ids=[])
    assert without_sources.text != "open today, Thursday 24 December?"
    monkeypatch.setattr(dates, "MAX_PASSAGES_READ", 0)
    assert "24" not in named(tenant, "open today?", "en")
    assert source.chunks_count == 1


def test_no_text_is_read_where_no_source_names_the_month(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    set_clock(monkeypatch, 2026, 12, 24)
    index_texts(tenant, "Cerramos el 24 de agosto.")

    with django_assert_num_queries(1):
        assert "24" not in named(tenant, "¿abrís hoy?", "es")

    index_texts(tenant, "We close on May 1 and on August 24.")
    with django_assert_num_queries(1):
        assert "24" not in named(tenant, "¿abrís hoy?", "es")


@pytest.mark.parametrize("month", range(1, 13))
@pytest.mark.parametrize("language", ["es", "en"])
def test_every_month_is_known_by_its_name(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, language: Language, month: int
) -> None:
    set_clock(monkeypatch, 2026, month, 3)
    name = MONTHS[language][month - 1]
    index_texts(tenant, f"Cerramos el 3 de {name}." if language == "es" else f"Closed on {name} 3.")

    assert f" 3 {MONTHS['en'][month - 1]}?" in named(tenant, "open today?", "en")
    assert f" 3 de {MONTHS['es'][month - 1]}?" in named(tenant, "¿abrís hoy?", "es")


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        ("Cerramos el 24 de diciembre", True),
        ("24 y 31 de diciembre", True),
        ("On December 24 we close", True),
        ("on the 24th of December", True),
        ("24 horas antes; en diciembre no", False),
        ("el 124 de diciembre", False),
        ("December 240", False),
        ("24 cajas en noviembre", False),
    ],
)
def test_a_date_is_known_in_whatever_form(text: str, is_named: bool) -> None:
    found = re.search(date_pattern(date(2026, 12, 24)), text, re.IGNORECASE)
    assert (found is not None) == is_named


# --- From end to end ------------------------------------------------------------------------------

HOURS = (
    "El horario del sábado es de 9:30 a 14:30.",
    "El domingo la tienda está cerrada.",
    "El taller de encuadernación cuesta 85 euros, con el material incluido.",
)


@pytest.mark.usefixtures("sunday")
def test_hours_are_told_of_the_day_that_is_meant(tenant: Tenant) -> None:
    index_texts(tenant, *HOURS)

    assert "domingo" in ask(tenant, "¿La tienda está abierta hoy?").text


@pytest.mark.usefixtures("sunday")
def test_what_is_remembered_is_what_was_written(tenant: Tenant) -> None:
    index_texts(tenant, *HOURS)
    ask(tenant, "¿La tienda está abierta hoy?", session_id="s")

    (turn,) = recall(Inquiry(tenant, "?", session_id="s"))
    assert turn.understood == "¿La tienda está abierta hoy?"
