"""Agents: the list, one agent, its settings and its sources."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from agents import services
from agents.errors import ScopeWouldBeEmpty
from agents.models import Agent
from agents.scope import ScopeKind, list_chosen, list_not_chosen
from agents.services import get_agent
from config.errors import Conflict, ServiceError
from dashboard.agents.forms import AgentForm, NewAgentForm
from dashboard.base import ADMINS, EVERYBODY, READERS, DashboardView
from dashboard.kinds import name_channel
from query.services.mail_stops import is_stopped

AGENTS_A_PAGE = 50
SOURCES_A_PAGE = 50
SOURCES_FOUND = 50
SEARCH_MAX_CHARS = 200


class AgentsView(DashboardView):
    allowed_roles = EVERYBODY
    section = "agents"

    def get(self, request: HttpRequest) -> HttpResponse:
        agents = services.list_agents_with_scope(self.tenant)
        page = Paginator(agents, AGENTS_A_PAGE).get_page(request.GET.get("page"))
        for agent in page.object_list:
            agent.channel_labels = name_channels(agent)  # type: ignore[attr-defined]
        return self.render("agents/agents.html", page=page)


def name_channels(agent: Agent) -> list[str]:
    return [name_channel(kind) for kind in agent.active_channels]


class NewAgentView(DashboardView):
    allowed_roles = ADMINS
    section = "agents"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.render("agents/new.html", form=NewAgentForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = NewAgentForm(request.POST)
        if form.is_valid():
            try:
                agent = services.create_agent(self.tenant, **form.cleaned_data)
            except ServiceError as error:
                form.add_problem(error)
            else:
                said = _("Agent “%(name)s” created. Try it, then connect it to a channel.")
                return self.go_to("agent", agent.pk, said=said % {"name": agent.name})
        return self.render("agents/new.html", status=400, form=form)


class AgentPageView(DashboardView):
    allowed_roles = EVERYBODY
    section = "agents"

    def get(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        scope_size = list_chosen(self.tenant, agent).count() if agent.is_scoped else None
        return self.render(
            "agents/agent.html",
            agent=agent,
            tab="agent",
            channels=name_channels(agent),
            scope_size=scope_size,
            is_stopped=is_stopped(self.tenant, agent.lead_notification_email),
        )


class AgentSettingsView(DashboardView):
    allowed_roles = ADMINS
    section = "agents"

    def get(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        return self.show(agent, AgentForm.of(agent))

    def post(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        form = AgentForm(request.POST)
        if form.is_valid():
            try:
                services.update_agent(
                    self.tenant,
                    agent.pk,
                    name=form.cleaned_data["name"],
                    empties=form.empties,
                    **form.settings,
                )
            except ServiceError as error:
                form.add_problem(error)
            else:
                return self.go_to("agent_settings", agent.pk, said=_("Saved."))
        return self.show(agent, form, status=400)

    def show(self, agent: Agent, form: AgentForm, *, status: int = 200) -> HttpResponse:
        return self.render(
            "agents/settings.html", status=status, agent=agent, tab="settings", form=form
        )


class DeleteAgentView(DashboardView):
    allowed_roles = ADMINS
    section = "agents"

    def post(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        if request.POST.get("name", "").strip() != agent.name:
            messages.error(request, _("Nothing was deleted: the name does not match."))
            return self.go_to("agent_settings", agent.pk)
        services.delete_agent(self.tenant, agent.pk)
        return self.go_to("agents", said=_("“%(name)s” was deleted.") % {"name": agent.name})


# --- Its sources ----------------------------------------------------------------------------------


class ScopeView(DashboardView):
    """Shows all sources, or the chosen ones; `q` finds others by name. To htmx it answers with the
    found sources alone."""

    allowed_roles = READERS
    section = "agents"

    def get(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        found = self.find(request, agent)
        if request.headers.get("HX-Target") == "found":
            return self.render_part("agents/found.html", agent=agent, **found)
        return self.show(agent, **found)

    def find(self, request: HttpRequest, agent: Agent) -> dict[str, Any]:
        query = request.GET.get("q", "").replace("\0", "").strip()[:SEARCH_MAX_CHARS]
        sources = list_not_chosen(self.tenant, agent).filter(name__icontains=query)
        found = sources.only("id", "tenant_id", "name", "source_type")[: SOURCES_FOUND + 1]
        return {
            "query": query,
            "found": list(found)[:SOURCES_FOUND],
            "has_more": len(found) > SOURCES_FOUND,
        }

    def show(self, agent: Agent, **found: Any) -> HttpResponse:
        chosen = list_chosen(self.tenant, agent).only("id", "tenant_id", "name", "source_type")
        page = Paginator(chosen, SOURCES_A_PAGE).get_page(self.request.GET.get("page"))
        return self.render(
            "agents/scope.html",
            agent=agent,
            tab="scope",
            page=page,
            page_query=urlencode({"q": found["query"]}),
            **found,
        )


class ScopeActionView(DashboardView):
    allowed_roles = ADMINS
    section = "agents"

    def ticked(self) -> list[uuid.UUID | None]:
        return [read_id(text) for text in self.request.POST.getlist("source_ids")]

    def back(self, agent_id: uuid.UUID) -> HttpResponse:
        return self.go_to("agent_scope", agent_id, said=_("Saved."))


class AddToScopeView(ScopeActionView):
    def post(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        services.add_to_scope(self.tenant, agent_id, self.ticked())
        return self.back(agent_id)


class RemoveFromScopeView(ScopeActionView):
    def post(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        ids = [source_id for source_id in self.ticked() if source_id is not None]
        try:
            services.remove_from_scope(self.tenant, agent_id, ids)
        except ScopeWouldBeEmpty as error:
            raise Conflict(_(error.message)) from error
        return self.back(agent_id)


class WholeScopeView(ScopeActionView):
    def post(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        services.replace_scope(self.tenant, agent_id, [], ScopeKind.ALL)
        return self.back(agent_id)


def read_id(text: str) -> uuid.UUID | None:
    """The id of a source; None if the text is not an id."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
