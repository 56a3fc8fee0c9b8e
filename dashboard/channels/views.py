"""The channels of an agent, the widget's snippet, and how it will look."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from agents.models import Agent
from agents.services import get_agent
from channels import services
from channels.connections import shown_error, webhook_url
from channels.errors import ChannelBusy, ChannelConnectFailed
from channels.models import ChannelConnection
from channels.surfaces.base import Surface
from channels.surfaces.registry import SURFACES
from channels.visitor_services import make_preview_pass
from config.errors import NotFound, ServiceError
from config.rest.pages import page_headers
from config.wording import in_words
from dashboard.base import ADMINS, DashboardView
from dashboard.channels.forms import ConnectForm, LooksForm
from dashboard.kinds import WEBSITE, name_channel
from dashboard.problems import describe_problem


@dataclass(frozen=True)
class ChannelCard:
    """A kind of channel as its agent's page shows it; `connection` None: not connected."""

    surface: type[Surface]
    form: ConnectForm
    connection: ChannelConnection | None

    @property
    def kind(self) -> str:
        return self.surface.kind

    @property
    def label(self) -> str:
        return name_channel(self.kind)

    @property
    def steps(self) -> list[str]:
        return [_(step) for step in self.surface.steps]

    @property
    def error(self) -> str:
        return in_words(shown_error(self.connection)) if self.connection else ""

    @property
    def webhook_url(self) -> str:
        return webhook_url(self.connection) if self.connection else ""

    @property
    def is_website(self) -> bool:
        return self.kind == WEBSITE


class AgentChannelsView(DashboardView):
    """The base of the channels page and of its forms."""

    allowed_roles = ADMINS
    section = "agents"

    def show(
        self, agent: Agent, *, refused: ConnectForm | None = None, status: int = 200
    ) -> HttpResponse:
        """Renders the page. `refused`: a form that was not accepted, shown in its place."""
        rows = services.list_connections(self.tenant, agent.pk).select_related("connection")
        connected = {row.channel_type: row for row in rows}
        cards = [
            ChannelCard(
                surface,
                refused if refused and refused.prefix == kind else ConnectForm(surface),
                connected.get(kind),
            )
            for kind, surface in SURFACES.items()
        ]
        looks = LooksForm(self.request.GET, initial={"color": LooksForm.DEFAULT_COLOR})
        chosen = looks.chosen()
        return self.render(
            "channels/channels.html",
            status=status,
            agent=agent,
            tab="channels",
            cards=cards,
            looks=LooksForm(initial={"color": LooksForm.DEFAULT_COLOR} | chosen),
            chosen=chosen,
            chosen_query=urlencode(chosen),
            base_url=settings.BASE_URL,
        )


class ChannelsView(AgentChannelsView):
    def get(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        return self.show(get_agent(self.tenant, agent_id))


class ConnectView(AgentChannelsView):
    def post(self, request: HttpRequest, agent_id: uuid.UUID, kind: str) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        form = ConnectForm(find_surface(kind), request.POST)
        if form.is_valid():
            try:
                services.connect_channel(self.tenant, agent.pk, kind, form.cleaned_data)
            except ChannelConnectFailed as error:
                form.add_error(None, in_words(error.reason))
            except ServiceError as error:
                form.add_error(None, describe_busy(error))
            else:
                said = _("Connected to %(channel)s.") % {"channel": name_channel(kind)}
                return self.go_to("agent_channels", agent.pk, said=said)
        return self.show(agent, refused=form, status=400)


class DisconnectView(AgentChannelsView):
    def post(self, request: HttpRequest, agent_id: uuid.UUID, kind: str) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        find_surface(kind)
        if request.POST.get("name", "").strip() != agent.name:
            messages.error(request, _("Nothing was disconnected: the name does not match."))
            return self.go_to("agent_channels", agent.pk)
        services.disconnect_channel(self.tenant, agent.pk, kind)
        said = _("Disconnected from %(channel)s.") % {"channel": name_channel(kind)}
        return self.go_to("agent_channels", agent.pk, said=said)


def find_surface(kind: str) -> type[Surface]:
    """Raises NotFound."""
    if kind not in SURFACES:
        raise NotFound
    return SURFACES[kind]


def describe_busy(error: ServiceError) -> str:
    if isinstance(error, ChannelBusy):
        return _("This channel is being connected or disconnected. Try again in a few seconds.")
    return describe_problem(error)


class PreviewView(DashboardView):
    """A page like a customer's own, with the real widget on it: only our own pages may frame it."""

    allowed_roles = ADMINS
    section = "agents"

    def get(self, request: HttpRequest, agent_id: uuid.UUID) -> HttpResponse:
        agent = get_agent(self.tenant, agent_id)
        context: dict[str, Any] = {
            "agent": agent,
            "language": self.language,
            "preview_pass": make_preview_pass(agent),
            "chosen": LooksForm(request.GET).chosen(),
        }
        page = self.render_part("channels/preview.html", **context)
        for name, value in page_headers().items():
            page.headers[name] = value.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
        page.headers["X-Frame-Options"] = "SAMEORIGIN"
        return page
