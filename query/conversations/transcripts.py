"""Conversations that an agent's company wants to read, for as many days as the agent says."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import DatabaseError, models, transaction
from django.db.models import Exists, OuterRef
from django.db.models.expressions import Combinable

from accounts.leaving.expiry import delete_in_batches
from agents.models import Agent
from query.answers import Answer
from query.conversations.grouping import group_question
from query.models import Conversation, Message, QuestionGroup
from query.search.candidates import Question, RetrievedChunk
from query.understanding.inquiries import Inquiry

logger = logging.getLogger(__name__)


def keep_transcript(inquiry: Inquiry, answer: Answer, asked: Question | None = None) -> None:
    """Keeps the question and its answer, for agents that store transcripts. `asked`: the question
    as it was searched for; an unanswered one joins the group of those that asked the same.

    An answer that was written is given, also when its transcript cannot be: the agent was deleted
    meanwhile, or the database failed just now. The log says so, without a word of it.
    """
    agent = inquiry.agent
    if agent is None or not agent.store_transcripts:
        return
    try:
        with transaction.atomic():
            message = write_message(inquiry, agent, answer)
    except DatabaseError as error:
        kind = type(error).__name__
        logger.error("a transcript of agent %s was not kept: %s", agent.pk, kind)
        return
    if asked is not None:
        group_question(message, asked)


def write_message(inquiry: Inquiry, agent: Agent, answer: Answer) -> Message:
    conversation = open_conversation(inquiry, agent)
    message = Message.objects.for_tenant(inquiry.tenant).create(
        conversation=conversation,
        question=inquiry.text,
        answer=answer.text,
        outcome=answer.outcome,
        model=answer.model,
        sources=[shown(chunk) for chunk in answer.sources],
    )
    conversation.last_message_at = message.created_at
    conversation.save(update_fields=["last_message_at"])
    return message


def open_conversation(inquiry: Inquiry, agent: Agent) -> Conversation:
    """The conversation of the session, made at its first message; without a session, a new one.

    Locked, so that the purge does not take it for empty before the message is in it. One that the
    purge deleted while we waited is made again.
    """
    conversations = Conversation.objects.for_tenant(inquiry.tenant)
    if not inquiry.session_id:
        return conversations.create(agent=agent, channel=inquiry.channel)
    while True:
        found, _ = conversations.get_or_create(
            agent=agent, channel=inquiry.channel, session_id=inquiry.session_id
        )
        locked = conversations.select_for_update(no_key=True).filter(pk=found.pk).first()
        if locked is not None:
            return locked


def shown(chunk: RetrievedChunk) -> dict[str, str]:
    """The passage's place, named as in the API."""
    return {"source_file": chunk.source_file, "page_or_row": chunk.location}


# --- Purging --------------------------------------------------------------------------------------


def purge(now: datetime) -> int:
    """Deletes transcripts that are older than their agent keeps them, by its present setting, in
    every tenant; then the conversations, and the groups of questions, that are empty. Returns how
    many rows went. Safe to stop anywhere, and to run beside another."""
    gone = sum(delete_in_batches(rows) for agent in keeping_agents() for rows in ended(agent, now))
    return gone + delete_in_batches(QuestionGroup.all_tenants.filter(has_no_questions()))


def has_no_questions() -> Combinable:
    """A condition on QuestionGroup: no message is left in it, also because its agent
    was deleted."""
    return ~Exists(Message.all_tenants.filter(group=OuterRef("pk")))


def keeping_agents() -> Iterator[Agent]:
    """Agents with conversations, also those that no longer store them: what they stored expires all
    the same."""
    conversations = Conversation.all_tenants.filter(agent=OuterRef("pk"))
    agents = Agent.all_tenants.select_related("tenant").filter(Exists(conversations))
    return agents.order_by("pk").iterator()


def ended(agent: Agent, now: datetime) -> Iterator[models.QuerySet[Message | Conversation]]:
    """The agent's messages whose time is over, then its empty conversations. Sub-selects instead of
    joins: delete_in_batches locks the rows of all joined tables."""
    before = now - timedelta(days=agent.transcript_retention_days)
    conversations = Conversation.objects.for_tenant(agent.tenant).filter(agent=agent)
    messages = Message.objects.for_tenant(agent.tenant)
    yield messages.filter(conversation__in=conversations.order_by(), created_at__lt=before)
    yield conversations.filter(~Exists(messages.filter(conversation=OuterRef("pk"))))
