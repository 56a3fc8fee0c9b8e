"""A slow model must not take every thread, nor one tenant the model from the others."""

from __future__ import annotations

from contextlib import suppress

import pytest

from config.serving.waiting import Kind, WaitingThreads
from query.answering.model_slots import give_back, model_slot, take
from query.answers import Answer
from query.pipeline import stream_answer
from query.tests.chat_server import ChatServer, serve_chat
from query.tests.factories import LIGHTHOUSE, ask, index_texts
from query.understanding.inquiries import Inquiry

QUESTION = "How much does a guided visit cost?"


@pytest.fixture(autouse=True)
def four_slots(settings):
    settings.LLM_PARALLEL = 4


def test_a_tenant_has_half_of_the_slots_and_all_together_no_more_than_all(tenant, other_tenant):
    ids = [tenant.pk, tenant.pk, tenant.pk, other_tenant.pk, other_tenant.pk, other_tenant.pk]
    assert [take(one) for one in ids] == [True, True, False, True, True, False]
    for one in (tenant.pk, tenant.pk, other_tenant.pk, other_tenant.pk):
        give_back(one)


def test_a_slot_is_free_again_after_an_error(tenant):
    for _ in range(5):
        with suppress(ZeroDivisionError), model_slot(tenant.pk) as has_slot:
            assert has_slot
            raise ZeroDivisionError


class TestAnswers:
    @pytest.fixture
    def model(self, tenant, settings):
        index_texts(tenant, *LIGHTHOUSE)
        with serve_chat() as chat:
            settings.LLM_BASE_URL, settings.LLM_MODEL = chat.url, "stand-in"
            chat.says("A guided visit costs 7 euros [1].")
            yield chat

    def test_beyond_them_questions_are_answered_by_extraction(self, tenant, model: ChatServer):
        with model_slot(tenant.pk), model_slot(tenant.pk):
            answer = ask(tenant, QUESTION)
        assert (answer.model, model.received) == ("extractive", [])
        assert "7 euros" in answer.text
        assert ask(tenant, QUESTION).model == "stand-in"

    def test_when_too_many_threads_wait_too(self, tenant, model: ChatServer, monkeypatch):
        waiting = WaitingThreads(1)
        waiting.begin(Kind.UPLOADS)
        monkeypatch.setattr("query.answering.model_slots.waiting_threads", waiting)
        *_, answer = stream_answer(Inquiry(tenant, QUESTION))
        assert isinstance(answer, Answer)
        assert (answer.model, model.received) == ("extractive", [])
        waiting.end(Kind.UPLOADS)
        assert ask(tenant, QUESTION).model == "stand-in"

    def test_a_stream_that_is_left_gives_its_slot_back(self, tenant, model: ChatServer):
        for _ in range(5):
            events = stream_answer(Inquiry(tenant, QUESTION))
            next(events)
            next(events)
            events.close()
        assert ask(tenant, QUESTION).model == "stand-in"
