"""Asking, as the entry points do it: which agent, counted against the plan."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from accounts.quotas import counted_query
from agents.errors import AgentIsInactive
from agents.models import Agent, AgentStatus
from query.answers import Answer
from query.pipeline import Event, answer_question, stream_answer
from query.understanding.inquiries import Inquiry


def require_active(agent: Agent) -> Agent:
    """Raises AgentIsInactive."""
    if agent.status != AgentStatus.ACTIVE:
        raise AgentIsInactive
    return agent


def ask(inquiry: Inquiry) -> Answer:
    """Raises PlanLimitReached before any work is done."""
    with counted_query(inquiry.tenant):
        return answer_question(inquiry)


def ask_in_stream(inquiry: Inquiry) -> Generator[Event, None, None]:
    """As `ask`, in events. What comes before the first one is done, and raised, in the call.

    Closing the iterator stops the work; the question stays counted, for its answer had begun.
    """
    events = counted_events(inquiry)
    return resume(next(events), events)


def counted_events(inquiry: Inquiry) -> Generator[Event, None, None]:
    with counted_query(inquiry.tenant):
        yield from stream_answer(inquiry)


def resume(first: Event, events: Generator[Event, None, None]) -> Generator[Event, None, None]:
    with closing(events):
        yield first
        yield from events
