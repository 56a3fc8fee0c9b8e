"""The order of events, and what is said around an answerer's own words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from accounts.models import Tenant
from agents.tests.factories import make_agent
from language.words import Language
from query import pipeline
from query.answering.drafts import Draft, DraftWriter, Quote
from query.answering.redirecting import FALLBACK, introduce_closest
from query.answers import Answer
from query.leads.turns import LeadTurn
from query.models import Confidence, Outcome
from query.pipeline import Event, Piece, SourcesFound, answer_question, stream_answer
from query.tests.factories import LIGHTHOUSE, ask, index_texts, make_chunk
from query.understanding.inquiries import Inquiry

QUESTION = "How much does a guided visit cost?"
REMARK = "Leave us your e-mail address."


@pytest.fixture(autouse=True)
def lighthouse(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt")


def write_as(monkeypatch: pytest.MonkeyPatch, draft: Draft, *texts: str) -> list[str]:
    """An answerer that yields `texts` and hands `draft` back; the list tells when it is closed."""
    closed: list[str] = []

    def writer(*_: object, **__: object) -> DraftWriter:
        try:
            yield from texts
            return draft
        except GeneratorExit:
            closed.append("closed")
            raise

    monkeypatch.setattr(pipeline, "draft_writer", writer)
    return closed


def leave_a_lead(monkeypatch: pytest.MonkeyPatch, turn: LeadTurn) -> None:
    monkeypatch.setattr(pipeline, "take_lead_turn", lambda inquiry: turn)


def stream(tenant: Tenant, text: str = QUESTION) -> Iterator[Event]:
    return stream_answer(Inquiry(tenant, text))


def test_sources_then_pieces_then_the_answer(tenant: Tenant) -> None:
    events = list(stream(tenant))

    first, *between, last = events
    assert isinstance(first, SourcesFound)
    assert isinstance(last, Answer)
    texts = [event.text for event in between if isinstance(event, Piece)]
    assert len(texts) == len(between)
    assert "".join(texts) == last.text
    assert first.sources == last.sources
    assert last.outcome == Outcome.ANSWERED


def test_at_once_and_in_a_stream_the_answer_is_the_same(tenant: Tenant) -> None:
    assert ask(tenant, QUESTION) == list(stream(tenant))[-1]


def test_nothing_found_streams_no_sources_and_the_topics(tenant: Tenant) -> None:
    found, piece, answer = stream(tenant, "Who painted the Mona Lisa?")

    assert found == SourcesFound(())
    assert isinstance(answer, Answer)
    assert piece == Piece(answer.text)
    assert "lighthouse" in answer.text
    assert answer.outcome == Outcome.REDIRECTED


def test_a_greeting_is_greeted_with_the_agents_own_words(tenant: Tenant) -> None:
    agent = make_agent(tenant, welcome_msg="Ahoy! I keep the lighthouse.")

    answer = ask(tenant, "Hello there!", agent)

    assert answer.text.startswith("Ahoy! I keep the lighthouse.")
    assert (answer.sources, answer.outcome) == ((), Outcome.SMALL_TALK)


@pytest.mark.parametrize(("language", "said"), [(None, "¡Perfecto!"), ("en", "Great!")])
def test_a_message_without_words_is_answered_in_the_persons_language_or_the_companys(
    tenant: Tenant, language: Language | None, said: str
) -> None:
    assert tenant.language == "es"

    answer = answer_question(Inquiry(tenant, "👍", language=language))

    assert answer.text.startswith(said)
    assert (answer.sources, answer.outcome) == ((), Outcome.SMALL_TALK)


@pytest.mark.parametrize("text", ["ok", "gracias", "¡Hola!", "👍", "graicas", "hasta mañana"])
def test_small_talk_is_neither_read_nor_searched_for(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    def not_now(*_: object, **__: object) -> None:
        raise AssertionError("it was searched for")

    monkeypatch.setattr(pipeline, "read_question", not_now)
    monkeypatch.setattr(pipeline, "retrieve_chunks", not_now)

    found, piece, answer = stream(tenant, text)

    assert isinstance(answer, Answer)
    assert (found, piece) == (SourcesFound(()), Piece(answer.text))
    assert (answer.sources, answer.outcome) == ((), Outcome.SMALL_TALK)
    assert answer.confidence == Confidence.NONE
    with pytest.raises(AssertionError, match="searched"):
        list(stream(tenant, QUESTION))


def test_what_is_off_topic_is_not_greeted(tenant: Tenant) -> None:
    agent = make_agent(tenant, welcome_msg="Ahoy! I keep the lighthouse.")

    assert "Ahoy" not in ask(tenant, "Who painted the Mona Lisa?", agent).text


def test_only_the_topics_of_the_agents_own_sources_are_named(tenant: Tenant) -> None:
    harbour = index_texts(tenant, "The harbour office opens at six.", name="harbour.txt")
    agent = make_agent(tenant, harbour)

    answer = ask(tenant, "Who painted the Mona Lisa?", agent)

    assert "harbour" in answer.text
    assert "lighthouse" not in answer.text


def test_the_closest_words_stand_under_the_name_of_their_source(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_as(
        monkeypatch, Draft("", (0,), "a model", closest=(Quote(0, "A tour costs 7 euros. [1]"),))
    )

    answer = ask(tenant, QUESTION)

    assert answer.text == (
        f"Here is what “{answer.sources[0].name}” says:\n\nA tour costs 7 euros. [1]"
    )
    assert len(answer.sources) == 1
    assert (answer.model, answer.confidence) == ("a model", Confidence.UNSURE)


def test_doubt_is_said_where_there_is_some_and_each_source_is_named_once() -> None:
    passages = [
        make_chunk(chunk_id=1, document_title="Guided tours"),
        make_chunk(chunk_id=2, document_title="", source_file="old_harbour.md"),
    ]
    quotes = (Quote(0, "It costs 7. [1]"), Quote(0, "Or 5. [1]"), Quote(1, "It is free. [2]"))
    draft = Draft("", (0, 1), "a model", closest=quotes, is_doubtful=True)

    assert introduce_closest(draft, passages, "en").split("\n\n") == [
        "I did not find an exact answer. The closest is in “Guided tours”:",
        "It costs 7. [1]",
        "Or 5. [1]",
        "And in “old harbour”:",
        "It is free. [2]",
    ]
    assert introduce_closest(replace(draft, is_doubtful=False), passages, "es").startswith(
        "Esto es lo que dice «Guided tours»:"
    )


def test_doubt_names_what_nothing_that_was_found_mentions(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = Draft(
        "",
        (0,),
        "a model",
        closest=(Quote(0, "A tour costs 7 euros."),),
        unmentioned=("K4", "Lugo"),
    )
    write_as(monkeypatch, draft)

    assert ask(tenant, QUESTION).text == (
        "I found nothing about “K4” or “Lugo”. Here is what “lighthouse” says:\n\n"
        "A tour costs 7 euros."
    )


def test_a_failed_model_is_answered_for_in_the_specifications_words(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_as(monkeypatch, Draft("", (0,), "a model", has_failed=True))

    answer = ask(tenant, QUESTION)

    assert answer.text == FALLBACK
    assert len(answer.sources) == 1
    assert answer.outcome == Outcome.FAILED


def test_a_leads_remark_goes_behind_the_answer(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_as(monkeypatch, Draft("7 euros. [1]", (0,), "a model"), "7 euros. ", "[1]")
    leave_a_lead(monkeypatch, LeadTurn(remark=REMARK))

    events = list(stream(tenant))

    assert events[1:-1] == [Piece("7 euros. "), Piece("[1]"), Piece(f"\n\n{REMARK}")]
    assert isinstance(events[-1], Answer)
    assert events[-1].text == f"7 euros. [1]\n\n{REMARK}"


def test_whoever_wants_to_buy_is_not_told_what_we_do_not_know(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_lead(monkeypatch, LeadTurn(remark=REMARK))

    assert ask(tenant, "Who painted the Mona Lisa?").text == REMARK


def test_whoever_wants_to_buy_hears_what_was_found_before_they_are_asked(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_as(
        monkeypatch, Draft("", (0,), "a model", closest=(Quote(0, "A tour costs 7 euros. [1]"),))
    )
    leave_a_lead(monkeypatch, LeadTurn(remark=REMARK))

    found, piece, behind, answer = stream(tenant)

    assert isinstance(piece, Piece)
    assert isinstance(answer, Answer)
    assert "A tour costs 7 euros. [1]" in piece.text
    assert behind == Piece(f"\n\n{REMARK}")
    assert (answer.text, answer.outcome) == (f"{piece.text}\n\n{REMARK}", Outcome.UNSURE)
    assert len(answer.sources) == 1


def test_contact_data_alone_is_not_looked_up(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_a_lead(monkeypatch, LeadTurn(remark=REMARK, answers_alone=True))

    answer = ask(tenant, QUESTION)

    assert (answer.text, answer.sources) == (REMARK, ())
    assert answer.outcome == Outcome.CONTACT_TAKEN


@pytest.mark.parametrize(
    ("outcome", "confidence"),
    [
        (Outcome.ANSWERED, "answered"),
        (Outcome.UNSURE, "unsure"),
        (Outcome.FAILED, "unsure"),
        (Outcome.REDIRECTED, "none"),
        (Outcome.SMALL_TALK, "none"),
        (Outcome.CONTACT_TAKEN, "none"),
    ],
)
def test_how_far_an_answer_may_be_relied_on_is_told_by_what_came_of_the_question(
    outcome: Outcome, confidence: str
) -> None:
    assert Answer("text", (), "a model", outcome).confidence == confidence


def test_closing_the_stream_stops_the_answerer(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = write_as(monkeypatch, Draft("one two", (0,), "a model"), "one ", "two")
    events = stream_answer(Inquiry(tenant, QUESTION))
    next(events)
    assert next(events) == Piece("one ")

    events.close()

    assert closed == ["closed"]
