"""Questions that were not answered: put together, answered by hand, gone with their last message.
With the real embedding model."""

from __future__ import annotations

from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import DatabaseError
from django.utils import timezone

from accounts.models import Tenant
from agents.models import Agent
from agents.scope import scope_of
from agents.services import delete_agent
from agents.tests.factories import make_agent
from config.errors import Conflict, NotFound
from query.conversations import grouping
from query.conversations.erasure import erase_session
from query.conversations.grouping import clarity
from query.conversations.transcripts import purge
from query.models import Message, Outcome, QuestionGroup
from query.search.retrieval import read_question
from query.services.unanswered import (
    GroupState,
    answer_group,
    dismiss_group,
    get_group,
    list_groups,
    list_questions,
    reopen_group,
    title_groups,
)
from query.tests.factories import (
    LIGHTHOUSE,
    ask,
    index_texts,
    make_conversation,
    make_group,
    make_message,
)
from sources.models import Entry, SyncStatus
from sources.services.entries import delete_entry, find_entries_source
from sources.syncing.sync import sync_to_end
from sources.tests.conftest import stored_files  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("stored_files")

DOGS = "Are dogs allowed on the ferry to the island?"
DOGS_TOO = "Do you allow dogs on the ferry to the island?"
MONA_LISA = "Who painted the Mona Lisa?"


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt")
    return make_agent(tenant, store_transcripts=True)


def titles(tenant: Tenant, state: GroupState = GroupState.OPEN) -> list[tuple[str, int]]:
    groups = list(list_groups(tenant, state))
    found = title_groups(tenant, [group.pk for group in groups])
    return [(found[group.pk], vars(group)["asked_count"]) for group in groups]


def read_entries(tenant: Tenant) -> None:
    """What a worker does with them."""
    source = find_entries_source(tenant)
    assert source is not None
    assert source.sync_run_id is not None
    sync_to_end(tenant, source.pk, run_id=source.sync_run_id)
    source.refresh_from_db()
    assert source.sync_status == SyncStatus.SYNCED, source.error_message


# --- Putting together -----------------------------------------------------------------------------


def test_paraphrases_are_one_group_and_others_another_most_often_asked_first(agent: Agent) -> None:
    for number, question in enumerate((MONA_LISA, DOGS, DOGS_TOO)):
        assert ask(agent.tenant, question, agent, str(number)).outcome != Outcome.ANSWERED

    assert titles(agent.tenant) == [(DOGS_TOO, 2), (MONA_LISA, 1)]


def test_what_was_answered_is_in_no_group(agent: Agent) -> None:
    assert ask(agent.tenant, "How much is a guided visit?", agent).outcome == Outcome.ANSWERED
    ask(agent.tenant, "Hello there!", agent)

    assert QuestionGroup.objects.for_tenant(agent.tenant).count() == 0


def test_an_agent_that_keeps_no_transcripts_leaves_no_group(tenant: Tenant) -> None:
    ask(tenant, DOGS, make_agent(tenant))
    ask(tenant, DOGS)

    assert QuestionGroup.objects.for_tenant(tenant).count() == 0


def test_questions_of_two_companies_never_meet(agent: Agent, other_tenant: Tenant) -> None:
    ask(agent.tenant, DOGS, agent)
    ask(other_tenant, DOGS, make_agent(other_tenant, store_transcripts=True))

    assert titles(agent.tenant) == [(DOGS, 1)]
    assert titles(other_tenant) == [(DOGS, 1)]


