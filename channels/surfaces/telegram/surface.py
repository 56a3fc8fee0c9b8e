"""Telegram's Bot API: https://core.telegram.org/bots/api, read 2026-11-21."""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.utils.translation import gettext_noop

from channels.errors import ChatRefused, CredentialsRefused, MessengerFailed, TextRefused
from channels.surfaces.base import (
    CONNECT_SECONDS,
    FAREWELL_SECONDS,
    SEND_SECONDS,
    ConfigField,
    IncomingMessage,
    MessageKind,
    Messenger,
    Webhook,
)
from channels.surfaces.calling import (
    MessengerAnswer,
    as_number,
    as_object,
    busy,
    call_messenger,
    read_wait_seconds,
    told_words,
    unusable,
)
from channels.surfaces.reading import (
    ID_MAX_CHARS,
    clean,
    read_id,
    read_language,
    read_number,
    read_text,
    read_time,
)
from reasons import Reason, join_reasons

# Telegram's own, and the one of our specification.
SECRET_HEADERS = ("x-telegram-bot-api-secret-token", "x-messengera-bot-api-secret-token")
# Of an update: 4,096 emoji, as many of the message that they answer, each written as twelve
# characters of JSON, with a hundred entities.
BODY_MAX_BYTES = 256 * 1024
BUSY_SECONDS = 5  # when it does not say how long
# "/start", also as it is sent by a link to the bot, t.me/bot?start=payload; and "/help", which
# every bot is to know: https://core.telegram.org/bots/features#global-commands.
START = re.compile(r"/(?:start(@\w+)?(\s+[\w-]{1,64})?|help(@\w+)?)", re.ASCII)
BOT_TOKEN = re.compile(r"([0-9]{1,20}):.+", re.DOTALL)
NUMBER = re.compile(r"-?[0-9]{1,18}")
MEDIA = frozenset(
    {
        "animation",
        "audio",
        "contact",
        "document",
        "location",
        "photo",
        "poll",
        "venue",
        "video",
        "video_note",
        "voice",
    }
)
# Of errors 400, those that are about the chat, in lower case. They are documented nowhere: these
# are known from the reports of those who use it.
CHAT_ERRORS = (
    "chat not found",
    "user not found",
    "peer_id_invalid",
    "input_user_deactivated",
    "user is deactivated",
    "chat_write_forbidden",
    "have no rights to send",
    "not enough rights",
    "chat_restricted",
    "group chat was upgraded",
)
BOT_REFUSED = Reason("bot_token_refused")
CHAT_REFUSED = Reason("person_blocked_bot")


