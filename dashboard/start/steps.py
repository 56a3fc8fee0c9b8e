"""The way from an empty workspace to an agent that answers customers: three steps."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import Tenant
from accounts.services.tenants import has_asked
from agents.models import Agent
from agents.services import list_agents
from channels.services import is_reachable
from sources.services.reading import has_indexed


@dataclass(frozen=True)
class SetupStep:
    """`address`: where it is done, "" for who may not."""

    title: str
    text: str
    action: str
    address: str
    is_done: bool


def list_steps(tenant: Tenant, *, is_admin: bool) -> list[SetupStep]:
    """The steps of the set-up; a step once done stays done. Four or five queries."""
    agent = list_agents(tenant).first()
    return [
        SetupStep(
            _("Add a file or your website"),
            _("Agents answer only from what you add."),
            _("Add"),
            reverse("dashboard:source_add") if is_admin else "",
            has_indexed(tenant),
        ),
        SetupStep(
            _("Ask it something"),
            _("See the answer and the passages that it comes from."),
            _("Ask"),
            address_of("playground", agent, is_admin=is_admin),
            has_asked(tenant),
        ),
        SetupStep(
            _("Put it on your website"),
            _("Add a line of code to your website, or connect a messenger."),
            _("Connect"),
            address_of("agent_channels", agent, is_admin=is_admin) if is_admin else "",
            is_reachable(tenant),
        ),
    ]


def address_of(page: str, agent: Agent | None, *, is_admin: bool) -> str:
    """Return the agent's page. Without an agent: the page that makes one for admins, else ""."""
    if agent is not None:
        return reverse(f"dashboard:{page}", args=[agent.pk])
    return reverse("dashboard:new_agent") if is_admin else ""
