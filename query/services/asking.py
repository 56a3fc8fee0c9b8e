"""Asking, as the entry points do it: which agent, counted against the plan."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from accounts.models import Tenant
from accounts.models.tenancy import TenantQuerySet
from accounts.plans.usage import counted_query
from agents.errors import AgentIsInactive, ModelNotFound
from agents.models import Agent, AgentStatus
from agents.services import list_agents, pick_agent
from query.answers import Answer
from query.explaining import Explanation, explain_answer
from query.pipeline import (
    Event,
    Findings,
    SourcesFound,
    answer_question,
    find_for_inquiry,
    stream_answer,
)
from query.understanding.inquiries import Inquiry


def require_active(agent: Agent) -> Agent:
    """Raises AgentIsInactive."""
    if agent.status != AgentStatus.ACTIVE:
        raise AgentIsInactive
    return agent


def list_models(tenant: Tenant) -> TenantQuerySet[Agent]:
    """The agents that answer, oldest first: what OpenAI's protocol calls models."""
    return list_agents(tenant).filter(status=AgentStatus.ACTIVE)


def get_model(tenant: Tenant, named: str) -> Agent:
    """The agent with this id, or with this name in any case. Raises ModelNotFound."""
    # A NUL no name has, nor a query may hold.
    agent = pick_agent(list_models(tenant), named.replace("\0", ""))
    if agent is None:
        raise ModelNotFound
    return agent


def ask(inquiry: Inquiry) -> Answer:
    """Raises PlanLimitReached before any work is done."""
    with counted_query(inquiry.tenant):
        return answer_question(inquiry)


def search(inquiry: Inquiry) -> Findings:
    """The findings that an answer would be made from. Raises PlanLimitReached before any work is
    done."""
    with counted_query(inquiry.tenant):
        return find_for_inquiry(inquiry)


def ask_in_stream(inquiry: Inquiry) -> Generator[Event, None, None]:
    """Answers as `ask`, in events. What comes before the first is done, and raised, in the call.

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


def ask_and_explain_in_stream(inquiry: Inquiry) -> Generator[Event | Explanation, None, None]:
    """Answers as `ask_in_stream` does, and explains the Answer behind it: for the company's own
    people."""
    return explained(inquiry, ask_in_stream(inquiry))


def explained(
    inquiry: Inquiry, events: Generator[Event, None, None]
) -> Generator[Event | Explanation, None, None]:
    findings: Findings | None = None
    with closing(events):
        for event in events:
            yield event
            if isinstance(event, SourcesFound):
                findings = event.findings
            if isinstance(event, Answer):
                yield explain_answer(inquiry.text, findings, event)
