"""A stand-in for Telegram's Bot API, and updates as it sends them to a webhook.

https://core.telegram.org/bots/api; the words of errors are those of the real server.
"""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from channels.tests.messenger_server import (
    Answer,
    Call,
    Handler,
    MessengerServer,
    post,
    says,
    serving,
)

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
TEXT_MAX_UNITS = 4096
PATH = re.compile(r"/bot([^/]+)/(\w+)")
TOKEN = re.compile(r"\d+:[\w-]+", re.ASCII)
SECRET_TOKEN = re.compile(r"[\w-]{1,256}", re.ASCII)

_numbers = itertools.count(1)


@dataclass
class TelegramServer(MessengerServer):
    """Knows the bots that `add_bot` and `config` make. Every chat may be written to but `blocked`
    and `unknown_chats`."""

    bots: set[str] = field(default_factory=set)  # tokens
    webhooks: dict[str, dict[str, Any]] = field(default_factory=dict)  # by token: as registered
    blocked: set[str] = field(default_factory=set)
    unknown_chats: set[str] = field(default_factory=set)
    wants_https: bool = False  # the real one does

    def add_bot(self, token: str = "") -> str:
        token = token or f"{800_000_000 + next(_numbers)}:AAE-bot-token_of-a-stand-in"
        self.bots.add(token)
        return token

    def config(self, token: str = "", **over: str) -> dict[str, str]:
        """Of a connection to a new bot."""
        return {"bot_token": self.add_bot(token), "secret_token": "secret-of-a-stand-in", **over}

    def block(self, chat_id: object) -> None:
        """Its person wants to hear no more of any bot."""
        self.blocked.add(str(chat_id))

    def deliver(self, token: str, payload: object) -> int:
        """To the webhook that the bot has registered: the status of its answer."""
        webhook = self.webhooks[token]
        headers, body = webhook_call(payload, webhook["secret_token"])
        return post(webhook["url"], body, headers)


class TelegramHandler(Handler):
    messenger: TelegramServer

    def do_POST(self) -> None:
        body = self.read_body()
        match = PATH.fullmatch(urlsplit(self.path).path)
        token, name = (unquote(match[1]), match[2]) if match else ("", "")
        call = Call(self.command, token, name, body, dict(self.headers), time.monotonic())
        self.handle_call(call, body.get("chat_id"), partial(answer_by_rules, call))

    do_GET = do_POST


def answer_by_rules(call: Call, handler: TelegramHandler) -> None:
    telegram = handler.messenger
    methods = {"setwebhook": set_webhook, "deletewebhook": delete_webhook, "sendmessage": send}
    method = methods.get(call.name.lower())
    if not TOKEN.fullmatch(call.account) or method is None:
        error(404, "Not Found")(handler)
    elif call.account not in telegram.bots - telegram.revoked:
        error(401, "Unauthorized")(handler)
    else:
        method(telegram, call)(handler)


def set_webhook(telegram: TelegramServer, call: Call) -> Answer:
    url, secret = call.body.get("url", ""), call.body.get("secret_token", "")
    if not isinstance(secret, str) or (secret and not SECRET_TOKEN.fullmatch(secret)):
        return error(400, "Bad Request: secret token contains unallowed characters")
    if telegram.wants_https and not url.startswith("https://"):
        words = "bad webhook: An HTTPS URL must be provided for webhook"
        return error(400, f"Bad Request: {words}")
    telegram.webhooks[call.account] = call.body
    return done(True, "Webhook was set")


def delete_webhook(telegram: TelegramServer, call: Call) -> Answer:
    was_set = telegram.webhooks.pop(call.account, None) is not None
    return done(True, "Webhook was deleted" if was_set else "Webhook is already deleted")


def send(telegram: TelegramServer, call: Call) -> Answer:
    chat_id, text = call.body.get("chat_id"), call.body.get("text")
    if chat_id in (None, ""):
        return error(400, "Bad Request: chat_id is empty")
    if not isinstance(text, str) or not text.strip():
        return error(400, "Bad Request: message text is empty")
    if len(text.encode("utf-16-le")) // 2 > TEXT_MAX_UNITS:
        return error(400, "Bad Request: message is too long")
    if str(chat_id) in telegram.unknown_chats:
        return error(400, "Bad Request: chat not found")
    if str(chat_id) in telegram.blocked:
        return error(403, "Forbidden: bot was blocked by the user")
    number = telegram.keep_text(call.account, chat_id, text)
    chat = {"id": chat_id, "type": "private"}
    return done({"message_id": number, "chat": chat, "date": int(time.time()), "text": text})


def done(result: object, description: str = "") -> Answer:
    content = {"ok": True, "result": result}
    return says(200, {**content, "description": description} if description else content)


# --- Answers for `fail` ---------------------------------------------------------------------------


def error(status: int, description: str, **parameters: object) -> Answer:
    content = {"ok": False, "error_code": status, "description": description}
    return says(status, {**content, "parameters": parameters} if parameters else content)


def too_many_requests(retry_after: int) -> Answer:
    words = f"Too Many Requests: retry after {retry_after}"
    return error(429, words, retry_after=retry_after)


def lost_ok(handler: TelegramHandler) -> None:
    """Takes a text; its "OK" gets lost."""
    call = handler.call
    handler.messenger.keep_text(call.account, call.body["chat_id"], call.body["text"])
    handler.close_connection = True
    handler.connection.close()


# --- What comes in --------------------------------------------------------------------------------


def update(text: str | None = None, *, chat_id: int = 5001, **over: Any) -> dict[str, Any]:
    """Of a message from a person, each with a number of its own. `over`: fields of the message;
    None takes one away, update_id is the update's."""
    number = next(_numbers)
    update_id = over.pop("update_id", 900_000_000 + number)
    person = {"id": chat_id, "is_bot": False, "first_name": "Lucía", "language_code": "es"}
    message = {
        "message_id": number,
        "from": person,
        "chat": {"id": chat_id, "first_name": "Lucía", "type": "private"},
        "date": int(time.time()),
        "text": text,
        **over,
    }
    present = {name: value for name, value in message.items() if value is not None}
    return {"update_id": update_id, "message": present}


def photo(caption: str | None = None, **over: Any) -> dict[str, Any]:
    sizes = [{"file_id": "AgACAgQ", "file_unique_id": "AQAD", "width": 90, "height": 60}]
    return update(photo=sizes, caption=caption, **over)


def edited(text: str, *, chat_id: int = 5001) -> dict[str, Any]:
    """An earlier message, changed by its person."""
    original = update(text, chat_id=chat_id, edit_date=int(time.time()))
    return {"update_id": original["update_id"], "edited_message": original["message"]}


def webhook_call(
    payload: object, secret_token: str, *, header: str = SECRET_HEADER
) -> tuple[dict[str, str], bytes]:
    """Headers and body."""
    headers = {"Content-Type": "application/json", header: secret_token}
    return headers, json.dumps(payload).encode()


@contextmanager
def serve_telegram() -> Iterator[TelegramServer]:
    telegram = TelegramServer()
    with serving(telegram, TelegramHandler):
        yield telegram
