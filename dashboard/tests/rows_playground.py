"""The pages of the playground."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from dashboard.tests.matrix import EVERYBODY, READERS, PageRow
from query.tests.factories import make_mark

AGENT = "dashboard/agents/<uuid:agent_id>"


def an_agent(tenant: Tenant) -> Mapping[str, Any]:
    return {"agent_id": make_agent(tenant).pk}


def a_mark(tenant: Tenant) -> Mapping[str, Any]:
    mark = make_mark(make_agent(tenant))
    return {"agent_id": mark.agent_id, "mark_id": mark.pk}


QUESTION = {"question": "How much is a visit?", "session": "0123456789abcdef"}
WRONG = {"question": "How much is a visit?", "answer": "70 euros. [1]", "sources": "[]"}

ROWS = [
    PageRow("GET", f"{AGENT}/playground", EVERYBODY, an_agent),
    PageRow("POST", f"{AGENT}/playground/ask", EVERYBODY, an_agent, body=QUESTION),
    PageRow("POST", f"{AGENT}/playground/wrong", EVERYBODY, an_agent, body=WRONG),
    PageRow("GET", f"{AGENT}/marks", READERS, an_agent),
    PageRow("POST", f"{AGENT}/marks/<uuid:mark_id>/take-back", READERS, a_mark, body={}),
]
