"""Rows of the matrix: notifications."""

from collections.abc import Mapping
from typing import Any

from accounts.models import Tenant
from agents.tests.factories import make_agent
from dashboard.tests.matrix import READERS, PageRow
from query.tests.factories import make_lead, make_notification

ONE = "dashboard/notifications/<uuid:notification_id>"


def a_notification(tenant: Tenant) -> Mapping[str, Any]:
    return {"notification_id": make_notification(make_lead(make_agent(tenant))).pk}


ROWS: list[PageRow] = [
    PageRow("GET", "dashboard/notifications", READERS),
    PageRow("GET", "dashboard/notifications/bell", READERS),
    PageRow("POST", "dashboard/notifications/read", READERS),
    PageRow("GET", "dashboard/notifications/mails", READERS),
    PageRow("POST", "dashboard/notifications/mails", READERS, body={"kinds": ["lead"]}),
    PageRow("POST", f"{ONE}/read", READERS, a_notification),
    PageRow("POST", f"{ONE}/open", READERS, a_notification),
]
