"""Why an answer is as it is."""

from typing import Any

import pytest

from accounts.models import Tenant
from agents.tests.factories import make_agent
from query.answers import Answer
from query.explaining import Explanation, Reason, explain_answer
from query.models import Outcome
from query.pipeline import SourcesFound, find_for_text
from query.search.calibration import get_calibration
from query.search.reader.decisions import get_decisions
from query.services.asking import ask_and_explain_in_stream, ask_in_stream
from query.tests.factories import LIGHTHOUSE, index_texts
from query.understanding.inquiries import Inquiry
from sources.models import Document


def explain(tenant: Tenant, text: str, **more: Any) -> tuple[Answer, Explanation]:
    *_, answer, why = ask_and_explain_in_stream(Inquiry(tenant, text, **more))
    assert isinstance(answer, Answer)
    assert isinstance(why, Explanation)
    return answer, why


def matched(why: Explanation) -> list[list[str]]:
    return [[part.text for part in passage.parts if part.is_match] for passage in why.passages]


def test_an_answer_tells_which_passages_it_stands_on_and_which_words_matched(
    tenant: Tenant,
) -> None:
    index_texts(tenant, *LIGHTHOUSE)

    answer, why = explain(tenant, "How much does a guided visit cost?")

    best = why.passages[0]
    read = get_decisions()
    assert why.reason == Reason.CERTAIN
    assert (best.title, best.location, best.is_chosen) == ("notes.txt", "paragraph 2", True)
    assert "".join(part.text for part in best.parts) == LIGHTHOUSE[1]
    assert matched(why)[0] == ["guided", "visit", "costs"]
    assert (why.answer_threshold, why.source_threshold) == (
        read.answer_threshold,
        read.source_threshold,
    )
    assert best.relevance is not None
    assert best.relevance >= read.answer_threshold
    assert why.certainty is not None
    assert why.certainty_needed is not None
    assert why.certainty >= why.certainty_needed
    assert why.best_sentence in LIGHTHOUSE[1]
    assert len([passage for passage in why.passages if passage.is_chosen]) == len(answer.sources)


def test_a_passage_tells_where_its_document_lies_and_is_opened(tenant: Tenant) -> None:
    source = index_texts(tenant, *LIGHTHOUSE)
    Document.objects.for_tenant(tenant).filter(source=source).update(
        title="Visits", place="Handbook / Visits", link="https://drive.example/file/7"
    )

    answer, why = explain(tenant, "How much does a guided visit cost?")

    best = why.passages[0]
    assert (best.title, best.document) == ("Visits", "Handbook / Visits")
    assert best.link == "https://drive.example/file/7"
    assert answer.sources[0].source_file == "Handbook / Visits"


def test_a_refusal_tells_that_no_passage_was_relevant_enough(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)

    answer, why = explain(tenant, "Who painted the Mona Lisa?")

    assert answer.sources == ()
    assert why.reason == Reason.IRRELEVANT
    assert [passage.is_chosen for passage in why.passages] == [False] * len(LIGHTHOUSE)
    assert why.certainty is None


def test_without_documents_that_is_the_reason(tenant: Tenant) -> None:
    assert explain(tenant, "Who painted the Mona Lisa?")[1] == Explanation(
        "Who painted the Mona Lisa?",
        Reason.NOTHING_INDEXED,
        (),
        get_calibration().relevance["answer_threshold"],
        get_calibration().relevance["source_threshold"],
    )


def test_small_talk_is_said_to_be_some(tenant: Tenant) -> None:
    assert explain(tenant, "thank you!")[1].reason == Reason.SMALL_TALK


def test_a_follow_up_is_shown_as_it_was_completed(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    agent = make_agent(tenant)
    explain(tenant, "When does the lighthouse open?", agent=agent, session_id="tab 1")

    _, why = explain(tenant, "And how much does it cost?", agent=agent, session_id="tab 1")

    assert "lighthouse" in why.understood


def test_where_nothing_was_looked_for_there_is_nothing_to_show() -> None:
    answer = Answer("Thank you.", (), "extractive", Outcome.CONTACT_TAKEN)

    assert explain_answer("ana@example.com", None, answer) == Explanation(
        "ana@example.com", Reason.CONTACT_TAKEN
    )


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        (Outcome.ANSWERED, Reason.WRITTEN),
        (Outcome.UNSURE, Reason.DECLINED),
        (Outcome.FAILED, Reason.MODEL_FAILED),
    ],
)
def test_what_a_language_model_wrote_is_said_to_be_its(
    tenant: Tenant, outcome: Outcome, reason: Reason
) -> None:
    index_texts(tenant, *LIGHTHOUSE)
    findings = find_for_text(tenant, "How much does a guided visit cost?")

    why = explain_answer("…", findings, Answer("", findings.sources, "a-model", outcome))

    assert (why.reason, why.certainty, why.best_sentence) == (reason, None, "")


def test_whoever_does_not_ask_why_is_not_told(tenant: Tenant) -> None:
    index_texts(tenant, *LIGHTHOUSE)

    events = list(ask_in_stream(Inquiry(tenant, "How much does a guided visit cost?")))

    assert isinstance(events[0], SourcesFound)
    assert isinstance(events[-1], Answer)
