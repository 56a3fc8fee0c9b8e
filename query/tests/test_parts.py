"""Two questions in one message: both are answered, or it is said which one is not."""

from __future__ import annotations

import re

import pytest
from django.test import override_settings

from accounts.models import Tenant
from agents.tests.factories import make_agent
from language.message import read_message
from language.tests.processor_time import processor_seconds
from language.words import Language
from query.answering.joining import join_answers
from query.answers import Answer
from query.conversations.memory import recall
from query.conversations.parts import QuestionPart, complete_parts, part_questions
from query.models import Message, Outcome, OutcomeCount
from query.pipeline import Piece, SourcesFound, stream_answer
from query.tests.chat_server import serve_chat
from query.tests.factories import ask, index_texts, make_chunk
from query.understanding.inquiries import Inquiry

BODEGA = (
    "La bodega abre de martes a sábado, de 11:00 a 19:00.",
    "La visita con cata cuesta 18 euros por persona.",
    "El aparcamiento de la bodega está junto al río y es gratuito.",
)
POTTERY = (
    "We ship to Portugal and to Malta by courier.",
    "Shipping to Malta costs 22 EUR and takes eight days.",
    "The studio opens from Monday to Friday, from 9:00 to 17:00.",
    "A pottery class costs 40 EUR, and clay is included.",
    "Dogs stay outside, for there are pots on the floor.",
)


# --- What is a question of its own ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "parts"),
    [
        (
            "es",
            "¿A qué hora abrís y cuánto cuesta la entrada?",
            ["¿A qué hora abrís", "cuánto cuesta la entrada?"],
        ),
        ("es", "a que hora abris y cuanto cuesta la cata", None),
        ("es", "hola! ¿tenéis parking? ¿y cuánto cuesta la visita?", None),
        ("es", "¿Enviáis a Malta y cuánto tarda?", ["¿Enviáis a Malta", "cuánto tarda?"]),
        ("en", "Do you ship to Malta? And what does it cost?", None),
        ("en", "When do you open, and how much is a class?", None),
        ("en", "Do you sell clay? how much", ["Do you sell clay?", "how much"]),
        ("en", "How do I book and do you take cards?", None),
    ],
)
def test_two_questions_are_parted(language: Language, text: str, parts: list[str] | None) -> None:
    parted = [part.text for part in part_questions(read_message(text).spoken_in(language))]

    assert len(parted) == 2
    assert parts is None or parted == parts


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "hola, ¿a qué hora abrís?"),
        ("es", "Hola, ¿qué tal? ¿A qué hora abrís?"),
        ("es", "¿Cuándo y dónde es la cata?"),
        ("es", "¿Qué incluye y cuánto cuesta la visita?"),
        ("es", "¿Qué diferencia hay entre la cata corta y cuál es la larga?"),
        ("es", "¿Abrís los domingos? Es para ir con mis hijos."),
        ("es", "¿Hay descuento para grupos y familias?"),
        ("es", "¿Abrís el lunes o cuándo?"),
        ("en", "Really? How much is it?"),
        ("en", "Are you open? Or closed?"),
        ("en", "Do you know where and when the class is?"),
        ("en", "What does it include and how much is it?"),
        ("en", "Can I pay by card? Thanks!"),
        ("en", "Who founded the studio and why?"),
        ("en", "Tell me what you make and what you sell"),
        ("en", "Are you open? Is it far? Do you ship? Is it dear? Can I come?"),  # too many
    ],
)
def test_one_question_stays_one(language: Language, text: str) -> None:
    message = read_message(text).spoken_in(language)

    assert part_questions(message) == [message]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Do you ship to Malta? And what does it cost?", "what does it cost? ship Malta"),
        ("Is there a pool for dogs? which hours", "which hours pool dogs"),
        ("When do you open? How much is a class?", "How much is a class?"),
        ("¿Hay pista de pádel? ¿cuánto la hora?", "¿cuánto la hora? pista pádel"),
        ("¿A qué hora abrís y cuánto cuesta la cata?", "cuánto cuesta la cata?"),
    ],
)
def test_the_second_takes_what_it_leaves_out_from_the_first(text: str, meant: str) -> None:
    assert complete_parts(read_message(text), ())[1].question.text == meant