class Telegram(Messenger):
    """A bot of Telegram. `secret_token` is what it sends with each call."""

    kind = "messenger_a"
    label = "Telegram"
    connect_help = "needs `bot_token`: its webhook is registered, and unregistered by DELETE."
    fields = (
        ConfigField(
            "bot_token",
            gettext_noop("the bot's token, as @BotFather shows it"),
            example="<the token that @BotFather shows>",
            label=gettext_noop("Bot token"),
            max_chars=200,
        ),
    )
    steps = (
        gettext_noop("In Telegram, write /newbot to @BotFather and follow its questions."),
        gettext_noop("Copy the token that it gives you and paste it here."),
        gettext_noop("Send your bot a message: the agent will answer."),
    )
    own_secrets = ("secret_token",)
    webhook = Webhook(
        "/webhooks/messenger_a/{agent_id}",
        summary="Deliver an update of messenger_a",
        header="X-MessengerA-Bot-Api-Secret-Token",
        header_help="The secret that was registered with the webhook. "
        "`X-Telegram-Bot-Api-Secret-Token` is read as well.",
        body_max_bytes=BODY_MAX_BYTES,
    )
    has_one_webhook = True  # setWebhook
    text_max_units = 4096
    sends_per_second = 25  # the documented limit is 30
    chat_pause_seconds = 1
    reply_window = None

    @property
    def account_id(self) -> str:
        """The bot's number, which stands before its secret; "" if the token has another form."""
        token = BOT_TOKEN.fullmatch(self.config["bot_token"])
        return token[1] if token else ""

    def connect(self, webhook_url: str) -> None:
        registration = {
            "url": webhook_url,
            "secret_token": self.config["secret_token"],
            "allowed_updates": ["message"],
        }
        answer = self._call("setWebhook", registration, deadline_seconds=CONNECT_SECONDS)
        failure = self._failure(answer)
        if isinstance(failure, TextRefused | ChatRefused):
            raise CredentialsRefused(Reason("webhook_refused", words=self._words(answer)))
        if failure:
            raise failure

    def disconnect(self) -> None:
        answer = self._call("deleteWebhook", {}, deadline_seconds=FAREWELL_SECONDS)
        if failure := self._failure(answer):
            raise failure

    def send_text(self, chat_id: str, text: str) -> None:
        """Sends the text without a parse mode, so that nothing in it is markup."""
        message = {
            "chat_id": int(chat_id) if NUMBER.fullmatch(chat_id) else chat_id,
            "text": text,
            "link_preview_options": {"is_disabled": True},
        }
        answer = self._call("sendMessage", message, deadline_seconds=SEND_SECONDS)
        if failure := self._failure(answer):
            raise failure

    def may_be_genuine(self, headers: Mapping[str, str]) -> bool:
        """Checks the secret in a header. The body proves nothing more."""
        return self.is_genuine(headers, b"")

    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        expected = self.config["secret_token"].encode()
        values = {name.lower(): value for name, value in headers.items()}
        sent = [values[name] for name in SECRET_HEADERS if name in values]
        # All are compared, right or not.
        right = [hmac.compare_digest(as_bytes(value), expected) for value in sent]
        return bool(expected) and bool(right) and all(right)

    def read_messages(self, payload: object) -> Sequence[IncomingMessage]:
        update = as_object(payload)
        message = as_object(update.get("message"))
        update_id = read_id(update.get("update_id"))
        chat_id = read_id(as_object(message.get("chat")).get("id"))
        if not update_id or not chat_id or not is_from_a_person(message):
            return []
        position = read_number(message.get("message_id"))
        return [
            IncomingMessage(
                provider_message_id=f"{update_id}{suffix}",
                chat_id=chat_id,
                kind=kind,
                text=text,
                position=position if position is not None else read_number(update_id) or 0,
                sent_at=read_time(message.get("date")),
                language=read_language(as_object(message.get("from")).get("language_code")),
            )
            for suffix, kind, text in read_contents(message)
            if len(update_id + suffix) <= ID_MAX_CHARS
        ]

    def as_plain(self, text: str) -> str:
        """Returns the text as it is, since without a parse mode nothing is markup. Telegram still
        makes web addresses, @names and /commands into links; this cannot be prevented and does not
        change the text."""
        return clean(text)

    # --- Calls ------------------------------------------------------------------------------------

    def _call(
        self, method: str, parameters: dict[str, Any], *, deadline_seconds: float
    ) -> MessengerAnswer:
        token = quote(self.config["bot_token"], safe=":")
        url = f"{settings.MESSENGER_A_API_URL}/bot{token}/{method}"
        return call_messenger("POST", url, json=parameters, deadline_seconds=deadline_seconds)

    def _failure(self, answer: MessengerAnswer) -> MessengerFailed | None:
        """Returns the failure that the answer tells, or None. Goes by `error_code`, or by the HTTP
        status if there is none: https://core.telegram.org/bots/api#making-requests."""
        content = answer.content
        if content.get("ok") is True and answer.is_ok:
            return None
        status = as_number(content.get("error_code")) or answer.status
        if status == 429:
            asked = as_object(content.get("parameters")).get("retry_after")
            wait_seconds = read_wait_seconds(asked, answer.headers, default=BUSY_SECONDS)
            return busy(wait_seconds, is_for_all=True)
        if content.get("ok") is not False or not 400 <= status < 500:
            return unusable(answer)
        words = self._words(answer)
        if status in {401, 404} or "logged out" in words.lower():
            return CredentialsRefused(BOT_REFUSED)
        if status == 403 or any(error in words.lower() for error in CHAT_ERRORS):
            return ChatRefused(join_reasons(CHAT_REFUSED, Reason("messenger_says", words=words)))
        return TextRefused(Reason("text_refused", words=words))

    def _words(self, answer: MessengerAnswer) -> str:
        secrets = (self.config["bot_token"], self.config["secret_token"])
        return told_words(answer.content.get("description"), secrets) or "nothing more"


def as_bytes(header: str) -> bytes:
    """Encodes a header, which may hold anything: `compare_digest` takes only ASCII strings."""
    return header.encode(errors="surrogatepass")


def is_from_a_person(message: dict[str, Any]) -> bool:
    """True if a person wrote to the bot alone. A chat that does not tell its type is a person's if
    its id is not negative, as those of groups and channels are."""
    chat, sender = as_object(message.get("chat")), as_object(message.get("from"))
    if chat.get("type") not in (None, "private") or read_id(chat.get("id")).startswith("-"):
        return False
    return not sender.get("is_bot")


def read_contents(message: dict[str, Any]) -> list[tuple[str, MessageKind, str]]:
    """Reads the contents of a message: a suffix of its id, a kind and a text. A caption is a text
    of its own."""
    if text := read_text(message.get("text")):
        is_start = START.fullmatch(text) is not None
        return [("", MessageKind.START, "") if is_start else ("", MessageKind.TEXT, text)]
    if MEDIA.isdisjoint(message):
        return []
    caption = read_text(message.get("caption"))
    captions = [(":caption", MessageKind.TEXT, caption)] if caption else []
    return [("", MessageKind.MEDIA, ""), *captions]
