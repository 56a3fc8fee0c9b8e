"""Pages to look through the stored conversations."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse

from agents.services import list_agents
from dashboard.base import READERS, DashboardView
from dashboard.conversations.forms import ConversationFilters
from dashboard.paging import keyset_page
from query.services.conversations import (
    describe_conversations,
    find_lead_of,
    get_conversation,
    list_channels,
    list_conversations,
    list_messages,
)

MESSAGES_A_PAGE = 100


class ConversationsView(DashboardView):
    allowed_roles = READERS
    section = "conversations"

    def get(self, request: HttpRequest) -> HttpResponse:
        agents = list(list_agents(self.tenant))
        filters = ConversationFilters(request.GET, agents=agents, channels=list_channels(agents))
        filters.is_valid()
        given = filters.cleaned_data
        conversations = list_conversations(
            self.tenant,
            words=given.get("words", ""),
            agent_id=uuid.UUID(given["agent"]) if given.get("agent") else None,
            channel=given.get("channel", ""),
            outcome=given.get("outcome", ""),
        )
        page = keyset_page(request, conversations, owner=self.tenant)
        return self.render(
            "conversations/conversations.html",
            status=200 if filters.is_valid() else 400,
            filters=filters,
            is_narrowed=any(given.values()),
            page=page,
            lines=describe_conversations(self.tenant, page.rows),
            keeps_any=any(agent.store_transcripts for agent in agents),
        )


class ConversationView(DashboardView):
    """Newest page first, and each page in the order in which it was said."""

    allowed_roles = READERS
    section = "conversations"

    def get(self, request: HttpRequest, conversation_id: uuid.UUID) -> HttpResponse:
        conversation = get_conversation(self.tenant, conversation_id)
        messages = list_messages(self.tenant, conversation)
        page = keyset_page(request, messages, owner=self.tenant, size=MESSAGES_A_PAGE)
        return self.render(
            "conversations/conversation.html",
            conversation=conversation,
            page=page,
            messages_said=page.rows[::-1],
            lead=find_lead_of(self.tenant, conversation),
        )