# --- Both are answered ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿A qué hora abrís y cuánto cuesta la visita con cata?", ("11:00 a 19:00", "18 euros")),
        ("cuanto cuesta la visita y a que hora abre la bodega", ("18 euros", "11:00 a 19:00")),
        ("¿Dónde está el aparcamiento? ¿Y a qué hora abrís?", ("junto al río", "11:00 a 19:00")),
    ],
)
def test_in_spanish_each_is_answered_from_its_own_source(
    tenant: Tenant, question: str, told: tuple[str, str]
) -> None:
    index_texts(tenant, *BODEGA, name="bodega.txt")

    check_both(ask(tenant, question), told)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Do you take dogs? And when does the studio open?", ("Dogs stay", "9:00 to 17:00")),
        ("When does the studio open and how much is a pottery class?", ("9:00 to 17:00", "40 EUR")),
        ("how much is a pottery class? what are your opening hours?", ("40 EUR", "9:00 to 17:00")),
    ],
)
def test_in_english_too(tenant: Tenant, question: str, told: tuple[str, str]) -> None:
    index_texts(tenant, *POTTERY, name="pottery.txt")

    check_both(ask(tenant, question), told)


@pytest.mark.parametrize(
    ("passages", "question", "told"),
    [
        (POTTERY, "Do you ship to Malta? And what does it cost?", "22 EUR"),
        (BODEGA, "¿Se puede hacer una visita con cata? ¿cuánto por persona?", "18 euros"),
        (POTTERY, "is there a pottery class? how much", "40 EUR"),
    ],
)
def test_of_one_thing_one_sentence_may_answer_both(
    tenant: Tenant, passages: tuple[str, ...], question: str, told: str
) -> None:
    index_texts(tenant, *passages)

    answer = ask(tenant, question)

    assert told in answer.text
    assert answer.outcome == Outcome.ANSWERED
    assert "found nothing" not in answer.text
    assert "no he encontrado nada" not in answer.text


def check_both(answer: Answer, told: tuple[str, str]) -> None:
    """Each is told in its place, marked with the passage that says it, and no source is double."""
    first, second = (answer.text.index(text) for text in told)
    assert first < second or answer.outcome == Outcome.UNSURE  # the closest words come first
    for text in told:
        number = re.search(rf"{re.escape(text)}[^\[]*\[(\d)\]", answer.text)
        assert number, answer.text
        assert text in answer.sources[int(number[1]) - 1].text
    ids = [chunk.chunk_id for chunk in answer.sources]
    assert len(ids) == len(set(ids)) <= 5


@pytest.mark.parametrize(
    ("passages", "question", "told", "left_out"),
    [
        (
            BODEGA,
            "¿Cuánto cuesta la visita con cata? ¿Y quién pintó la Mona Lisa?",
            "18 euros",
            "Sobre «quién pintó la Mona Lisa» no he encontrado nada.",
        ),
        (
            POTTERY,
            "Who painted the Mona Lisa, and how much is a pottery class?",
            "40 EUR",
            "I found nothing about “Who painted the Mona Lisa”.",
        ),
        (
            POTTERY,
            "How much is a pottery class? And who won the 2018 world cup final?",
            "40 EUR",
            "I found nothing about “who won the 2018 world cup final”.",
        ),
    ],
)
def test_of_which_nothing_is_found_is_said(
    tenant: Tenant, passages: tuple[str, ...], question: str, told: str, left_out: str
) -> None:
    index_texts(tenant, *passages)

    answer = ask(tenant, question)

    assert told in answer.text
    assert left_out in answer.text
    assert answer.outcome == Outcome.UNSURE


def test_where_nothing_is_found_for_either_the_answer_is_as_ever(tenant: Tenant) -> None:
    index_texts(tenant, *POTTERY)

    answer = ask(tenant, "Who painted the Mona Lisa? And who won the 2018 world cup final?")

    assert (answer.outcome, answer.sources) == (Outcome.REDIRECTED, ())
    assert "I found nothing about" not in answer.text