def test_the_answer_is_given_and_kept_though_it_cannot_be_grouped(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise DatabaseError("Failing row contains: dogs")

    monkeypatch.setattr(grouping, "find_group", fail)

    answer = ask(agent.tenant, DOGS, agent)

    message = Message.objects.for_tenant(agent.tenant).get()
    assert (message.answer, message.group_id) == (answer.text, None)
    assert f"message {message.pk} was not grouped: DatabaseError" in caplog.text
    assert "dogs" not in caplog.text


def test_the_vector_that_searched_is_the_one_that_groups(agent: Agent) -> None:
    with patch("query.pipeline.read_question", wraps=read_question) as read:
        ask(agent.tenant, DOGS, agent)

    assert read.call_count == 1


@pytest.mark.parametrize(
    ("clear", "less_clear"),
    [
        ("Are dogs allowed on the ferry?", "dogs ferry"),
        ("¿Se puede ir con perro?", "perro"),
        ("Are dogs allowed?", " ".join(["and so I said to my sister"] * 9)),
    ],
)
def test_a_whole_question_is_clearer(clear: str, less_clear: str) -> None:
    assert clarity(clear) > clarity(less_clear)


# --- Setting aside --------------------------------------------------------------------------------


def test_a_dismissed_group_is_out_of_sight_with_its_like_until_it_is_taken_back(
    agent: Agent,
) -> None:
    ask(agent.tenant, MONA_LISA, agent)
    group = list_groups(agent.tenant).get()

    dismiss_group(agent.tenant, group.pk)
    ask(agent.tenant, MONA_LISA, agent)

    assert titles(agent.tenant) == []
    assert titles(agent.tenant, GroupState.DISMISSED) == [(MONA_LISA, 2)]
    reopen_group(agent.tenant, group.pk)
    assert titles(agent.tenant) == [(MONA_LISA, 2)]


# --- Answering ------------------------------------------------------------------------------------


def test_what_is_answered_by_hand_is_answered_from_then_on(agent: Agent) -> None:
    tenant = agent.tenant
    assert ask(tenant, DOGS, agent).outcome != Outcome.ANSWERED
    group = list_groups(tenant).get()
    answer = "Yes. Dogs travel free of charge, on a lead and on the outer deck."

    entry = answer_group(tenant, group.pk, question=DOGS, answer=answer, by="ana@acme.example")
    read_entries(tenant)

    asked_again = ask(tenant, DOGS, agent)
    assert asked_again.outcome == Outcome.ANSWERED
    assert answer in asked_again.text
    assert asked_again.sources[0].source_file == "Preguntas y respuestas.md"
    assert ask(tenant, DOGS_TOO, agent).outcome == Outcome.ANSWERED
    assert titles(tenant, GroupState.ANSWERED) == [(DOGS, 1)]
    assert (entry.created_by, titles(tenant)) == ("ana@acme.example", [])


def test_an_agent_with_a_scope_answers_from_it_too(tenant: Tenant) -> None:
    harbour = index_texts(tenant, "The harbour office opens at six.", name="harbour.txt")
    scoped = make_agent(tenant, harbour, store_transcripts=True)
    untouched = make_agent(tenant, harbour)
    ask(tenant, DOGS, scoped)

    group = list_groups(tenant).get()
    answer_group(tenant, group.pk, question=DOGS, answer="Yes, they are allowed.", by="ana@a.es")
    read_entries(tenant)

    source = find_entries_source(tenant)
    assert source is not None
    assert set(scope_of(tenant, scoped) or ()) == {harbour.pk, source.pk}
    assert scope_of(tenant, untouched) == [harbour.pk]
    assert "they are allowed" in ask(tenant, DOGS, scoped).text


def test_a_group_is_answered_once(agent: Agent) -> None:
    ask(agent.tenant, DOGS, agent)
    group = list_groups(agent.tenant).get()
    answer_group(agent.tenant, group.pk, question=DOGS, answer="Yes.", by="a@a.es")

    with pytest.raises(Conflict):
        answer_group(agent.tenant, group.pk, question="Dogs?", answer="No.", by="a@a.es")

    assert Entry.objects.for_tenant(agent.tenant).count() == 1


def test_a_group_is_open_again_when_its_answer_is_deleted(agent: Agent) -> None:
    ask(agent.tenant, DOGS, agent)
    group = list_groups(agent.tenant).get()
    entry = answer_group(agent.tenant, group.pk, question=DOGS, answer="Yes.", by="a@a.es")

    delete_entry(agent.tenant, entry.pk)

    assert titles(agent.tenant) == [(DOGS, 1)]


def test_what_is_asked_in_vain_again_though_answered_is_a_new_group(agent: Agent) -> None:
    ask(agent.tenant, DOGS, agent)
    group = list_groups(agent.tenant).get()
    answer_group(agent.tenant, group.pk, question=DOGS, answer="Yes.", by="a@a.es")

    ask(agent.tenant, DOGS, agent)  # before the entry has been read

    assert titles(agent.tenant) == [(DOGS, 1)]
    assert titles(agent.tenant, GroupState.ANSWERED) == [(DOGS, 1)]


# --- Going ----------------------------------------------------------------------------------------


def test_a_group_goes_with_the_last_of_its_questions(agent: Agent) -> None:
    tenant = agent.tenant
    ask(tenant, DOGS, agent, "s")
    ask(tenant, DOGS_TOO, agent, "t")
    group = list_groups(tenant).get()

    assert erase_session(tenant, "t").counts["question_groups"] == 0
    assert titles(tenant) == [(DOGS, 1)]
    assert erase_session(tenant, "s").counts["question_groups"] == 1
    with pytest.raises(NotFound):
        get_group(tenant, group.pk)
    assert QuestionGroup.objects.for_tenant(tenant).count() == 0


def test_a_group_goes_when_its_questions_are_past_their_days(agent: Agent) -> None:
    ask(agent.tenant, DOGS, agent)

    purge(timezone.now() + timedelta(days=31))

    assert QuestionGroup.objects.for_tenant(agent.tenant).count() == 0


def test_a_group_is_not_seen_without_questions_and_goes_with_the_next_purge(agent: Agent) -> None:
    ask(agent.tenant, DOGS, agent)

    delete_agent(agent.tenant, agent.pk)

    assert list(list_groups(agent.tenant)) == []
    assert purge(timezone.now()) == 1


# --- Looking --------------------------------------------------------------------------------------


def test_another_tenants_group_is_not_there(agent: Agent, other_tenant: Tenant) -> None:
    ask(agent.tenant, DOGS, agent)
    group = list_groups(agent.tenant).get()

    for touch in (get_group, dismiss_group, reopen_group):
        with pytest.raises(NotFound):
            touch(other_tenant, group.pk)
    with pytest.raises(NotFound):
        answer_group(other_tenant, group.pk, question="?", answer="!", by="a@a.es")
    assert Entry.objects.for_tenant(other_tenant).count() == 0


def test_a_groups_questions_are_listed_newest_first_with_who_was_asked(agent: Agent) -> None:
    conversation = make_conversation(agent)
    first, second = (make_message(conversation, question=text) for text in (DOGS, DOGS_TOO))
    group = make_group(agent.tenant, first, second)

    asked = list(list_questions(agent.tenant, group))

    assert [message.question for message in asked] == [DOGS_TOO, DOGS]
    assert asked[0].conversation.agent == agent
