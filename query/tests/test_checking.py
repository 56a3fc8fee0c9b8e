"""What a passage bears out: the labelled sentences, and each rule by itself."""

import json
from collections import Counter
from typing import Any

import pytest
from django.conf import settings

from language.tests.processor_time import processor_seconds
from language.words import Language
from query.answering.checking.facts import FactKind, find_facts
from query.answering.checking.marks import read_marks
from query.answering.checking.rewriting import read_number, rewrite
from query.answering.checking.support import (
    CheckedPassage,
    Fault,
    find_support,
    judge_all,
    read_statement,
)

GROUPS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (settings.BASE_DIR / "bench" / "citations.jsonl").read_text("utf-8").splitlines()
]

# --- The labelled sentences -----------------------------------------------------------------------


def score(split: str) -> tuple[float, float, int]:
    """Precision and recall of what is shown, and how much of it has other marks than it should."""
    counts: Counter[tuple[bool, bool]] = Counter()
    wrong_marks = 0
    for group in GROUPS:
        if group["split"] != split:
            continue
        passages = [
            CheckedPassage(one["title"], one["text"], one["language"]) for one in group["passages"]
        ]
        for row in group["sentences"]:
            sentence = read_marks(row["text"])
            cited = [number - 1 for number in sentence.cited]
            found = find_support(
                sentence.text, row["language"], cited, passages, asked=row.get("question", "")
            )
            expected = {number - 1 for number in row["stands_on"]}
            counts[bool(found), bool(expected)] += 1
            wrong_marks += bool(found and expected and set(found) != expected)
    shown_rightly = counts[True, True]
    return (
        shown_rightly / (shown_rightly + counts[True, False]),
        shown_rightly / (shown_rightly + counts[False, True]),
        wrong_marks,
    )


@pytest.mark.parametrize(
    ("split", "least_precision", "least_recall"),
    [("dev", 0.95, 0.95), ("test", 0.97, 0.86), ("late", 0.95, 0.95), ("model", 0.7, 0.87)],
)
def test_labelled_sentences_are_told_apart_no_worse_than_when_they_were_read(
    split, least_precision, least_recall
):
    precision, recall, wrong_marks = score(split)
    assert precision >= least_precision
    assert recall >= least_recall
    assert wrong_marks == 0


# --- Each rule ------------------------------------------------------------------------------------

PRICES = CheckedPassage(
    "Lighthouse",
    "A guided visit costs 7 euros, and a night in the tower 90 euros. Dogs are not allowed inside."
    " It opens from Tuesday to Friday at 10:00. Entry is free for children. Ask Aldara Quintáns at"
    " visits@faro.example or 986 123 456. The lamp is an FR-200 and weighs 1.200 kg.",
    "en",
)


def fault_of(text: str, language: Language = "en", asked: str = "") -> Fault | None:
    """The first that PRICES is found to have."""
    findings = judge_all(read_statement(text, language, asked), PRICES)
    assert findings
    return next((finding.fault for finding in findings if finding.fault), None)


@pytest.mark.parametrize(
    "text",
    [
        "A guided visit costs seven euros.",
        "You pay 7 € for a guided visit.",
        "On Wednesdays it opens at 10 am.",
        "Children get in without paying.",
        "Write to visits@faro.example or call +34 986 12 34 56.",
        "The FR-200 weighs 1200 kg.",
        "Dogs are prohibited inside.",
        "Ask Quintáns.",
    ],
)
def test_the_same_fact_in_other_words_is_borne_out(text):
    assert fault_of(text) is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("A guided visit costs 8 euros.", Fault.FACT),
        ("A guided visit costs 7 dollars.", Fault.FACT),
        ("A guided visit costs 7% less.", Fault.FACT),
        ("It opens on Saturday at 10:00.", Fault.FACT),
        ("It opens from Tuesday to Friday at 9:00.", Fault.FACT),
        ("It opens from Tuesday to Friday in May.", Fault.FACT),
        ("Ask Brais Quintáns.", Fault.FACT),
        ("Write to info@faro.example.", Fault.FACT),
        ("Call 986 123 457.", Fault.FACT),
        ("See https://faro.example/visits for a guided visit.", Fault.FACT),
        ("The lamp is an FR-300.", Fault.FACT),
        ("Entry is free for children and a snack is included.", Fault.WORDS),
        ("A guided visit, with a glass of wine, costs 7 euros.", Fault.WORDS),
        ("Dogs are allowed inside.", Fault.NEGATION),
        ("It does not open from Tuesday to Friday.", Fault.NEGATION),
        ("A night in the tower costs 7 euros.", Fault.ATTRIBUTION),
    ],
)
def test_what_the_passage_does_not_say_has_a_reason(text, fault):
    assert fault_of(text) is fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("La visita guiada cuesta siete euros.", None),
        ("No se permiten perros dentro.", None),
        ("La visita guiada cuesta ocho euros.", Fault.FACT),
        ("Se permiten perros dentro.", Fault.NEGATION),
        ("La visita guiada cuesta 7 euros e incluye un regalo.", Fault.WORDS),
    ],
)
def test_a_sentence_of_the_other_language_is_held_to_the_same(text, fault):
    assert fault_of(text, "es") is fault


