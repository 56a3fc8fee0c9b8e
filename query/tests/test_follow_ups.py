"""Questions that lean on the one before."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Tenant
from language.message import Message, read_message
from language.words import WORD, fold
from query.conversations.follow_ups import complete_question
from query.conversations.memory import recall
from query.tests.factories import LIGHTHOUSE, ask, index_texts
from query.understanding.inquiries import Inquiry
from query.understanding.turns import Turn

PAIRS = [
    json.loads(line)
    for line in (settings.BASE_DIR / "bench" / "follow_ups.jsonl").read_text().splitlines()
]


def complete(before: str, text: str, answer: str = "") -> Message:
    return complete_question(read_message(text), [Turn(before, answer)])


# --- The labelled pairs ---------------------------------------------------------------------------


@dataclass
class Score:
    """Of telling which messages lean on the question before, and of what they are completed by."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    words: int = 0
    words_there: int = 0

    def add(self, pair: dict[str, Any]) -> None:
        text = complete(pair["previous"], pair["message"]).text
        is_told = text != pair["message"]
        self.right += is_told and pair["leans"]
        self.wrong += is_told and not pair["leans"]
        self.missed += pair["leans"] and not is_told
        held = set(WORD.findall(fold(text)))
        self.words += len(pair.get("words", ()))
        self.words_there += len(held.intersection(pair.get("words", ())))

    @property
    def shares(self) -> dict[str, float]:
        return {
            "precision": round(self.right / (self.right + self.wrong), 3),
            "recall": round(self.right / (self.right + self.missed), 3),
            "words": round(self.words_there / self.words, 3),
        }


@pytest.mark.parametrize("language", ["en", "es"])
def test_nine_of_ten_follow_ups_are_told_and_completed(language: str) -> None:
    score = Score()
    for pair in PAIRS:
        if pair["language"] == language:
            score.add(pair)

    assert score.right + score.missed > 40
    assert score.wrong == 0
    assert {name: share for name, share in score.shares.items() if share < 0.9} == {}


def test_what_the_message_replaces_is_left_out() -> None:
    kept = [
        (pair["message"], word)
        for pair in PAIRS
        for word in pair.get("without", ())
        if word in WORD.findall(fold(complete(pair["previous"], pair["message"]).text))
    ]

    assert kept == []


# --- Rules ----------------------------------------------------------------------------------------


def test_without_a_question_before_a_message_stays_as_it_is() -> None:
    message = read_message("¿y cuánto cuesta?")

    assert complete_question(message, ()) is message
    assert (message.text, message.language) == ("¿y cuánto cuesta?", "es")


def test_a_message_without_words_has_the_language_that_is_likely() -> None:
    assert complete_question(read_message("👍", "es"), ()).language == "es"
    assert (
        complete_question(read_message("👍", "es"), [Turn("Where is the pier?", "There.")]).language
        == "en"
    )
    assert complete_question(read_message("👍", "es"), [Turn("👍", "¡Gracias!")]).language == "es"


def test_what_was_asked_is_asked_again_of_something_else() -> None:
    done = complete("How much is a ticket for adults?", "and for children?")

    assert (done.text, done.language) == ("for children? How much ticket", "en")


@pytest.mark.parametrize(
    ("before", "text", "understood"),
    [
        ("How much is a brake check?", "and a tyre?", "a tyre? How much"),
        ("¿Cuánto cuesta el sillín?", "¿y un timbre?", "un timbre? Cuánto cuesta"),
        ("How much is the canoe?", "and the deposit?", "the deposit? How much canoe"),
        ("How much is the room?", "and a double?", "a double? How much room"),
        (
            "Does the gold card include towels?",
            "and a locker?",
            "a locker? gold card include towels",
        ),
    ],
)
def test_another_thing_takes_the_place_of_the_one_that_was_asked_about(
    before: str, text: str, understood: str
) -> None:
    assert complete(before, text).text == understood


@pytest.mark.parametrize(
    ("before", "text", "understood"),
    [
        (
            "q café me recomiendas para espresso?",
            "y cuanto vale?",
            "cuanto vale? café espresso",
        ),
        ("¿abrís hoy?", "y mañana?", "mañana? abrís"),
        ("¿abrís mañana?", "¿y el lunes?", "el lunes? abrís"),
        ("¿Abrís mañana por la mañana?", "¿y por la tarde?", "por la tarde? Abrís"),
        ("r u open today?", "what about tmrw?", "tomorrow? open"),
        (
            "¿Cuánto vale el café de Etiopía?",
            "y el de colombia?",
            "el de colombia? Cuánto vale café",
        ),
    ],
)
def test_messages_of_chats_lean_on_the_last_one_too(
    before: str, text: str, understood: str
) -> None:
    assert complete(before, text).text == understood


def test_a_message_that_stands_on_its_own_stays_as_it_was_typed() -> None:
    assert complete("q seguros aceptais", "tb haceis factura?").text == "tb haceis factura?"


@pytest.mark.parametrize("text", ["hrs sun?", "opening hours?", "horario sábados?"])
def test_what_only_the_company_has_needs_no_topic(text: str) -> None:
    assert complete("whats the price of decaf?", text).text == text


def test_what_the_last_answer_was_in_is_the_language_of_a_message_without_words() -> None:
    turns = [Turn("wifi?", "Yes, in all rooms.", language="en")]

    assert complete_question(read_message("👍", "es"), turns).language == "en"
    assert complete_question(read_message("ok", "es"), turns).language == "en"
    assert complete_question(read_message("ok", "es"), ()).language == "es"


