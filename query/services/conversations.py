"""Conversations that are kept, as their company's people look through them."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.postgres.search import SearchQuery
from django.db.models import Count

from accounts.models import Tenant
from accounts.models.tenancy import TenantQuerySet
from agents.models import Agent
from config.database.acting import over_all_tenants
from config.errors import NotFound
from query.models import ACCENTED, API, PLAIN, Conversation, Lead, Message, Outcome, searched_words

SEARCH_MAX_CHARS = 200
FOUND_MAX = 100_000  # conversations that hold what is searched for; others are not shown
# Which of a conversation's outcomes says how it went: the first that one of its messages has.
WORST_FIRST = (
    Outcome.REDIRECTED,
    Outcome.FAILED,
    Outcome.UNSURE,
    Outcome.ANSWERED,
    Outcome.CONTACT_TAKEN,
    Outcome.SMALL_TALK,
)
QUOTING = re.compile(r"['\\\0]")  # has a meaning inside a quoted word of a tsquery
UNACCENTED = str.maketrans(ACCENTED, PLAIN)


@dataclass(frozen=True)
class ConversationLine:
    """A line of the list. `outcome`: the worst outcome of its messages; None when the last
    is gone."""

    conversation: Conversation
    first_question: str
    messages_count: int
    outcome: Outcome | None


def list_conversations(
    tenant: Tenant,
    *,
    words: str = "",
    agent_id: uuid.UUID | None = None,
    channel: str = "",
    outcome: str = "",
) -> TenantQuerySet[Conversation]:
    """Conversations with their agents, the one with the newest message first. `words`: a question
    or its answer holds each of them, or a word that begins with it. `outcome`: of any message."""
    conversations = Conversation.objects.for_tenant(tenant).select_related("agent")
    if agent_id is not None:
        conversations = conversations.filter(agent=agent_id)
    if channel:
        conversations = conversations.filter(channel=channel)
    messages = Message.objects.for_tenant(tenant)
    if outcome:
        messages = messages.filter(outcome=outcome)
    if words.strip():
        conversations = conversations.filter(pk__in=find_words(messages, words))
    elif outcome:
        conversations = conversations.filter(pk__in=messages.order_by().values("conversation"))
    return conversations.order_by("-last_message_at", "-id")


@over_all_tenants()
def find_words(messages: TenantQuerySet[Message], words: str) -> list[uuid.UUID]:
    """Ids of the conversations in which one of `messages` holds these words.

    Over all tenants: behind a policy PostgreSQL reads each message of the tenant instead of the
    index of words, for their comparison might tell of others' (2 s of 20,000). `messages` are the
    tenant's, and what is shown of the conversations is read as the tenant.
    """
    found = matching(messages, words).order_by().values_list("conversation_id", flat=True)
    return list(found.distinct()[:FOUND_MAX])


def matching(messages: TenantQuerySet[Message], words: str) -> TenantQuerySet[Message]:
    found = QUOTING.sub(" ", words[:SEARCH_MAX_CHARS].translate(UNACCENTED)).split()
    if not found:
        return messages.none()
    # Quoted, a word is read as the index reads its text: «ana@acme.es» is one.
    wanted = SearchQuery(
        " & ".join(f"'{word}':*" for word in found), config="simple", search_type="raw"
    )
    return messages.annotate(searched=searched_words()).filter(searched=wanted)


def describe_conversations(
    tenant: Tenant, conversations: Sequence[Conversation]
) -> list[ConversationLine]:
    """A line for each conversation, in their order. Two queries."""
    messages = Message.objects.for_tenant(tenant).filter(conversation__in=conversations)
    first = dict(
        messages.order_by("conversation_id", "created_at", "id")
        .distinct("conversation_id")
        .values_list("conversation_id", "question")
    )
    counts: dict[uuid.UUID, dict[str, int]] = {}
    rows = messages.order_by().values_list("conversation_id", "outcome").annotate(n=Count("id"))
    for conversation_id, outcome, count in rows:
        counts.setdefault(conversation_id, {})[outcome] = count
    return [
        ConversationLine(
            one,
            first_question=first.get(one.pk, ""),
            messages_count=sum(counts.get(one.pk, {}).values()),
            outcome=next((each for each in WORST_FIRST if each in counts.get(one.pk, {})), None),
        )
        for one in conversations
    ]


def get_conversation(tenant: Tenant, conversation_id: uuid.UUID) -> Conversation:
    """The conversation, with its agent. Raises NotFound."""
    conversations = Conversation.objects.for_tenant(tenant).select_related("agent")
    found = conversations.filter(pk=conversation_id).first()
    if found is None:
        raise NotFound("This conversation is no longer kept.")
    return found


def list_messages(tenant: Tenant, conversation: Conversation) -> TenantQuerySet[Message]:
    """The conversation's messages, newest first."""
    messages = Message.objects.for_tenant(tenant).filter(conversation=conversation)
    return messages.order_by("-created_at", "-id")


def find_lead_of(tenant: Tenant, conversation: Conversation) -> Lead | None:
    """The lead that the conversation's session left, if any."""
    if not conversation.session_id:
        return None
    return (
        Lead.objects.for_tenant(tenant)
        .filter(
            agent=conversation.agent_id,
            channel=conversation.channel,
            session_id=conversation.session_id,
        )
        .first()
    )


def keeps_transcripts(tenant: Tenant) -> bool:
    """Tells whether any agent keeps transcripts, so that there will be something to see."""
    return Agent.objects.for_tenant(tenant).filter(store_transcripts=True).exists()


def list_channels(agents: Iterable[Agent]) -> list[str]:
    """The channels that these agents can be asked on, for a filter to offer."""
    return [API, *sorted({channel for agent in agents for channel in agent.active_channels})]
