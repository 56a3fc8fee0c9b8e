"""What visitors type, and what they mean by it."""

import json
import re
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Tenant
from language.chat import write_out
from language.detection import detect_language, detect_message_language
from language.message import read_message
from language.spelling import correct_text, near_words
from language.terms import content_words, term_number, word_terms
from language.tests.processor_time import processor_seconds
from language.words import Language, fold, stem
from query.tests.factories import index_texts
from query.understanding.spelling import correct_question

BENCH = settings.BASE_DIR / "bench"
TYPED = [json.loads(line) for line in (BENCH / "typed_questions.jsonl").read_text().splitlines()]
SCOPES = json.loads((BENCH / "typed_scopes.json").read_text())


def count_terms_of(text: str) -> Counter[int]:
    """In how many sentences each term stands, as SourceTerm has it of passages."""
    counts: Counter[int] = Counter()
    for sentence in re.split(r"(?<=[.:;])\s", text):
        language = detect_language(sentence)
        words = content_words(sentence, language)
        counts.update({term_number(term) for word in words for term in word_terms(word, language)})
    return counts


HELD = {name: count_terms_of(text) for name, text in SCOPES.items()}


def corrected(text: str, language: Language, scope: str = "coffee") -> str:
    held = HELD[scope]
    return correct_text(text, language, lambda terms: {t: held[t] for t in terms if t in held})


def stems(text: str, language: Language) -> list[str]:
    return [stem(fold(word), language) for word in re.findall(r"\w+", text)]


# --- The labelled questions -----------------------------------------------------------------------

# As they were read: "dev" while the rules were made; "test" once, before its mistakes were looked
# at, with .884 (es) and .824 (en) right and one of 35 correct questions spoiled.
FLOORS = {("dev", "es"): 0.95, ("dev", "en"): 0.94, ("test", "es"): 0.95, ("test", "en"): 0.91}


@pytest.mark.parametrize(("split", "language"), FLOORS)
def test_nine_of_ten_typed_questions_are_read_as_they_were_meant(
    split: str, language: Language
) -> None:
    cases = [
        case
        for case in TYPED
        if (case["split"], case["language"]) == (split, language) and case["typed"] != case["meant"]
    ]
    right = [
        stems(corrected(case["typed"], language, case["scope"]), language)
        == stems(case["meant"], language)
        for case in cases
    ]
    assert len(right) > 30
    assert sum(right) / len(right) >= FLOORS[split, language]


def test_correct_questions_with_rare_names_stay_as_they_are() -> None:
    correct = [case for case in TYPED if case["typed"] == case["meant"]]
    spoiled = [
        (case["typed"], text)
        for case in correct
        if fold(text := corrected(case["typed"], case["language"], case["scope"]))
        != fold(case["typed"])
    ]
    assert len(correct) > 60
    assert spoiled == []


def test_the_language_of_what_is_typed_is_told() -> None:
    wrong = [
        case["typed"]
        for case in TYPED
        if detect_message_language(case["typed"]) != case["language"]
    ]
    assert len(wrong) <= 2, wrong


# --- Words of chats -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "typed", "meant"),
    [
        ("es", "xq no abris el finde?", "por qué no abris el fin de semana?"),
        ("es", "q hrs abris el sab", "que horas abris el sábado"),
        ("es", "tb precio x persona porfa", "también precio por persona por favor"),
        ("en", "hrs sat?", "hours Saturday?"),
        ("en", "r u open & whats ur price", "are you open & what is your price"),
        ("en", "i sat down", "i sat down"),
        ("es", "2 x 1, vitamina d, talla x", "2 x 1, vitamina d, talla x"),
        ("es", "modelo K-20, q@example.org, www.x.example", None),
        ("en", "Is U Street near? What's on?", None),
        ("en", "I like q", None),  # of the other language
    ],
)
def test_a_chat_word_is_written_out_where_it_is_one(
    language: Language, typed: str, meant: str | None
) -> None:
    assert write_out(typed, language) == (meant or typed)


