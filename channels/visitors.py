"""Visitors of websites: the session that names their conversation, and how often they may ask.

A visitor is nobody we know: nothing here proves who asks, and nothing is kept. Why it is so:
docs/decisions/0016.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.core.signing import BadSignature, TimestampSigner

from accounts.models import Tenant
from accounts.services.request_limits import SECONDS_A_MINUTE, take_request_of_strangers
from agents.models import Agent
from channels.errors import SessionEnded
from channels.models import ChannelConnection
from config.errors import TooManyRequests
from config.security.rate_limits import Limit, take

SESSION_LIFETIME = timedelta(hours=12)  # a page that stays open for a working day
VISITOR_ID_BYTES = 16
SALT = "channels.visitors"  # nothing else that we sign passes for a session
# In which the widget on a page of ours sends its pass: a page of others cannot send it.
PREVIEW_HEADER = "X-Widget-Preview"

# Faster than anybody reads answers.
QUESTIONS_OF_VISITOR = Limit("visitor_questions", 10, SECONDS_A_MINUTE)
# Of one company's visitors: an office, or the customers of a mobile network, may share an address.
QUESTIONS_OF_ADDRESS = Limit("visitor_address_questions", 30, SECONDS_A_MINUTE)
# Each makes a visitor with ten questions of their own. A page needs one in twelve hours.
SESSIONS_OF_ADDRESS = Limit("visitor_address_sessions", 20, SECONDS_A_MINUTE)


@dataclass(frozen=True)
class Visit:
    """A call from a page that may talk to the agent.

    `origin`: of the page, as its browser says. `address`: config.security.client_address.
    """

    connection: ChannelConnection
    origin: str
    address: str

    @property
    def agent(self) -> Agent:
        return self.connection.agent

    @property
    def tenant(self) -> Tenant:
        return self.connection.tenant


# --- Sessions -------------------------------------------------------------------------------------


def make_session(visit: Visit) -> str:
    """Makes a new visitor's session: their random id, the time, and our signature of both, of the
    agent and of the origin."""
    return signer_of(visit).sign(secrets.token_urlsafe(VISITOR_ID_BYTES))


def read_visitor_id(visit: Visit, session: str) -> str:
    """The visitor's id. Raises SessionEnded, also for a session of another agent or origin."""
    try:
        return signer_of(visit).unsign(session, max_age=SESSION_LIFETIME)
    except BadSignature:
        raise SessionEnded from None


def signer_of(visit: Visit) -> TimestampSigner:
    """The signer of a visit's sessions, which compares in constant time. Ids contain no colon, so
    no two visits share a salt."""
    return TimestampSigner(salt=f"{SALT}:{visit.agent.pk}:{visit.origin}")


# --- Limits ---------------------------------------------------------------------------------------


def count_session(visit: Visit) -> None:
    """Raises TooManyRequests, and LimitsUnavailable: nobody unknown is let in uncounted."""
    refuse_for(take(SESSIONS_OF_ADDRESS, f"{visit.tenant.pk}:{visit.address}"))


def count_question(visit: Visit, visitor_id: str) -> None:
    """Counts a question, the narrowest limit first: a visitor who is over it uses up nothing of
    what others share.

    Raises as count_session.
    """
    tenant_id = visit.tenant.pk
    refuse_for(take(QUESTIONS_OF_VISITOR, f"{tenant_id}:{visitor_id}"))
    refuse_for(take(QUESTIONS_OF_ADDRESS, f"{tenant_id}:{visit.address}"))
    refuse_for(take_request_of_strangers(visit.tenant))


def refuse_for(seconds: int) -> None:
    if seconds:
        raise TooManyRequests(
            f"There are too many requests just now. Try again in {seconds} s.",
            retry_after_seconds=seconds,
        )
