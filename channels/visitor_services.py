"""Use cases of a website's visitors: being greeted by an agent, and asking it."""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta

from django.core.signing import BadSignature, TimestampSigner

from agents.errors import AgentIsInactive
from agents.models import Agent, AgentStatus
from channels.connections import find_connection, note_failure
from channels.errors import AgentUnavailable, OriginNotAllowed
from channels.models import ChannelConnection
from channels.surfaces.web.surface import Website
from channels.visitors import (
    SESSION_LIFETIME,
    Visit,
    count_question,
    count_session,
    make_session,
    read_visitor_id,
)
from config.errors import PlanLimitReached
from query.answers import Answer
from query.pipeline import Event, SourcesFound
from query.services.asking import ask, ask_in_stream
from query.understanding.inquiries import Inquiry
from reasons import Reason

PREVIEW_SALT = "channels.preview"
PREVIEW_LIFETIME = timedelta(hours=1)  # of a page that is looked at


@dataclass(frozen=True)
class Greeting:
    """The greeting that a page begins with. `language`: the one to speak before the visitor has
    spoken."""

    session: str
    expires_in: int  # seconds
    agent_name: str
    welcome_msg: str
    language: str


def receive(
    agent_id: uuid.UUID | None, *, origin: str, address: str, preview_pass: str = ""
) -> Visit:
    """Admits a visitor's request, in one query. `origin`: the Origin header; "" when there is none.
    `preview_pass`: in its place, from the dashboard's preview.

    Raises AgentNotFound, also when the agent is not at `web`; OriginNotAllowed.
    """
    connection = find_connection(agent_id, Website.kind)
    agent = connection.agent
    if origin not in agent.allowed_origins and not is_preview_pass(agent, preview_pass):
        raise OriginNotAllowed
    return Visit(connection, origin, address)


def greet(visit: Visit) -> Greeting:
    """Raises AgentIsInactive, TooManyRequests, LimitsUnavailable."""
    require_open(visit.agent)
    count_session(visit)
    return Greeting(
        session=make_session(visit),
        expires_in=int(SESSION_LIFETIME.total_seconds()),
        agent_name=visit.agent.name,
        welcome_msg=visit.agent.welcome_msg,
        language=visit.tenant.language,
    )


def ask_as_visitor(visit: Visit, session: str, text: str) -> Answer:
    """Raises AgentIsInactive, SessionEnded, TooManyRequests, LimitsUnavailable, and
    AgentUnavailable."""
    inquiry = make_inquiry(visit, session, text)
    with plan_untold(visit.connection):
        answer = ask(inquiry)
    return answer if visit.agent.cite_sources else replace(answer, sources=())


def ask_as_visitor_in_stream(visit: Visit, session: str, text: str) -> Generator[Event, None, None]:
    """Answers as `ask_as_visitor` does, in events. As in `ask_in_stream`, errors are raised in the
    call, and closing the iterator stops the work."""
    inquiry = make_inquiry(visit, session, text)
    with plan_untold(visit.connection):
        events = ask_in_stream(inquiry)
    return events if visit.agent.cite_sources else without_sources(events)


def make_inquiry(visit: Visit, session: str, text: str) -> Inquiry:
    """Counts the question and makes its inquiry. The visitor's id is the session that leads and
    follow-up questions need."""
    require_open(visit.agent)
    visitor_id = read_visitor_id(visit, session)
    count_question(visit, visitor_id)
    return Inquiry(visit.tenant, text, visit.agent, Website.kind, session_id=visitor_id)


def require_open(agent: Agent) -> None:
    if agent.status != AgentStatus.ACTIVE:
        raise AgentIsInactive("This agent is closed at the moment.")


@contextmanager
def plan_untold(connection: ChannelConnection) -> Iterator[None]:
    """Hides the plan from visitors, since it is the company's business: its people find the reason
    with the connection."""
    try:
        yield
    except PlanLimitReached as error:
        note_failure(connection, Reason("visitors_unanswered", reason=error.reason))
        raise AgentUnavailable from error


def without_sources(events: Generator[Event, None, None]) -> Generator[Event, None, None]:
    with closing(events):
        for event in events:
            match event:
                case SourcesFound():
                    yield SourcesFound(())
                case Answer():
                    yield replace(event, sources=())
                case _:
                    yield event


# --- Previews -------------------------------------------------------------------------------------


def make_preview_pass(agent: Agent) -> str:
    """Makes the pass with which the agent's preview may ask from any origin. Only for people who
    may change the allowed origins."""
    return preview_signer(agent).sign("preview")


def is_preview_pass(agent: Agent, text: str) -> bool:
    try:
        preview_signer(agent).unsign(text, max_age=PREVIEW_LIFETIME)
    except BadSignature:
        return False
    return True


def preview_signer(agent: Agent) -> TimestampSigner:
    return TimestampSigner(salt=f"{PREVIEW_SALT}:{agent.pk}")
