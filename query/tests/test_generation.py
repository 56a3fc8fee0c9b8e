"""An answer by a language model: what is shown of what it writes. Through the real pipeline, with a
stand-in for the model."""

import json
import re
from collections.abc import Iterator
from contextlib import closing

import pytest
from rest_framework.test import APIClient

from accounts.models import Tenant
from agents.tests.factories import make_agent
from config.language_model import LOADING, READY, write_state
from language.message import read_message
from query.answering.generation import generate_answer, sentence_end
from query.answering.redirecting import FALLBACK
from query.answers import Answer
from query.models import Outcome
from query.pipeline import Piece, SourcesFound, converse, stream_answer
from query.search.retrieval import read_question, retrieve_chunks
from query.tests.chat_server import (
    WAIT_SECONDS,
    ChatServer,
    error,
    plain,
    serve_chat,
    stream,
    stream_and_break_off,
    stream_and_wait,
)
from query.tests.factories import FARO, LIGHTHOUSE, ask, index_texts
from query.understanding.inquiries import Inquiry
from query.understanding.turns import Turn

QUESTION = "When does the lighthouse open, and how much does a guided visit cost?"
OPEN = "The lighthouse opens from Tuesday to Sunday."
COST = "A guided visit costs 7 euros."
UNSURE = ("Here is what “", "I did not find an exact answer. The closest is in “")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("query.answering.llm.RETRY_SECONDS", 0.0)


@pytest.fixture
def model(db, settings) -> Iterator[ChatServer]:
    with serve_chat() as server:
        settings.LLM_BASE_URL = server.url
        settings.LLM_MODEL = "small-model"
        settings.LLM_TIMEOUT = 20
        yield server


@pytest.fixture(autouse=True)
def lighthouse(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)


def read_stream(tenant: Tenant) -> tuple[list[str], Answer]:
    """The pieces and the answer. Sources come before both."""
    first, *pieces, answer = stream_answer(Inquiry(tenant, QUESTION))
    assert isinstance(first, SourcesFound)
    assert isinstance(answer, Answer)
    return [piece.text for piece in pieces if isinstance(piece, Piece)], answer


def is_unsure(answer: Answer) -> bool:
    """All passages are there, and the closest words are quoted as what their source says."""
    return (
        answer.outcome == Outcome.UNSURE
        and answer.confidence == "unsure"
        and answer.text.startswith(UNSURE)
        and COST in answer.text
        and {source.location for source in answer.sources} >= {"paragraph 1", "paragraph 2"}
    )


def number_of(model: ChatServer, words: str) -> int:
    """Of the passage that holds `words`, as it was told last."""
    told: str = model.received[-1].body["messages"][-1]["content"]
    return len(re.findall(r"^\[\d\] ", told[: told.index(words)], re.MULTILINE))


@pytest.fixture
def numbers(tenant: Tenant, model: ChatServer) -> tuple[int, int]:
    """Those of the passages with the hours and with the price, in the search's order."""
    model.says("NO_ANSWER")
    ask(tenant, QUESTION)
    found = number_of(model, "Tuesday to Sunday"), number_of(model, "7 euros")
    model.received.clear()
    return found


# --- Citations ------------------------------------------------------------------------------------


def test_sources_are_the_passages_cited_in_the_order_of_their_citation(tenant, model, numbers):
    hours, price = numbers
    model.says(f"{COST} [{price}] {OPEN} [{hours}]")
    answer = ask(tenant, QUESTION)
    assert answer.text == f"{COST} [1] {OPEN} [2]"
    assert [source.location for source in answer.sources] == ["paragraph 2", "paragraph 1"]
    assert (answer.model, answer.outcome) == ("small-model", Outcome.ANSWERED)


@pytest.mark.parametrize(
    "mark",
    [
        "[{}]",
        "[{}, 9]",
        "[{}][9]",
        "[9][{}]",
        "【{}】",
        "【{}†notes.txt】",
        "[^{}]",
        "[source {}]",
    ],
)
def test_a_number_that_was_not_given_is_removed_in_every_way_to_write_it(
    tenant, model, numbers, mark
):
    model.says(f"{COST[:-1]} {mark.format(numbers[1])}.")
    answer = ask(tenant, QUESTION)
    assert answer.text == f"{COST} [1]"
    assert [source.location for source in answer.sources] == ["paragraph 2"]


