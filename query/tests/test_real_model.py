"""The path of a language model with a real one behind a real server. What it writes is its own and
mostly wrong: what is shown of it must be borne out all the same."""

from collections.abc import Iterator

import pytest

from accounts.models import Tenant
from query.answering.checking.marks import read_marks
from query.answering.checking.support import CheckedPassage, find_support
from query.answering.llm import chat
from query.answering.redirecting import FALLBACK
from query.answers import Answer
from query.models import Outcome
from query.pipeline import Piece, stream_answer
from query.tests.factories import LIGHTHOUSE, ask, index_texts
from query.tests.model_server import MODEL_NAME, serve_model
from query.understanding.inquiries import Inquiry

pytestmark = pytest.mark.slow

QUESTION = "How much does a guided visit to the lighthouse cost?"


@pytest.fixture(scope="module")
def model_url() -> Iterator[str]:
    with serve_model() as url:
        yield url


@pytest.fixture(autouse=True)
def model(db, settings, monkeypatch: pytest.MonkeyPatch, model_url: str) -> None:
    settings.LLM_BASE_URL = model_url
    settings.LLM_MODEL = MODEL_NAME
    settings.LLM_TIMEOUT = 100
    monkeypatch.setattr("query.answering.llm.MAX_TOKENS", 60)


def is_honest(answer: Answer) -> bool:
    if answer.outcome == Outcome.FAILED:  # cut off before a sentence ended
        return answer.text == FALLBACK and len(answer.sources) > 0
    if answer.outcome == Outcome.UNSURE:
        return "7 euros" in answer.text and len(answer.sources) > 0
    passages = [CheckedPassage("notes.txt", source.text, "en") for source in answer.sources]
    sentences = [read_marks(line).text for line in answer.text.splitlines() if line]
    return answer.outcome == Outcome.ANSWERED and all(
        find_support(sentence, "en", [], passages, asked=QUESTION) for sentence in sentences
    )


@pytest.mark.parametrize("streams", [False, True])
def test_it_is_understood_streamed_or_whole(streams):
    messages = [{"role": "user", "content": "Say hello to the visitors of our lighthouse."}]
    assert "lighthouse" in "".join(chat(messages, streams=streams)).lower()


def test_what_is_shown_of_its_answer_is_borne_out(tenant: Tenant):
    index_texts(tenant, *LIGHTHOUSE)
    answer = ask(tenant, QUESTION)
    assert is_honest(answer)
    assert answer.model == MODEL_NAME


def test_its_stream_says_what_the_answer_says(tenant: Tenant):
    index_texts(tenant, *LIGHTHOUSE)
    *events, answer = stream_answer(Inquiry(tenant, QUESTION))
    assert isinstance(answer, Answer)
    assert "".join(event.text for event in events if isinstance(event, Piece)) == answer.text
    assert is_honest(answer)
