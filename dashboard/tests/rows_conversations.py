"""Rows of the matrix: conversations."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from dashboard.tests.matrix import READERS, PageRow
from query.tests.factories import make_conversation, make_message


def a_conversation(tenant: Tenant) -> Mapping[str, Any]:
    conversation = make_conversation(make_agent(tenant))
    make_message(conversation)
    return {"conversation_id": conversation.pk}


ROWS: list[PageRow] = [
    PageRow("GET", "dashboard/conversations", READERS),
    PageRow("GET", "dashboard/conversations/<uuid:conversation_id>", READERS, a_conversation),
]