def test_what_is_asked_newly_is_not_mixed_with_what_was_asked() -> None:
    done = complete("What time does the tower open?", "How much does it cost?")

    assert (done.text, done.language) == ("How much does it cost? tower", "en")


def test_a_person_may_have_been_named_in_the_answer() -> None:
    answer = "The keeper, Aldara Quintáns, has lived in the tower since 1998."
    done = complete("Who keeps the lighthouse?", "Where was she born?", answer)

    assert done.text == "Where was she born? Aldara Quintáns"


@pytest.mark.parametrize(
    ("before", "text", "language"),
    [
        ("How much is the guided visit?", "¿y cuándo abre?", "es"),
        ("¿Cuánto cuesta la visita guiada?", "and when does it open?", "en"),
        ("¿Cuánto cuesta la visita guiada?", "wifi?", "es"),  # its words do not tell
        ("How much is the guided visit?", "wifi?", "en"),
    ],
)
def test_the_answers_language_is_that_of_the_message(before: str, text: str, language: str) -> None:
    assert complete(before, text).language == language


def test_at_most_eight_topic_words_come_along() -> None:
    before = (
        "Which paperwork, insurance, deposit, helmet, licence, passport, voucher, receipt,"
        " signature, and photograph must riders bring for renting motorcycles?"
    )

    assert len(complete(before, "why?").text.split()) == 1 + 8


def test_a_completed_question_is_no_longer_than_a_question_may_be() -> None:
    long = "it " + "x" * 995
    before = "How much is the guided visit?"

    assert complete(before, long).text == long


# --- From end to end ------------------------------------------------------------------------------

WORKSHOP = (
    "The bookbinding workshop costs 85 euros, materials included.",
    "The bookbinding workshop takes place on Thursdays from 18:00 to 20:30.",
    "The bread workshop costs 140 euros.",
    "The bread workshop takes place on Mondays from 10:00 to 13:00.",
)
TALLER = (
    "El taller de encuadernación cuesta 85 euros, con el material incluido.",
    "El taller de encuadernación se imparte los jueves de 18:00 a 20:30.",
    "El taller de pan cuesta 140 euros.",
    "El taller de pan se imparte los lunes de 10:00 a 13:00.",
)


@pytest.mark.parametrize(
    ("passages", "question", "follow_up", "text"),
    [
        (WORKSHOP, "When is the bread workshop?", "and how much does it cost?", "140"),
        (WORKSHOP, "How much is the bookbinding workshop?", "and when is it?", "Thursdays"),
        (TALLER, "¿Cuándo es el taller de pan?", "¿y cuánto cuesta?", "140"),
        (TALLER, "¿Cuánto cuesta el taller de encuadernación?", "¿y qué día es?", "jueves"),
        (TALLER, "How much is the bread workshop?", "¿y cuándo es?", "lunes"),
    ],
)
def test_a_follow_up_is_answered_in_its_session(
    tenant: Tenant, passages: tuple[str, ...], question: str, follow_up: str, text: str
) -> None:
    index_texts(tenant, *passages)
    ask(tenant, question, session_id="s")

    assert text in ask(tenant, follow_up, session_id="s").text


def test_a_follow_up_has_no_answer_without_its_session(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    ask(tenant, "How much is the guided visit to the lighthouse?", session_id="s")

    assert "7 euros" in ask(tenant, "and for the two of us?", session_id="s").text
    assert ask(tenant, "and for the two of us?", session_id="another").sources == ()
    assert ask(tenant, "and for the two of us?").sources == ()


def test_a_chain_of_follow_ups_keeps_its_topic(tenant: Tenant) -> None:
    index_texts(tenant, *WORKSHOP)

    for text, answer in (
        ("When is the bread workshop?", "Mondays"),
        ("and how much does it cost?", "140 euros"),
        ("thanks!", "You're welcome"),
        ("And the bookbinding one?", "85 euros"),
        ("on which day is it?", "Thursdays"),
    ):
        assert answer in ask(tenant, text, session_id="s").text


def test_she_is_whom_the_answer_named(tenant: Tenant) -> None:
    index_texts(
        tenant,
        "The potter Iria Sande was born in Noia, near the lighthouse.",
        "The keeper of the lighthouse is Aldara Quintáns.",
        "Aldara Quintáns was born in Muxía and studied music.",
    )
    ask(tenant, "Who is the keeper of the lighthouse?", session_id="s")

    assert "Muxía" in ask(tenant, "Where was she born?", session_id="s").text


def test_that_nothing_is_found_is_said_in_the_language_of_the_follow_up(tenant: Tenant) -> None:
    index_texts(tenant, *WORKSHOP)
    ask(tenant, "What does the planetarium show?", session_id="s")

    answer = ask(tenant, "¿y cuánto dura?", session_id="s")
    assert answer.text.startswith("No tengo información sobre eso")


def test_a_completed_question_is_what_the_next_one_leans_on(tenant: Tenant) -> None:
    index_texts(tenant, *WORKSHOP)
    ask(tenant, "When is the bread workshop?", session_id="s")
    ask(tenant, "and how much does it cost?", session_id="s")

    last = recall(Inquiry(tenant, "?", session_id="s"))[-1]
    assert last.question == "and how much does it cost?"
    assert "bread" in last.understood