# --- Slips ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("horraio", "horario"),  # in the texts
        ("capslas", "cápsulas"),
        ("desayumo", "desayuno"),  # not in them, and common
        ("devolucion", "devolución"),
        ("cpslas", "cpslas"),  # two slips
        ("tarjetta", "tarjeta"),
        ("fistera", "fisterra"),
        ("xeada", "xeada"),  # rare, and in the texts
        ("reparais", "reparais"),  # a form of a word that is known
        ("nespresso", "nespresso"),  # no slip begins a word
    ],
)
def test_a_word_that_nobody_knows_becomes_the_one_that_is_meant(typed: str, meant: str) -> None:
    assert corrected(f"el {typed}", "es") == f"el {meant}"


@pytest.mark.parametrize(
    "text",
    [
        "¿Hablo con Marusla o con Rodrigo?",  # a name, and a common word beside it
        "¿Qué es «horraio»?",
        "pedido HORRAIO-12, horraio@example.org, https://x.example/horraio",
        "¿Y la OTAM?",
    ],
)
def test_names_quotes_codes_and_addresses_are_left_alone(text: str) -> None:
    held = {term_number("=marus"): 5, term_number("=otan"): 5, term_number("=marisla"): 0}
    assert correct_text(text, "es", lambda terms: held) == text


def test_between_two_words_that_may_be_meant_nothing_is_changed() -> None:
    held = {term_number("=velra"): 3, term_number("=velta"): 3}

    assert correct_text("la velxa", "es", lambda terms: held) == "la velxa"
    held[term_number("=velta")] = 6
    assert correct_text("la velxa", "es", lambda terms: held) == "la velta"


def test_who_types_accents_types_them_everywhere() -> None:
    assert corrected("¿Dónde se fabrica?", "es") == "¿Dónde se fabrica?"


def test_at_most_four_words_are_looked_up() -> None:
    asked: list[Sequence[int]] = []

    def count_terms(terms: Sequence[int]) -> Mapping[int, int]:
        asked.append(terms)
        return {}

    correct_text(" ".join(f"zxq{letter}wvk" for letter in "abcdefghij"), "es", count_terms)

    of_words, of_near_words = asked
    assert len(of_words) <= 4 * 3
    assert len(of_near_words) <= 4 * 2 * len(near_words("zxqawvk"))


def test_a_question_without_a_strange_word_costs_next_to_nothing() -> None:
    corrected("¿cuanto cuesta la suscripcion mensual de cafe?", "es")

    def correct_a_hundred() -> None:
        for _ in range(100):
            corrected("¿cuanto cuesta la suscripcion mensual de cafe?", "es")

    assert processor_seconds(correct_a_hundred) < 0.2


# --- In the tenant's own texts --------------------------------------------------------------------


def corrected_in(tenant: Tenant, text: str, source_ids: Sequence[uuid.UUID] | None) -> str:
    return correct_question(tenant, read_message(text).spoken_in("es"), source_ids).text


def test_the_words_of_what_is_searched_are_known(
    tenant: Tenant, other_tenant: Tenant, django_assert_num_queries: Any
) -> None:
    source = index_texts(tenant, "El Brétema se tuesta en Pontevedra.")
    other = index_texts(tenant, "La entrada es gratis.", name="entradas.txt")

    with django_assert_num_queries(2):
        assert corrected_in(tenant, "que es brtema", None) == "que es bretema"
    with django_assert_num_queries(1):  # a name that stands there
        assert corrected_in(tenant, "que es bretema", None) == "que es bretema"
    assert corrected_in(tenant, "que es brtema", [source.pk]) == "que es bretema"
    assert corrected_in(tenant, "que es brtema", [other.pk]) == "que es brtema"
    assert corrected_in(other_tenant, "que es brtema", None) == "que es brtema"


def test_a_question_of_known_words_asks_the_database_nothing(
    tenant: Tenant, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        text = corrected_in(tenant, "xq no abris el sabado?", None)
    assert text == "por qué no abris el sábado?"
