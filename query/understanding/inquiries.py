"""A message to an agent, with all that decides how it is answered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from accounts.models import Tenant
from agents.models import Agent
from language.message import Message, read_message
from language.words import Language
from query.models import API
from query.understanding.turns import Turn


@dataclass(frozen=True)
class Inquiry:
    """A message to an agent. `agent` None: the tenant's default configuration, which is all
    sources, marks in the text, no leads, no transcripts. `session_id` "": a question on its own.
    `language`: the visitor's, as far as it is known; the text tells it better. `history`: the
    earlier turns, oldest first, where the caller tells them with each question; then nothing is
    remembered here. `takes_leads`: the visitor may be somebody who wants to buy.
    `wants_to_buy`: they have said so by other means than words: an order out of a catalogue."""

    tenant: Tenant
    text: str
    agent: Agent | None = None
    channel: str = API
    session_id: str = ""
    language: Language | None = None
    history: tuple[Turn, ...] | None = None
    takes_leads: bool = True
    wants_to_buy: bool = False

    @cached_property
    def message(self) -> Message:
        """The text, read. It is read once; callers that need to know something of it use this."""
        return read_message(self.text, self.likely_language)

    @property
    def likely_language(self) -> Language:
        """The language to assume when the text does not tell."""
        return self.language or ("es" if self.tenant.language == "es" else "en")

    @property
    def may_become_lead(self) -> bool:
        """Tells whether the message may become a lead, which takes two turns, and so a session."""
        agent = self.agent
        takes_leads = self.takes_leads and agent is not None and agent.lead_capture_enabled
        return takes_leads and bool(self.session_id)

    @property
    def marks_sources(self) -> bool:
        return self.agent is None or self.agent.cite_sources

    @property
    def persona(self) -> str:
        return "" if self.agent is None else self.agent.persona
