"""How a customer reaches a person of the company, as the agent's settings have it, in one line."""

from __future__ import annotations

from collections.abc import Iterator

from agents.models import Agent
from language.words import Language

TEXTS: dict[Language, dict[str, str]] = {
    "es": {
        "opening": "Puedes hablar con {company} {ways}.",
        "phone": "por teléfono ({})",
        "whatsapp": "por WhatsApp ({})",
        "email": "por correo ({})",
        "or": " o ",
        "hours": "Horario de atención: {}.",
    },
    "en": {
        "opening": "You can reach {company} {ways}.",
        "phone": "by phone ({})",
        "whatsapp": "on WhatsApp ({})",
        "email": "by e-mail ({})",
        "or": " or ",
        "hours": "Hours: {}.",
    },
}


def tell_contact(agent: Agent | None, language: Language) -> str:
    """Return the ways to reach the agent's company, and when; "" where it has set none."""
    if agent is None:
        return ""
    texts, ways = TEXTS[language], list(name_ways(agent, language))
    if not ways:
        return ""
    told = texts["or"].join(filter(None, (", ".join(ways[:-1]), ways[-1])))
    lines = [texts["opening"].format(company=agent.tenant.name, ways=told)]
    if agent.contact_hours:
        lines.append(texts["hours"].format(agent.contact_hours.rstrip(".")))
    return " ".join(lines)


def name_ways(agent: Agent, language: Language) -> Iterator[str]:
    for way in ("phone", "whatsapp", "email"):
        if value := getattr(agent, f"contact_{way}"):
            yield TEXTS[language][way].format(value)