def test_a_range_cites_each_passage_of_it(tenant, model, numbers):
    model.says(f"{OPEN[:-1]}, and a guided visit costs 7 euros [1-2].")
    answer = ask(tenant, QUESTION)
    assert answer.text.endswith("7 euros. [1][2]")
    assert len(answer.sources) == 2


def test_zero_is_no_passage_and_not_the_last_one(tenant, model, numbers):
    model.says(f"{OPEN[:-1]} [0][{numbers[0]}].")
    answer = ask(tenant, QUESTION)
    assert answer.text == f"{OPEN} [1]"
    assert [source.location for source in answer.sources] == ["paragraph 1"]


def test_a_number_of_the_question_is_not_agreed_to_without_a_passage(tenant, model):
    model.says(f"Yes, 9. {COST}")
    assert ask(tenant, "Does a guided visit cost 9 euros?").text == f"{COST} [1]"


def test_a_number_in_parentheses_is_no_citation(tenant, model, numbers):
    model.says(f"{COST[:-1]} (7) [{numbers[1]}].")
    answer = ask(tenant, QUESTION)
    assert answer.text == "A guided visit costs 7 euros (7). [1]"
    assert len(answer.sources) == 1


def test_a_sentence_without_citation_gets_that_of_the_passage_with_its_words(tenant, model):
    model.says(COST)
    answer = ask(tenant, QUESTION)
    assert answer.text == f"{COST} [1]"
    assert [source.location for source in answer.sources] == ["paragraph 2"]


def test_a_passage_that_shares_nothing_with_the_sentence_is_not_its_source(tenant, model, numbers):
    model.says(f"Submarines dive to 400 metres [{numbers[0]}]. {COST} [{numbers[1]}]")
    answer = ask(tenant, QUESTION)
    assert answer.text == f"{COST} [1]"
    assert [source.location for source in answer.sources] == ["paragraph 2"]


@pytest.mark.parametrize(
    "invented",
    [
        "A guided visit costs 7 euros and you get a free souvenir [{}].",
        "A guided visit, with a glass of wine, costs 7 euros [{}].",
        "A guided visit costs 70 euros [{}].",
        "A guided visit costs 7 dollars [{}].",
        "A guided visit does not cost 7 euros [{}].",
        "A guided visit with Marta costs 7 euros [{}].",
        "Book a guided visit for 7 euros at visits@faro.example [{}].",
        "La visita guiada cuesta 7 euros y regalan un submarino [{}].",
    ],
)
def test_a_mark_does_not_carry_what_its_passage_does_not_say(tenant, model, numbers, invented):
    hours, price = numbers
    model.says(f"{invented.format(price)} {OPEN} [{hours}]")
    answer = ask(tenant, QUESTION)
    assert answer.text == f"{OPEN} [1]"
    assert [source.location for source in answer.sources] == ["paragraph 1"]


@pytest.mark.parametrize(
    "honest",
    [
        "The price of a guided visit is seven euros.",
        "A guided visit costs 7 €, and children under 10 get in free.",
        "La visita guiada cuesta siete euros.",
        "Los niños menores de diez años entran gratis.",
    ],
)
def test_other_words_of_either_language_are_borne_out(tenant, model, numbers, honest):
    model.says(f"{honest[:-1]} [{numbers[1]}].")
    assert ask(tenant, QUESTION).text == f"{honest} [1]"


def test_a_sentence_that_another_passage_bears_out_gets_its_mark(tenant, model, numbers):
    hours, _ = numbers
    model.says(f"{COST[:-1]} [{hours}].")
    answer = ask(tenant, QUESTION)
    assert answer.text == f"{COST} [1]"
    assert [source.location for source in answer.sources] == ["paragraph 2"]


def test_a_sentence_of_two_passages_gets_both_marks(tenant, model, numbers):
    model.says("It opens to visitors from Tuesday to Sunday, and a guided visit costs 7 euros.")
    answer = ask(tenant, QUESTION)
    assert answer.text.endswith("7 euros. [1][2]")
    assert {source.location for source in answer.sources} == {"paragraph 1", "paragraph 2"}


