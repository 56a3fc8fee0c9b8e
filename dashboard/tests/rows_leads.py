"""Rows of the matrix: leads."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from dashboard.tests.matrix import READERS, PageRow
from query.tests.factories import make_lead

LEAD = "dashboard/leads/<uuid:lead_id>"


def a_lead(tenant: Tenant) -> Mapping[str, Any]:
    return {"lead_id": make_lead(make_agent(tenant)).pk}


ROWS: list[PageRow] = [
    PageRow("GET", "dashboard/leads", READERS),
    PageRow("GET", "dashboard/leads/export", READERS),
    PageRow("GET", LEAD, READERS, a_lead),
    PageRow("POST", f"{LEAD}/status", READERS, a_lead, {"status": "won"}),
    PageRow("POST", f"{LEAD}/assignee", READERS, a_lead, {"assignee": ""}),
    PageRow("GET", f"{LEAD}/notes", READERS, a_lead),
    PageRow("POST", f"{LEAD}/notes", READERS, a_lead, {"text": "Rang twice"}),
]
