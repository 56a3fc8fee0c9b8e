"""What the demo company's website needs: an agent, connected to `web`, that its pages may ask.

Made once. DATA_DIR/demo_site.json says so for good: what people change or delete afterwards stays.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.db import transaction

from accounts.models import Tenant
from agents.errors import AgentNotFound
from agents.models import MAX_ORIGINS, Agent
from agents.origins import normalize_origins
from agents.services import create_agent, get_agent, list_agents, update_agent
from channels.services import connect_channel
from channels.surfaces.web.surface import Website
from config.database.acting import over_all_tenants
from demo.loading import EMAIL, find_loaded_tenant, locked, write_whole

NAME = "Marusía"
WELCOME = (
    "¡Hola! Soy Marusía, la ayudante del tostadero. Pregúntame por nuestros cafés, los envíos, los"
    " talleres o el horario de la tienda."
)
PERSONA = (
    "Eres la ayudante del Tostadero Marusía, un pequeño tostadero de café. Eres cercana y breve, y"
    " tratas a los clientes de tú."
)


@dataclass(frozen=True)
class Site:
    """`origins`: those that were allowed here once, also if somebody took them away. `takes_leads`:
    the agent was told to once, also if somebody told it not to since."""

    agent_id: uuid.UUID
    origins: tuple[str, ...]
    takes_leads: bool


def make_demo_site(data_dir: Path, *, base_url: str, port: int) -> None:
    """Give the demo company an agent, where it is loaded.

    The pages of this installation may ask, also after it has moved to another port.
    """
    tenant = find_loaded_tenant(data_dir)
    if tenant is None:
        return
    with locked(data_dir / "demo.lock"):
        site = read_site(data_dir) or Site(find_or_make_agent(tenant).pk, (), takes_leads=False)
        new = [origin for origin in own_origins(base_url, port) if origin not in site.origins]
        allow(tenant, site.agent_id, new)
        if not site.takes_leads:
            take_leads(tenant, site.agent_id)
        write_site(data_dir, Site(site.agent_id, (*site.origins, *new), takes_leads=True))


@over_all_tenants()
def find_demo_agent(data_dir: Path) -> Agent | None:
    """Return the demo company's agent; None if the company is not loaded or the agent deleted."""
    tenant = find_loaded_tenant(data_dir)
    site = read_site(data_dir)
    if tenant is None or site is None:
        return None
    return list_agents(tenant).filter(pk=site.agent_id).first()


def find_or_make_agent(tenant: Tenant) -> Agent:
    """One of that name is ours: another DATA_DIR on the same database has made it. If somebody else
    has, in whatever capitals, ours cannot have the name."""
    with transaction.atomic():
        agent = list_agents(tenant).filter(name__iexact=NAME).first()
        if agent is None:
            agent = create_agent(tenant, name=NAME, welcome_msg=WELCOME, persona=PERSONA)
            connect_channel(tenant, agent.pk, Website.kind, {})
    return agent


def own_origins(base_url: str, port: int) -> list[str]:
    base = urlsplit(base_url)
    local = [f"http://{host}:{port}" for host in ("localhost", "127.0.0.1")]
    return normalize_origins([f"{base.scheme}://{base.netloc}", *local])


def allow(tenant: Tenant, agent_id: uuid.UUID, origins: list[str]) -> None:
    """The oldest give way when there are too many."""
    try:
        allowed = get_agent(tenant, agent_id).allowed_origins
    except AgentNotFound:
        return  # somebody deleted it
    missing = [origin for origin in origins if origin not in allowed]
    if missing:
        update_agent(tenant, agent_id, allowed_origins=[*allowed, *missing][-MAX_ORIGINS:])


def take_leads(tenant: Tenant, agent_id: uuid.UUID) -> None:
    """Address the demo company's admin, unless somebody has said whom."""
    try:
        agent = get_agent(tenant, agent_id)
    except AgentNotFound:
        return  # somebody deleted it
    recipient = agent.lead_notification_email or EMAIL
    update_agent(tenant, agent_id, lead_capture_enabled=True, lead_notification_email=recipient)


def read_site(data_dir: Path) -> Site | None:
    try:
        content = json.loads(site_file(data_dir).read_text())
    except FileNotFoundError:
        return None
    return Site(
        uuid.UUID(content["agent_id"]),
        tuple(content["origins"]),
        takes_leads=content["takes_leads"],
    )


def write_site(data_dir: Path, site: Site) -> None:
    content = asdict(site) | {"agent_id": str(site.agent_id)}
    write_whole(site_file(data_dir), json.dumps(content, indent=1) + "\n")


def site_file(data_dir: Path) -> Path:
    return data_dir / "demo_site.json"
