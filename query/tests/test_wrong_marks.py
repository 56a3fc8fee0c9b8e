"""Answers that somebody found wrong."""

import pytest

from accounts.models import Tenant
from agents.errors import AgentNotFound
from agents.services import delete_agent
from agents.tests.factories import make_agent
from config.errors import InvalidValue, NotFound
from query.models import AnswerMark
from query.services.wrong_marks import WrongAnswer, list_marks, mark_wrong, take_back_mark
from query.tests.factories import make_mark

SOURCE = {"source_file": "prices.pdf", "page_or_row": "page 3", "section_title": "Visits"}
WRONG = WrongAnswer("How much?", "70 euros. [1]", [SOURCE], note="It is 7.")


def test_a_mark_keeps_the_answer_as_it_was_read(tenant: Tenant) -> None:
    agent = make_agent(tenant)

    mark = mark_wrong(tenant, agent.pk, WRONG, marked_by="ana@example.com")

    kept = AnswerMark.objects.for_tenant(tenant).get()
    assert (kept.pk, kept.agent_id, kept.question, kept.answer) == (
        mark.pk,
        agent.pk,
        "How much?",
        "70 euros. [1]",
    )
    assert (kept.sources, kept.note, kept.marked_by) == ([SOURCE], "It is 7.", "ana@example.com")


def test_marks_are_listed_newest_first_and_of_their_agent(tenant: Tenant) -> None:
    agent = make_agent(tenant)
    marks = [make_mark(agent) for _ in range(2)]
    make_mark(make_agent(tenant))

    assert list(list_marks(tenant, agent.pk)) == marks[::-1]


@pytest.mark.parametrize(
    "wrong",
    [
        WrongAnswer(" ", "7 euros"),
        WrongAnswer("How much?", ""),
        WrongAnswer("x" * 1001, "7 euros"),
        WrongAnswer("How much?", "x" * 20_001),
        WrongAnswer("How much?", "7 euros", note="x" * 1001),
    ],
)
def test_a_text_that_is_missing_or_too_long_is_refused(tenant: Tenant, wrong: WrongAnswer) -> None:
    with pytest.raises(InvalidValue):
        mark_wrong(tenant, make_agent(tenant).pk, wrong, marked_by="ana@example.com")


def test_of_sources_only_known_texts_are_kept(tenant: Tenant) -> None:
    given = [{"source_file": "a" * 5000, "evil": "x"}, "no object", {"page_or_row": 3}] + [{}] * 40
    wrong = WrongAnswer("How much?", "7 euros", given)

    mark = mark_wrong(tenant, make_agent(tenant).pk, wrong, marked_by="ana@example.com")

    empty = {"source_file": "", "page_or_row": "", "section_title": ""}
    assert mark.sources[:3] == [
        empty | {"source_file": "a" * 2000},
        empty,
        empty | {"page_or_row": "3"},
    ]
    assert len(mark.sources) == 20


def test_a_mark_can_be_taken_back(tenant: Tenant) -> None:
    mark = make_mark(make_agent(tenant))

    take_back_mark(tenant, mark.agent_id, mark.pk)

    assert list(AnswerMark.objects.for_tenant(tenant)) == []


def test_another_tenants_marks_and_agents_are_not_there(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    mark = make_mark(make_agent(other_tenant))

    with pytest.raises(AgentNotFound):
        mark_wrong(tenant, mark.agent_id, WRONG, marked_by="ana@example.com")
    with pytest.raises(AgentNotFound):
        list_marks(tenant, mark.agent_id)
    with pytest.raises(NotFound):
        take_back_mark(tenant, make_agent(tenant).pk, mark.pk)
    assert AnswerMark.objects.for_tenant(other_tenant).count() == 1


def test_marks_go_with_their_agent(tenant: Tenant) -> None:
    mark = make_mark(make_agent(tenant))

    delete_agent(tenant, mark.agent_id)

    assert list(AnswerMark.objects.for_tenant(tenant)) == []
