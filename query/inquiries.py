"""A message to an agent, with all that decides how it is answered."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import Tenant
from agents.models import Agent
from query.models import Channel
from sources.language.words import Language


@dataclass(frozen=True)
class Inquiry:
    """`agent` None: the tenant's default configuration, which is all sources, marks in the text, no
    leads, no transcripts. `session_id` "": a question on its own. `language`: of whoever asks, as
    far as it is known; the text tells it better."""

    tenant: Tenant
    text: str
    agent: Agent | None = None
    channel: Channel = Channel.API
    session_id: str = ""
    language: Language | None = None

    @property
    def likely_language(self) -> Language:
        """Where the text does not tell."""
        return self.language or ("es" if self.tenant.language == "es" else "en")

    @property
    def marks_sources(self) -> bool:
        return self.agent is None or self.agent.cite_sources

    @property
    def persona(self) -> str:
        return "" if self.agent is None else self.agent.persona
