"""Conversations that an agent's company wants to read, for as many days as the agent says."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.db import DatabaseError, models, transaction
from django.db.models import Exists, OuterRef

from accounts.expiry import delete_in_batches
from agents.models import Agent
from query.answers import Answer
from query.models import Conversation, Message
from query.search.candidates import RetrievedChunk
from query.understanding.inquiries import Inquiry

logger = logging.getLogger(__name__)


def keep_transcript(inquiry: Inquiry, answer: Answer) -> None:
    """Only for agents that store transcripts.

    An answer that was written is given, also when its transcript cannot be: the agent was deleted
    meanwhile, or the database failed just now. The log says so, without a word of it.
    """
    agent = inquiry.agent
    if agent is None or not agent.store_transcripts:
        return
    try:
        with transaction.atomic():
            Message.objects.for_tenant(inquiry.tenant).create(
                conversation=open_conversation(inquiry, agent),
                question=inquiry.text,
                answer=answer.text,
                outcome=answer.outcome,
                model=answer.model,
                sources=[shown(chunk) for chunk in answer.sources],
            )
    except DatabaseError as error:
        kind = type(error).__name__
        logger.error("a transcript of agent %s was not kept: %s", agent.pk, kind)


def open_conversation(inquiry: Inquiry, agent: Agent) -> Conversation:
    """The session's, made at its first message; one of its own without a session.

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
    """As the API names them."""
    return {"source_file": chunk.source_file, "page_or_row": chunk.location}


# --- Purging --------------------------------------------------------------------------------------


def purge(now: datetime) -> int:
    """Deletes what is older than its agent keeps it, as the agent says now, in every tenant; then
    the conversations that are empty. How many rows went. Safe to stop anywhere, and to run beside
    another.
    """
    return sum(delete_in_batches(rows) for agent in keeping_agents() for rows in ended(agent, now))


def keeping_agents() -> Iterator[Agent]:
    """Also those that store no more: what they stored ends all the same."""
    conversations = Conversation.all_tenants.filter(agent=OuterRef("pk"))
    agents = Agent.all_tenants.select_related("tenant").filter(Exists(conversations))
    return agents.order_by("pk").iterator()


def ended(agent: Agent, now: datetime) -> Iterator[models.QuerySet[Message | Conversation]]:
    """Sub-selects instead of joins: delete_in_batches locks the rows of all joined tables."""
    before = now - timedelta(days=agent.transcript_retention_days)
    conversations = Conversation.objects.for_tenant(agent.tenant).filter(agent=agent)
    messages = Message.objects.for_tenant(agent.tenant)
    yield messages.filter(conversation__in=conversations.order_by(), created_at__lt=before)
    yield conversations.filter(~Exists(messages.filter(conversation=OuterRef("pk"))))
