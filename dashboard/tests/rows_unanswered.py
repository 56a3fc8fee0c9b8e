"""Rows of the matrix: unanswered questions, and the company's own answers."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from dashboard.tests.matrix import ADMINS, READERS, PageRow
from query.models import Outcome
from query.tests.factories import make_conversation, make_group, make_message
from sources.tests.factories import make_entry

ANSWER = {"question": "Do you rent boats?", "answer": "Yes, by the hour."}
GROUP = "dashboard/unanswered/<uuid:group_id>"
ENTRY = "dashboard/unanswered/entries/<uuid:entry_id>"


def a_group(tenant: Tenant) -> Mapping[str, Any]:
    asked = make_message(make_conversation(make_agent(tenant)), outcome=Outcome.REDIRECTED)
    return {"group_id": make_group(tenant, asked).pk}


def an_entry(tenant: Tenant) -> Mapping[str, Any]:
    return {"entry_id": make_entry(tenant).pk}


ROWS: list[PageRow] = [
    PageRow("GET", "dashboard/unanswered", READERS),
    PageRow("GET", GROUP, READERS, a_group),
    PageRow("POST", GROUP, ADMINS, a_group, ANSWER),
    PageRow("POST", f"{GROUP}/dismiss", READERS, a_group),
    PageRow("POST", f"{GROUP}/reopen", READERS, a_group),
    PageRow("GET", "dashboard/unanswered/entries", READERS),
    PageRow("GET", "dashboard/unanswered/entries/state", READERS),
    PageRow("GET", "dashboard/unanswered/entries/add", ADMINS),
    PageRow("POST", "dashboard/unanswered/entries/add", ADMINS, body=ANSWER),
    PageRow("GET", ENTRY, ADMINS, an_entry),
    PageRow("POST", ENTRY, ADMINS, an_entry, ANSWER),
    PageRow("POST", f"{ENTRY}/delete", ADMINS, an_entry, {"word": "delete"}),
]