def test_the_companys_name_needs_no_passage(tenant, model):
    tenant.name = "Acme Lights"
    model.says("A guided visit at Acme Lights costs 7 euros.")
    assert ask(tenant, QUESTION).text == "A guided visit at Acme Lights costs 7 euros. [1]"


@pytest.mark.parametrize(
    "said",
    [
        "Submarines dive to 400 metres, as every captain knows.",
        "You get a free souvenir [1]. The tower has a café [2].",
        "It certainly is [1].",
        "Yes [1].",
    ],
)
def test_an_answer_that_no_passage_bears_out_is_unsure_with_the_closest_words(tenant, model, said):
    model.says(said)
    assert is_unsure(ask(tenant, QUESTION))


def test_agreement_stays_before_the_sentence_that_says_something(tenant, model, numbers):
    model.says(f"Yes, of course! {COST} [{numbers[1]}] Do you need anything else from me?")
    assert ask(tenant, QUESTION).text == f"Yes, of course! {COST} [1]"


def test_a_list_stays_a_list_without_its_sources_at_the_end(tenant, model, numbers):
    hours, price = numbers
    model.says(
        f"The lighthouse:\n\n- {OPEN} [{hours}]\n- {COST} [{price}]\n\nSources:\n[1] notes.txt"
    )
    assert ask(tenant, QUESTION).text == f"The lighthouse:\n\n- {OPEN} [1]\n- {COST} [2]"


def test_without_cite_sources_marks_are_not_shown_and_still_decide(tenant, model, numbers):
    agent = make_agent(tenant, cite_sources=False)
    model.says(f"{COST} [{numbers[1]}]")
    answer = ask(tenant, QUESTION, agent)
    assert answer.text == COST
    assert [source.location for source in answer.sources] == ["paragraph 2"]


def test_a_spanish_answer_is_checked_as_an_english_one(tenant, model):
    index_texts(tenant, *FARO, name="faro.txt")
    model.says("¡Claro! La visita guiada cuesta 7 euros. Además regalan un submarino nuclear.")
    answer = ask(tenant, "¿Cuánto cuesta la visita guiada al faro?")
    assert answer.text == "¡Claro! La visita guiada cuesta 7 euros. [1]"
    assert [source.source_file for source in answer.sources] == ["faro.txt"]


# --- Doubt and failures ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    ["NO_ANSWER", '"NO_ANSWER."', "**NO_ANSWER**", "NO\\_ANSWER", "NO_ANSWER: nothing fits. [1]"],
)
def test_a_model_that_declines_is_unsure_however_it_says_so(tenant, model, said):
    model.says(said)
    answer = ask(tenant, QUESTION)
    assert is_unsure(answer)
    assert answer.model == "small-model"


@pytest.mark.parametrize(
    "reply",
    [error(500), error(401), plain(""), plain(None), plain("<think>Hm. Hm."), stream()],
    ids=["500", "401", "empty", "null", "thoughts", "empty stream"],
)
def test_a_model_that_fails_gives_the_specified_text_and_keeps_the_sources(tenant, model, reply):
    model.says(reply)
    answer = ask(tenant, QUESTION)
    assert answer.text == FALLBACK
    assert answer.outcome == Outcome.FAILED
    assert {source.location for source in answer.sources} >= {"paragraph 1", "paragraph 2"}


def test_an_answer_that_is_cut_ends_at_its_last_whole_sentence(tenant, model, numbers):
    hours, price = numbers
    model.says(plain(f"{COST} [{price}] {OPEN} [{hours}] Children under", finish="length"))
    assert ask(tenant, QUESTION).text == f"{COST} [1] {OPEN} [2]"
    model.says(plain("Children under ten years", finish="length"))
    assert ask(tenant, QUESTION).outcome == Outcome.FAILED


def test_thoughts_are_no_part_of_the_answer(tenant, model, numbers):
    model.says(f"<think>The price? 7 euros. [1]</think>{COST} [{numbers[1]}]")
    assert ask(tenant, QUESTION).text == f"{COST} [1]"
    model.says(f"The visitor asks the price. So be it.</think>\n\n{COST} [{numbers[1]}]")
    assert ask(tenant, QUESTION).text == f"{COST} [1]"


