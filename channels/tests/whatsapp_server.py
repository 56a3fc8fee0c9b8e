"""A stand-in for Meta's Graph API as far as WhatsApp goes, and calls as it sends them to a webhook.

https://developers.facebook.com/docs/whatsapp/cloud-api; the words of errors are Meta's.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from channels.tests.messenger_server import (
    Answer,
    Call,
    Handler,
    MessengerServer,
    post,
    says,
    serving,
)

SIGNATURE_HEADER = "X-Hub-Signature-256"
TEXT_MAX_CHARS = 4096
VERSION = "v23.0"
PATH = re.compile(rf"/{re.escape(VERSION)}/([^/]+)(/messages)?")

_numbers = itertools.count(1)


@dataclass
class WhatsAppServer(MessengerServer):
    """Knows the phone numbers that `add_number` and `config` make: by id, their configuration.
    Every person may be written to but those of `closed_windows` and `undeliverable`."""

    numbers: dict[str, dict[str, str]] = field(default_factory=dict)
    closed_windows: set[str] = field(default_factory=set)
    undeliverable: set[str] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"{super().url}/{VERSION}"

    def add_number(self, config: Mapping[str, str]) -> None:
        self.numbers[config["phone_number_id"]] = dict(config)

    def config(self, **over: str) -> dict[str, str]:
        """Of a connection to a new phone number: the body of a PUT."""
        number = next(_numbers)
        made = {
            "phone_number_id": f"{200_000_000_000 + number}",
            "system_user_token": f"EAAGsystem0user0token0of0a0stand0in{number}",
            "app_secret": f"app-secret-of-a-stand-in-{number}",
            "verify_token": f"verify-token-of-a-stand-in-{number}",
            **over,
        }
        self.add_number(made)
        return made

    def close_window(self, chat_id: str) -> None:
        """More than 24 hours passed since this person wrote."""
        self.closed_windows.add(chat_id)

    def block(self, chat_id: str) -> None:
        self.undeliverable.add(chat_id)

    def deliver(self, url: str, config: Mapping[str, str], *messages: dict[str, Any]) -> int:
        """To a webhook: the status of its answer."""
        headers, body = signed_call(
            payload(config["phone_number_id"], *messages), config["app_secret"]
        )
        return post(url, body, headers)


class WhatsAppHandler(Handler):
    messenger: WhatsAppServer

    def do_POST(self) -> None:
        body = self.read_body()
        parts = urlsplit(self.path)
        match = PATH.fullmatch(parts.path)
        number, name = (unquote(match[1]), (match[2] or "").strip("/")) if match else ("", "")
        call = Call(self.command, number, name, body, dict(self.headers), time.monotonic())
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        self.handle_call(call, recipient_of(body), partial(answer_by_rules, call, query))

    do_GET = do_POST


def recipient_of(body: dict[str, Any]) -> object:
    return body.get("to") or body.get("recipient")


def answer_by_rules(call: Call, query: dict[str, str], handler: WhatsAppHandler) -> None:
    (refusal(handler.messenger, call, query) or success(handler.messenger, call, query))(handler)


def refusal(whatsapp: WhatsAppServer, call: Call, query: dict[str, str]) -> Answer | None:
    """Of the token, the proof of the app's secret, or the number."""
    token = call.headers.get("Authorization", "").removeprefix("Bearer ")
    owners = [config for config in whatsapp.numbers.values() if token_of(config) == token]
    if not owners or token in whatsapp.revoked:
        words = "Error validating access token: The session has been invalidated."
        return error(190, words, status=401)
    if query.get("appsecret_proof") not in [proof(config) for config in owners]:
        return error(100, "Invalid appsecret_proof provided in the API argument")
    if call.account not in [config["phone_number_id"] for config in owners]:
        words = (
            f"Unsupported {call.method.lower()} request. Object with ID '{call.account}' does not "
            "exist, cannot be loaded due to missing permissions, or does not support this operation"
        )
        return error(100, words, error_subcode=33)
    return None


def success(whatsapp: WhatsAppServer, call: Call, query: dict[str, str]) -> Answer:
    if call.method == "POST" and call.name == "messages":
        return send(whatsapp, call)
    if call.method == "GET" and not call.name:
        names = {"id", *query.get("fields", "display_phone_number,verified_name").split(",")}
        number = {
            "id": call.account,
            "display_phone_number": "+34 600 000 000",
            "verified_name": "Casa Lucía",
            "quality_rating": "GREEN",
        }
        return says(200, {name: value for name, value in number.items() if name in names})
    return error(100, "Unsupported request", error_subcode=33)


