"""What a messenger is to the rest: the contract of `messenger_a` and `messenger_b`.

A messenger's protocol stands in its module, both ways, and nowhere else. `web` is no messenger:
nobody is called, and nobody calls us but the visitor's own browser.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

CONNECT_SECONDS = 10.0  # of a call while somebody waits for the answer to a PUT
FAREWELL_SECONDS = 5.0  # of a call that may fail
SEND_SECONDS = 20.0  # of a text on its way
ANSWER_MAX_BYTES = 64 * 1024  # read of a messenger's answer


class MessageKind(StrEnum):
    TEXT = "text"
    START = "start"  # somebody opens the chat, and has said nothing yet
    MEDIA = "media"  # what we cannot read: a photo, a voice message


@dataclass(frozen=True)
class IncomingMessage:
    """What a person sent. `text` is clean: what the database can hold, "" but for kind TEXT. So are
    the ids, of 1 to 200 characters, and `position`, of 64 bits.

    `position`: grows within a chat, in the order of sending; equal ones are ordered by arrival.
    `language`: of the person's app, "es" or "en"; "" when it does not say.
    """

    provider_message_id: str
    chat_id: str
    kind: MessageKind
    text: str
    position: int
    sent_at: datetime
    language: str = ""


class Messenger(ABC):
    """An account at a messenger: a bot, a business' phone number. Made from its configuration.

    Every call of the network is bounded in time and bytes, holds no database connection, and raises
    a MessengerFailed of channels/errors.py.
    """

    # What `config` must hold.
    fields: ClassVar[tuple[str, ...]]
    text_max_units: ClassVar[int]  # of one message, in UTF-16 code units
    sends_per_second: ClassVar[int]  # of an account, to all chats together
    chat_pause_seconds: ClassVar[int]  # between two messages to one chat; 0: none
    # After somebody's last message, how long we may write to them; None: for ever.
    reply_window: ClassVar[timedelta | None]

    def __init__(self, config: Mapping[str, str]) -> None:
        self.config = dict(config)

    @property
    @abstractmethod
    def account_id(self) -> str:
        """Which bot or number this is: not a secret, at most 100 characters."""

    @abstractmethod
    def connect(self, webhook_url: str) -> None:
        """Registers the webhook, or asks whether the credentials are good. Within CONNECT_SECONDS.

        May be called again. Raises MessengerFailed.
        """

    @abstractmethod
    def disconnect(self) -> None:
        """Within FAREWELL_SECONDS. Raises MessengerFailed."""

    @abstractmethod
    def send_text(self, chat_id: str, text: str) -> None:
        """`text`: of at most text_max_units. Raises MessengerFailed."""

    @abstractmethod
    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        """Whether the messenger sent this call, in constant time. `headers`: of any case."""

    @abstractmethod
    def read_messages(self, payload: object) -> Sequence[IncomingMessage]:
        """Those of a call that are for us to answer, in their order. Everything else in it (edits,
        stickers, statuses, groups, other accounts, kinds that we do not know) is left out.

        `payload`: any JSON; whatever its form, nothing is raised.
        """

    @abstractmethod
    def as_plain(self, text: str) -> str:
        """`text` so that the messenger shows it as it stands: its markup does nothing."""
