"""Base classes: the description of a kind of channel, and the interface of a messenger.

A messenger's protocol stands in its folder, both ways, and nowhere else: whatever else of the
product names kinds goes through registry.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_noop

from channels.errors import MessengerFailed

CONNECT_SECONDS = 10.0  # of a call while somebody waits for the answer to a PUT
FAREWELL_SECONDS = 5.0  # of a call that may fail
SEND_SECONDS = 20.0  # of a text on its way
ANSWER_MAX_BYTES = 64 * 1024  # read of a messenger's answer


class MessageKind(StrEnum):
    TEXT = "text"
    START = "start"  # somebody opens the chat, and has said nothing yet
    MEDIA = "media"  # what we cannot read: a photo, a voice message
    ORDER = "order"  # products out of the company's catalogue, with what the person wrote to it


@dataclass(frozen=True)
class IncomingMessage:
    """A message of a person. `text` is clean: the database can hold it, and it is "" except for
    the kinds TEXT and ORDER. So are the ids, of 1 to 200 characters, and `position`, of 64 bits.

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


@dataclass(frozen=True)
class Undelivered:
    """A message of ours that the messenger had accepted and then did not deliver."""

    chat_id: str
    failure: MessengerFailed
    failed_at: datetime


PRINTABLE = r"^[!-~]([ -~]*[!-~])?$"
NOT_PRINTABLE = gettext_noop(
    "Use only printable ASCII characters, with no space at the beginning or the end."
)


@dataclass(frozen=True)
class ConfigField:
    """A field that PUT requires for a kind: a text that may go into headers and addresses.

    `label`: what people read, to be translated where it is shown, as `help_text` and `message` are.
    `example`: shown in /docs, and no secret. `message`: says what `pattern` does not match.
    `is_secret`: no page shows it again, not even to the person who has just typed it.
    """

    name: str
    help_text: str
    example: str
    label: str
    max_chars: int = 500
    pattern: str = PRINTABLE
    message: str = NOT_PRINTABLE
    is_secret: bool = True


@dataclass(frozen=True)
class Handshake:
    """A GET by which a messenger asks whether the address is ours. `parameters`: what each of the
    query is."""

    summary: str
    description: str
    parameters: Mapping[str, str]


@dataclass(frozen=True)
class Webhook:
    """A messenger's calls to us. `path`: below BASE_URL, with {agent_id}. `header`: the one that
    proves who calls. `body_max_bytes`: of a call, as the messenger documents it."""

    path: str
    summary: str
    header: str
    header_help: str
    body_max_bytes: int = 64 * 1024
    handshake: Handshake | None = None


class Surface(ABC):
    """A kind of channel. `kind` is what the API and the database name it, `label` what people read.
    `name_in_text` is what a sentence calls it, when that is not its label. `connect_help` goes on
    after the kind's name in the description of PUT; `steps` lead people who connect it in the
    dashboard, which translates them."""

    kind: ClassVar[str]
    label: ClassVar[str]
    name_in_text: ClassVar[str | Promise] = ""
    connect_help: ClassVar[str]
    steps: ClassVar[tuple[str, ...]]
    fields: ClassVar[tuple[ConfigField, ...]] = ()


class Messenger(Surface):
    """An account at a messenger: a bot, a business' phone number. Made from its configuration.

    Every call of the network is bounded in time and bytes, holds no database connection, and raises
    a MessengerFailed of channels/errors.py.
    """

    # In its configuration beside `fields`: secrets that we make, random and new each time.
    own_secrets: ClassVar[tuple[str, ...]] = ()
    webhook: ClassVar[Webhook]
    # An account calls one address, that which was registered last: it serves one agent at a time.
    has_one_webhook: ClassVar[bool] = False
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
        """The id of the bot or number: not a secret, at most 100 characters."""

    @abstractmethod
    def connect(self, webhook_url: str) -> None:
        """Registers the webhook, or asks whether the credentials are good. Within CONNECT_SECONDS.

        May be called again. Raises MessengerFailed.
        """

    @abstractmethod
    def disconnect(self) -> None:
        """Tells the messenger, within FAREWELL_SECONDS. Raises MessengerFailed."""

    @abstractmethod
    def send_text(self, chat_id: str, text: str) -> None:
        """Sends a text of at most text_max_units. Raises MessengerFailed."""

    @abstractmethod
    def may_be_genuine(self, headers: Mapping[str, str]) -> bool:
        """True if a call may be genuine by its headers, before its body has come; in constant time.
        `headers`: names in any case."""

    @abstractmethod
    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        """True if the messenger sent this call; in constant time. `headers`: names in any case."""

    def answer_handshake(self, given: Mapping[str, str]) -> str | None:
        """Returns the plain text that answers a genuine handshake; None for any other."""
        return None

    @abstractmethod
    def read_messages(self, payload: object) -> Sequence[IncomingMessage]:
        """Returns the messages of a call that we should answer, in their order. Everything else in
        it (edits, stickers, statuses, groups, other accounts, unknown kinds) is left out.

        `payload`: any JSON; whatever its form, nothing is raised.
        """

    def read_undelivered(self, payload: object) -> Sequence[Undelivered]:
        """Returns what a call tells of messages to people that were accepted and not delivered.

        `payload`: any JSON; whatever its form, nothing is raised.
        """
        return ()

    @abstractmethod
    def as_plain(self, text: str) -> str:
        """Returns `text` in a form that the messenger shows as it is: its markup does nothing."""