def test_it_is_one_turn_and_one_question(tenant: Tenant) -> None:
    index_texts(tenant, *BODEGA)
    agent = make_agent(tenant, store_transcripts=True)
    asked = "¿A qué hora abrís y cuánto cuesta la visita con cata?"

    answer = ask(tenant, asked, agent, session_id="visitor 1")

    (turn,) = recall(Inquiry(tenant, "¿y?", agent, session_id="visitor 1"))
    assert (turn.question, turn.answer) == (asked, answer.text)
    assert [count.count for count in OutcomeCount.objects.for_tenant(tenant)] == [1]
    assert [kept.answer for kept in Message.objects.for_tenant(tenant)] == [answer.text]


def test_the_stream_tells_the_sources_of_both_before_the_text(tenant: Tenant) -> None:
    index_texts(tenant, *BODEGA)

    found, *pieces, answer = stream_answer(
        Inquiry(tenant, "¿A qué hora abrís y cuánto cuesta la visita con cata?")
    )

    assert isinstance(answer, Answer)
    assert isinstance(found, SourcesFound)
    assert found.sources == answer.sources
    assert "".join(piece.text for piece in pieces if isinstance(piece, Piece)) == answer.text


def test_a_language_model_is_given_the_passages_of_both(tenant: Tenant) -> None:
    index_texts(tenant, *BODEGA)
    written = "La bodega abre de martes a sábado [1]. La visita con cata cuesta 18 euros [2]."
    with (
        serve_chat() as server,
        override_settings(LLM_BASE_URL=server.url, LLM_MODEL="small-model", LLM_TIMEOUT=20),
    ):
        server.says(written)
        answer = ask(tenant, "¿A qué hora abrís y cuánto cuesta la visita con cata?")

    (received,) = server.received
    assert BODEGA[0] in received.text
    assert BODEGA[1] in received.text
    assert answer.outcome == Outcome.ANSWERED
    assert "martes a sábado" in answer.text
    assert "18 euros" in answer.text


# --- How answers are joined -----------------------------------------------------------------------


def part(text: str) -> QuestionPart:
    return QuestionPart(text, read_message(text))


def test_marks_count_the_joined_sources_and_what_is_told_twice_is_told_once() -> None:
    one, two, three = (make_chunk(chunk_id=number) for number in (1, 2, 3))
    first = Answer("Closest:\n\nA [2]\n\nB [1]", (one, two), "extractive", Outcome.UNSURE)
    second = Answer("Closest:\n\nA [1]\n\nC [2]", (two, three), "extractive", Outcome.UNSURE)

    joined = join_answers([(part("a?"), first), (part("b?"), second)])

    assert joined.sources == (one, two, three)
    assert joined.text == "Closest:\n\nA [2]\n\nB [1]\n\nClosest:\n\nC [3]"
    assert joined.outcome == Outcome.UNSURE


def test_beside_an_answer_fewer_of_the_closest_words_are_quoted() -> None:
    one, two, three = (make_chunk(chunk_id=number) for number in (1, 2, 3))
    first = Answer("7 EUR. [1]", (one,), "extractive", Outcome.ANSWERED)
    second = Answer("Closest:\n\nA [2]\n\nAnd in B:\n\nB [1]", (two, three), "", Outcome.UNSURE)

    joined = join_answers([(part("a?"), first), (part("b?"), second)])

    assert joined.text == "7 EUR. [1]\n\nClosest:\n\nA [2]"
    assert joined.sources == (one, three, two)
    assert joined.outcome == Outcome.UNSURE


def test_sources_that_are_marked_are_never_left_out() -> None:
    chunks = [make_chunk(chunk_id=number) for number in range(1, 9)]
    first = Answer("A [1] B [2] C [3]", tuple(chunks[:5]), "tables", Outcome.ANSWERED)
    second = Answer("D [1] E [2] F [3]", tuple(chunks[5:]), "extractive", Outcome.ANSWERED)

    joined = join_answers([(part("a?"), first), (part("b?"), second)])

    assert joined.text == "A [1] B [2] C [3]\n\nD [4] E [5] F [6]"
    assert [chunk.chunk_id for chunk in joined.sources] == [1, 2, 3, 6, 7, 8]
    assert joined.outcome == Outcome.ANSWERED


def test_hostile_messages_are_parted_in_no_time() -> None:
    texts = ("? " * 200, "a y qué " * 50, " ,y " * 100, "¿" * 400, "and what " * 44, "a?" * 5_000)

    assert processor_seconds(lambda: [complete_parts(read_message(t), ()) for t in texts]) < 1
