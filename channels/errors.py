"""Errors of channels.

ServiceError
└── ChannelConnectFailed     400 CHANNEL_CONNECT_FAILED

MessengerFailed              a call to a messenger; never an answer to a client of ours
├── CredentialsRefused       the whole connection: the token was revoked, or lacks a right
├── ChatRefused              one chat: its person blocked us, or the messenger's window closed
├── TextRefused              one text, for good
├── MessengerBusy            asks us to wait: Retry-After
└── MessengerUnreachable     no answer, or a fault on its side: the same call may succeed later
"""

from __future__ import annotations

from config.errors import ServiceError


class ChannelConnectFailed(ServiceError):
    code = "CHANNEL_CONNECT_FAILED"
    status = 400
    default_message = "The channel could not be connected. Nothing was changed."


class MessengerFailed(Exception):
    """The message is fit for our customers and the log: it holds no secret, and no address of a
    call, in which one may stand."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class CredentialsRefused(MessengerFailed):
    pass


class ChatRefused(MessengerFailed):
    pass


class TextRefused(MessengerFailed):
    pass


class MessengerBusy(MessengerFailed):
    """`wait_seconds`: at least 1. `is_for_all`: not only this chat has to wait."""

    def __init__(self, message: str, *, wait_seconds: int, is_for_all: bool) -> None:
        self.wait_seconds = max(1, wait_seconds)
        self.is_for_all = is_for_all
        super().__init__(message)


class MessengerUnreachable(MessengerFailed):
    pass
