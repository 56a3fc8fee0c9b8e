"""How programs that people already have are connected: addresses to copy, and a few steps each."""

import uuid
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from agents.models import Agent
from agents.services import list_agents
from config.http.addresses import LOOPBACK_HOSTS
from dashboard.base import EVERYBODY
from dashboard.workspace.base import WorkspaceView

AGENTS_SHOWN = 50


class ElsewhereView(WorkspaceView):
    """`?agent=`: whose id stands in the examples; else the first one's."""

    allowed_roles = EVERYBODY
    tab = "workspace_programs"

    def get(self, request: HttpRequest) -> HttpResponse:
        agents = list_agents(self.tenant).order_by("name", "id")
        return self.show(
            "elsewhere.html",
            agents=agents[:AGENTS_SHOWN],
            has_more=agents.count() > AGENTS_SHOWN,
            chosen=self.find_chosen() or agents.first(),
            mcp_address=f"{settings.BASE_URL}/tenants/me/mcp",
            openai_address=f"{settings.BASE_URL}/v1",
            is_local=urlsplit(settings.BASE_URL).hostname in LOOPBACK_HOSTS,
        )

    def find_chosen(self) -> Agent | None:
        try:
            wanted = uuid.UUID(self.request.GET.get("agent", ""))
        except ValueError:
            return None
        return list_agents(self.tenant).filter(pk=wanted).first()