def test_a_short_answer_is_said_of_the_question():
    assert fault_of("It costs 7 euros.", asked="How much is a guided visit?") is None
    assert fault_of("It costs 90 euros.", asked="How much is a guided visit?") is Fault.ATTRIBUTION
    assert fault_of("7 euros.", asked="How much is a souvenir poster?") is Fault.WORDS


def test_the_number_of_a_section_is_nobodys_price():
    section = CheckedPassage("Terms\nSection 7", "A guided visit can be booked by phone.", "en")
    assert find_support("A guided visit costs 7 euros.", "en", [0], [section]) == ()


def test_a_question_states_nothing():
    assert find_support("Does a guided visit cost 7 euros?", "en", [0], [PRICES]) == ()


def test_half_a_sentence_is_no_reason_to_cite_a_passage_that_says_nothing_of_the_other():
    breakfast = CheckedPassage("", "Breakfast at the harbour costs 12 euros.", "en")
    text = "A guided visit to the lighthouse, which is popular, costs 12 euros."
    assert find_support(text, "en", [0, 1], [PRICES, breakfast]) == ()


# --- How facts are written ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "written", "plain"),
    [
        ("en", "two hundred and fifty people", "250 people"),
        ("en", "two and three", "2 and 3"),
        ("en", "from 10 am to half past two in the afternoon", "from 10:00 to 14:30"),
        ("en", "a 12-month plan, 10GB for $25", "a 12 month plan, 10 GB for 25 $"),
        ("en", "on 03/05/2024 and 2024-05-03", "on 3 may 2024 and 3 may 2024"),
        ("es", "mil doscientos treinta y cinco", "1235"),
        ("es", "el treinta por ciento", "el 30 %"),
        ("es", "a las nueve de la noche", "a las 21:00"),
        ("es", "una hora y media", "90 min"),
        ("es", "pan sin gluten", "pan sin gluten"),
    ],
)
def test_numbers_times_and_dates_are_written_in_one_way(language, written, plain):
    assert rewrite(written, language) == plain


def test_a_number_is_the_same_however_it_is_grouped():
    assert {read_number(one) for one in ("1.200", "1,200", "1200", "1200.0")} == {"1200"}
    assert read_number("4,95") == read_number("4.95") == "4.95"
    assert read_number("0.140") == "0.14"


@pytest.mark.parametrize("written", ["de lunes al viernes", "monday to friday", "lunes-viernes"])
def test_days_between_two_are_told_too(written):
    days = {fact.value for fact in find_facts(written, "es") if fact.kind == FactKind.WEEKDAY}
    assert days == {"1", "2", "3", "4", "5"}


def test_may_is_a_month_only_beside_a_day_or_a_preposition():
    assert find_facts("you may come", "en") == frozenset()
    assert [fact.value for fact in find_facts("we open in May", "en")] == ["5"]


@pytest.mark.parametrize(
    "part", ["a ", "7 ", "7.", "(", "+7 ", "no ", "lunes a ", "7-7 ", "a@", "A ", "without a ", "½"]
)
def test_a_long_text_of_one_kind_takes_no_time(part):
    text = part * (6_000 // len(part))
    assert processor_seconds(lambda: find_support(text, "en", [0], [PRICES])) < 2
