"""Errors of channels.

ServiceError
├── ChannelConnectFailed     400 CHANNEL_CONNECT_FAILED
├── SessionEnded             401 UNAUTHORIZED
├── OriginNotAllowed         403 FORBIDDEN
└── AgentUnavailable         503 SERVICE_UNAVAILABLE

MessengerFailed              a call to a messenger; never an answer to a client of ours
├── CredentialsRefused       the whole connection: the token was revoked, or lacks a right
├── ChatRefused              one chat: its person blocked us, or the messenger's window closed
├── TextRefused              one text, for good
├── MessengerBusy            asks us to wait: Retry-After
└── MessengerUnreachable     no answer, or a fault on its side: the same call may succeed later
"""

from __future__ import annotations

from config.errors import Conflict, Forbidden, ServiceError, ServiceUnavailable, Unauthorized
from reasons import Reason, ReasonedError


class ChannelConnectFailed(ServiceError):
    code = "CHANNEL_CONNECT_FAILED"
    status = 400
    default_message = "The channel could not be connected. Nothing was changed."


class SessionEnded(Unauthorized):
    """A visitor's session that is missing, too old, forged, or of another agent or origin, which
    all answer alike."""

    default_message = (
        "There is no such session, or it has ended. Ask for a new one:"
        " POST /public/agents/{id}/sessions."
    )


class OriginNotAllowed(Forbidden):
    default_message = (
        "Pages from this origin may not query the agent. An admin can add it to allowed_origins:"
        " PUT /agents/{id}."
    )


class AgentUnavailable(ServiceUnavailable):
    """An error for visitors when the company's plan allows no more answers this month."""

    default_message = "This agent cannot answer at the moment. Try again later."


class ChannelBusy(Conflict):
    default_message = (
        "This channel is being connected or disconnected right now. Try again in a few seconds."
    )
    retryable = True


class MessengerFailed(ReasonedError):
    """A failure whose reason is fit for our customers and the log: it contains no secret, and no
    address of a call, since that may contain one."""


class CredentialsRefused(MessengerFailed):
    pass


class ChatRefused(MessengerFailed):
    pass


class TextRefused(MessengerFailed):
    pass


class MessengerBusy(MessengerFailed):
    """A messenger that asks us to wait. `wait_seconds`: at least 1. `is_for_all`: not only this
    chat has to wait."""

    def __init__(self, reason: Reason, *, wait_seconds: int, is_for_all: bool) -> None:
        self.wait_seconds = max(1, wait_seconds)
        self.is_for_all = is_for_all
        super().__init__(reason)


class MessengerUnreachable(MessengerFailed):
    pass