def test_an_answer_without_end_is_read_only_so_far(tenant, model, numbers, monkeypatch):
    hours, price = numbers
    monkeypatch.setattr("query.answering.generation.ANSWER_MAX_CHARS", len(COST) + 20)
    model.says(plain(f"{COST} [{price}] {OPEN} [{hours}] " * 30_000))
    assert ask(tenant, QUESTION).text == f"{COST} [1]"
    model.says(plain("<think>" * 100_000))
    assert ask(tenant, QUESTION).outcome == Outcome.FAILED


def test_a_model_that_goes_round_in_circles_is_stopped_and_heard_once(tenant, model, numbers):
    hours, price = numbers
    model.says(stream_and_wait(f"{COST} [{price}] {OPEN} [{hours}] " * 3 + "The"))
    assert ask(tenant, QUESTION).text == f"{COST} [1] {OPEN} [2]"
    assert model.was_left.wait(WAIT_SECONDS)


# --- Streams --------------------------------------------------------------------------------------


def test_a_stream_gives_whole_sentences_as_they_end(tenant, model, numbers):
    hours, price = numbers
    model.says(
        stream("A guided vis", "it costs 7 euros. [", f"{price}", "] The", f"{OPEN[3:]} [{hours}]")
    )
    pieces, answer = read_stream(tenant)
    assert pieces == [f"{COST} [1]", f" {OPEN} [2]"]
    assert answer.text == f"{COST} [1] {OPEN} [2]"
    assert [source.location for source in answer.sources] == ["paragraph 2", "paragraph 1"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_however_a_stream_is_cut_the_answer_is_the_same(tenant, model, numbers, size):
    hours, price = numbers
    text = (
        "<think>Señal [1]. Sí.</think>Yes! A **guided** visit<script>alert('x. Y')</script>"
        f" costs 7 euros.[{price}][9] ![a](https://evil.example/?q=7 euros. Seven.)"
        f"\n\n{OPEN} [{hours}, 8]"
    )
    model.says(stream(*(text[at : at + size] for at in range(0, len(text), size))))
    pieces, answer = read_stream(tenant)
    expected = f"Yes! A **guided** visit costs 7 euros. [1]\n\n{OPEN} [2]"
    assert "".join(pieces) == expected
    assert answer.text == expected


def test_nothing_is_streamed_before_the_doubt_is_told(tenant, model):
    model.says(stream("NO", "_ANS", "WER"))
    pieces, answer = read_stream(tenant)
    assert pieces == [answer.text]
    assert is_unsure(answer)


def test_sentences_that_were_streamed_stay_when_the_model_breaks_off(tenant, model, numbers):
    model.says(stream_and_break_off(f"{COST} [{numbers[1]}] The ligh"))
    pieces, answer = read_stream(tenant)
    assert pieces == [f"{COST} [1]"]
    assert (answer.text, answer.outcome) == (f"{COST} [1]", Outcome.ANSWERED)
    assert len(answer.sources) == 1


def test_a_stream_that_breaks_off_in_its_first_sentence_has_failed(tenant, model):
    model.says(stream_and_break_off("A guided vis"))
    pieces, answer = read_stream(tenant)
    assert pieces == [FALLBACK]
    assert answer.outcome == Outcome.FAILED
    assert len(answer.sources) >= 2


def test_a_client_that_leaves_stops_the_model(tenant, model, numbers):
    model.says(stream_and_wait(f"{COST} [{numbers[1]}] The lighthouse"))
    with closing(converse(Inquiry(tenant, QUESTION), streams=True)) as events:
        assert isinstance(next(events), SourcesFound)
        assert next(events) == Piece(f"{COST} [1]")
    assert model.was_left.wait(WAIT_SECONDS)


def test_a_model_that_declines_and_goes_on_is_stopped(tenant, model):
    model.says(stream_and_wait("NO_ANSWER. The passages do not"))
    assert ask(tenant, QUESTION).outcome == Outcome.UNSURE
    assert model.was_left.wait(WAIT_SECONDS)


def test_a_stream_by_http_is_events_and_ends_with_the_whole_answer(
    tenant, admin_api: APIClient, model, numbers
):
    model.says(stream(f"{COST} [", f"{numbers[1]}]"))
    response = admin_api.post(
        "/agent/query", {"query": QUESTION}, format="json", HTTP_ACCEPT="text/event-stream"
    )
    text = response.getvalue().decode()
    names = [line.removeprefix("event: ") for line in text.splitlines() if "event: " in line]
    assert names == ["sources", "delta", "done"]
    done = json.loads(text.strip().splitlines()[-1].removeprefix("data: "))
    assert (done["answer"], done["model"]) == (f"{COST} [1]", "small-model")
    assert [source["page_or_row"] for source in done["sources"]] == ["paragraph 2"]


# --- What is told ---------------------------------------------------------------------------------


def test_rules_come_first_then_the_persona_turns_passages_and_the_question(tenant, model):
    tenant.name = "Acme Lights"
    agent = make_agent(tenant, persona="You are Luz. Be warm.")
    inquiry = Inquiry(tenant, "And how much is it?", agent)
    question = read_question(read_message("How much is a guided visit?"))
    question, chunks = retrieve_chunks(tenant, question, top_k=3)
    model.says("NO_ANSWER")
    turns = [Turn("When is it open?", "From Tuesday. [2]")]
    list(generate_answer(inquiry, question, chunks, turns, streams=False))
    system, asked, answered, last = model.received[0].body["messages"]
    roles = [part["role"] for part in model.received[0].body["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert system["content"].startswith(
        "You answer questions of the customers of Acme Lights from passages of its documents."
    )
    assert system["content"].index("reply with NO_ANSWER") < system["content"].index("You are Luz.")
    assert "When is it open?" in asked["content"]
    assert answered["content"].strip() == "From Tuesday."
    order = [
        last["content"].index(text)
        for text in (
            "<<<PASSAGES>>>\n[1] notes.txt · paragraph 2\n",
            "A guided visit costs 7 euros",
            "\n\n[2] notes.txt",
            "<<<END OF PASSAGES>>>",
            "And how much is it?",
            "How much is a guided visit?",
        )
    ]
    assert order == sorted(order)


def test_a_prompt_is_bounded_whatever_the_documents_persona_and_turns_hold(tenant, model):
    agent = make_agent(tenant, persona="Be kind. " * 450)
    index_texts(
        tenant, *(f"A guided visit costs {n} euros. " * 300 for n in range(5)), name="b.txt"
    )
    question = read_question(read_message(f"{QUESTION} {'please ' * 130}"))
    question, chunks = retrieve_chunks(tenant, question, top_k=8)
    model.says("NO_ANSWER")
    turns = [Turn("How much? " * 100, "Much. " * 500)] * 20
    inquiry = Inquiry(tenant, f"{QUESTION} {'now ' * 230}", agent)
    list(generate_answer(inquiry, question, chunks, turns, streams=False))
    assert len(model.received[0].text) < 12_000
    assert "\n[1] " in model.received[0].text


def test_another_tenants_text_is_never_told(tenant, other_tenant, model):
    index_texts(other_tenant, "A guided visit costs 99 euros at Umbrella.", name="secret.txt")
    model.says(COST)
    answer = ask(tenant, QUESTION)
    assert "Umbrella" not in model.received[0].text
    assert "secret.txt" not in json.dumps(model.received[0].body)
    assert {source.source_file for source in answer.sources} == {"notes.txt"}


@pytest.mark.parametrize("first", ["It costs 7 euros. [1] ", "¿Precio?\t[1] [2]  ", "Uno\n\n[1] "])
def test_marks_behind_white_space_belong_to_the_sentence_before(first: str) -> None:
    assert sentence_end(f"{first}Two more.") == len(first)


# --- What small models write ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "said", ["7 euros [{}]", "[{}] 7 €.", "The answer is 7 euros.", "1. 7 euros\n\n2. 7 euros [{}]"]
)
def test_a_bare_value_becomes_the_sentence_that_says_what_it_is(tenant, model, numbers, said):
    model.says(said.format(numbers[1]))
    answer = ask(tenant, QUESTION)
    assert answer.text.startswith("A guided visit costs 7 euros")
    assert answer.text.endswith(" [1]")
    assert answer.text.count("[1]") == 1
    assert [source.location for source in answer.sources] == ["paragraph 2"]


@pytest.mark.parametrize("said", ["12,65 [1]", "2 [1]"])
def test_a_value_that_nothing_states_is_not_shown(tenant, model, said):
    model.says(said)
    assert is_unsure(ask(tenant, QUESTION))


@pytest.mark.parametrize(
    "said", ["[{}]", "[{}].", "Passage [{}]", "Ver el pasaje [{}]", "[{}] [9]"]
)
def test_passages_that_are_only_named_are_quoted(tenant, model, numbers, said):
    model.says(said.format(numbers[1]))
    answer = ask(tenant, QUESTION)
    assert answer.outcome == Outcome.UNSURE
    assert COST in answer.text
    assert OPEN not in answer.text


@pytest.mark.parametrize("said", ["[{}] {}", "[{}]: {}", "Passage [{}]: {}"])
def test_a_mark_may_stand_before_its_sentence(tenant, model, numbers, said):
    model.says(said.format(numbers[1], COST))
    answer = ask(tenant, QUESTION)
    assert answer.text.endswith(f"{COST} [1]")
    assert [source.location for source in answer.sources] == ["paragraph 2"]


def test_a_prompt_holds_windows_and_no_whole_passages(tenant, model):
    filler = "The keeper paints the railings of the gallery every spring. "
    long = (
        f"{filler * 8}The tower has a lift for 4 people. {filler.replace('spring', 'autumn') * 8}"
    )
    index_texts(tenant, long, name="long.txt")
    model.says("NO_ANSWER")
    ask(tenant, "Has the tower a lift, and for how many people?")
    told = model.received[0].body["messages"][-1]["content"]
    assert "a lift for 4 people" in told
    assert told.count("paints") < 12


# --- Passages that the gate keeps back ------------------------------------------------------------


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gate stays shut, and not by much."""
    monkeypatch.setattr("query.pipeline.select_sources", lambda chunks, judged: ())


def test_what_a_model_finds_behind_a_shut_gate_is_an_answer_with_its_sources(tenant, model, near):
    model.says(COST)
    answer = ask(tenant, QUESTION)
    assert (answer.text, answer.outcome) == (f"{COST} [1]", Outcome.ANSWERED)
    assert [source.location for source in answer.sources] == ["paragraph 2"]


@pytest.mark.parametrize("reply", [plain("NO_ANSWER"), plain("[1]"), error(500)])
def test_a_model_that_finds_nothing_behind_a_shut_gate_changes_nothing(tenant, model, near, reply):
    model.says(reply)
    answer = ask(tenant, QUESTION)
    assert (answer.outcome, answer.sources) == (Outcome.REDIRECTED, ())
    assert COST not in answer.text


def test_what_is_clearly_about_something_else_is_not_told(tenant, model):
    model.says(COST)
    answer = ask(tenant, "Who won the cycling race in France last summer?")
    assert (answer.outcome, model.received) == (Outcome.REDIRECTED, [])


# --- A model of our own ---------------------------------------------------------------------------


@pytest.fixture
def own_model(model: ChatServer, settings, tmp_path) -> ChatServer:
    settings.LLM_IS_OWN, settings.DATA_DIR = True, tmp_path
    write_state(tmp_path, READY)
    return model


@pytest.mark.parametrize("reply", [error(500), plain(""), stream_and_break_off("A guided vis")])
def test_extraction_answers_where_a_model_of_our_own_fails(tenant, own_model, reply):
    own_model.says(reply)
    answer = ask(tenant, "How much does a guided visit cost?")
    assert answer.model == "extractive"
    assert COST in answer.text


def test_a_model_that_is_loading_is_not_asked(tenant, own_model, tmp_path):
    own_model.says(COST)
    write_state(tmp_path, LOADING)
    assert ask(tenant, QUESTION).model == "extractive"
    assert own_model.received == []
    write_state(tmp_path, READY)
    assert ask(tenant, QUESTION).model == "small-model"