def send(whatsapp: WhatsAppServer, call: Call) -> Answer:
    body, person = call.body, recipient_of(call.body)
    if body.get("messaging_product") != "whatsapp":
        return error(100, "(#100) The parameter messaging_product is required.")
    if not isinstance(person, str) or not person:
        return error(100, "(#100) The parameter to is required.")
    if body.get("recipient_type", "individual") != "individual":
        return error(100, "(#100) Param recipient_type must be one of {INDIVIDUAL}")
    if "to" in body and not re.fullmatch(r"\+?\d+", person):
        return error(131009, "(#131009) Parameter value is not valid")
    text = body.get("text")
    content = text.get("body") if isinstance(text, dict) and body.get("type") == "text" else None
    if not isinstance(content, str) or not content:
        return error(131008, "(#131008) Required parameter is missing")
    if len(content) > TEXT_MAX_CHARS:
        words = f"(#100) Param text['body'] must be at most {TEXT_MAX_CHARS} characters long."
        return error(100, words)
    return deliver(whatsapp, call, person, content)


def deliver(whatsapp: WhatsAppServer, call: Call, person: str, content: str) -> Answer:
    if person in whatsapp.closed_windows:
        return error(131047, "(#131047) Re-engagement message")
    if person in whatsapp.undeliverable:
        return error(131026, "(#131026) Message undeliverable")
    number = whatsapp.keep_text(call.account, person, content)
    return says(
        200,
        {
            "messaging_product": "whatsapp",
            "contacts": [{"input": person, "wa_id": person}],
            "messages": [{"id": f"wamid.OUT{number}"}],
        },
    )


def token_of(config: Mapping[str, str]) -> str:
    return config["system_user_token"]


def proof(config: Mapping[str, str]) -> str:
    key = config["app_secret"].encode()
    return hmac.new(key, token_of(config).encode(), hashlib.sha256).hexdigest()


# --- Answers for `fail` ---------------------------------------------------------------------------


def error(
    code: int, message: str = "", *, status: int = 400, headers: Any = None, **over: Any
) -> Answer:
    """`over`: fields of the error."""
    content = {
        "message": message or f"(#{code}) An error",
        "type": "OAuthException",
        "code": code,
        "fbtrace_id": "Az8or2yhqkZfEZ",
        **over,
    }
    return says(status, {"error": content}, **(headers or {}))


def too_many_requests(retry_after: int, *, code: int = 130429) -> Answer:
    headers = {"Retry_After": str(retry_after)}
    return error(code, f"(#{code}) Rate limit hit", status=429, headers=headers)


def lost_ok(handler: WhatsAppHandler) -> None:
    """Takes a text; its "OK" gets lost."""
    call = handler.call
    person, content = recipient_of(call.body), call.body["text"]["body"]
    handler.messenger.keep_text(call.account, person, content)
    handler.close_connection = True
    handler.connection.close()


# --- What comes in --------------------------------------------------------------------------------


def text_message(text: str, *, chat_id: str = "34600111222", **over: Any) -> dict[str, Any]:
    return message("text", {"body": text}, chat_id=chat_id, **over)


def image(caption: str = "", **over: Any) -> dict[str, Any]:
    content = {"id": "2754859441498128", "mime_type": "image/jpeg", "sha256": "81d3bd8a8db4868c"}
    return message("image", {**content, "caption": caption} if caption else content, **over)


def message(
    kind: str, content: object = None, *, chat_id: str = "34600111222", **over: Any
) -> dict[str, Any]:
    """From a person, each with an id of its own. `over`: its fields; None takes one away."""
    made = {
        "from": chat_id,
        "id": f"wamid.IN{next(_numbers)}",
        "timestamp": str(int(time.time())),
        "type": kind,
        kind: content,
        **over,
    }
    return {name: value for name, value in made.items() if value is not None}


def payload(
    phone_number_id: str,
    *messages: dict[str, Any],
    statuses: list[dict[str, Any]] | None = None,
    field: str = "messages",
) -> dict[str, Any]:
    """One call with all of them."""
    people = {str(each.get("from", "")) for each in messages}
    value: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "34600000000", "phone_number_id": phone_number_id},
        "contacts": [{"profile": {"name": "Lucía"}, "wa_id": person} for person in sorted(people)],
        "messages": list(messages),
    }
    if statuses is not None:
        value["statuses"] = statuses
    changes = [{"value": value, "field": field}]
    entry = [{"id": "102290129340398", "changes": changes}]
    return {"object": "whatsapp_business_account", "entry": entry}


def status(state: str = "delivered", *, chat_id: str = "34600111222") -> dict[str, Any]:
    """Of a message that we sent."""
    wamid = f"wamid.OUT{next(_numbers)}"
    at = str(int(time.time()))
    return {"id": wamid, "status": state, "timestamp": at, "recipient_id": chat_id}


def signed_call(content: object, app_secret: str) -> tuple[dict[str, str], bytes]:
    """Headers and body."""
    body = json.dumps(content).encode()
    signature = hmac.new(app_secret.encode(), body, hashlib.sha256).hexdigest()
    return {"Content-Type": "application/json", SIGNATURE_HEADER: f"sha256={signature}"}, body


@contextmanager
def serve_whatsapp() -> Iterator[WhatsAppServer]:
    whatsapp = WhatsAppServer()
    with serving(whatsapp, WhatsAppHandler):
        yield whatsapp
