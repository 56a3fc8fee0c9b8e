"""WhatsApp Business Cloud API: developers.facebook.com/docs/whatsapp/cloud-api, read 2026-11-21.

A person who hides their phone number is known by a business-scoped user id, as "ES.1234567890":
developers.facebook.com/documentation/business-messaging/whatsapp/business-scoped-user-ids.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils.translation import gettext_noop

from channels.errors import ChatRefused, CredentialsRefused, MessengerFailed, TextRefused
from channels.surfaces.base import (
    CONNECT_SECONDS,
    SEND_SECONDS,
    ConfigField,
    Handshake,
    IncomingMessage,
    MessageKind,
    Messenger,
    Undelivered,
    Webhook,
)
from channels.surfaces.calling import (
    MessengerAnswer,
    as_list,
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
    read_number,
    read_text,
    read_time,
)
from channels.surfaces.whatsapp.markup import without_markup
from reasons import Reason, join_reasons

# It is handed back to anybody who asks: nothing but a plain word.
CHALLENGE = re.compile(r"[\x20-\x7e]{1,200}")
SIGNATURE_HEADER = "x-hub-signature-256"
SIGNATURE = re.compile(r"sha256=[0-9a-f]{64}")
BODY_MAX_BYTES = 3 * 1024 * 1024  # of a call, which may tell of 1,000 messages that had to wait
# A business-scoped user id, and one shared by several portfolios: "ES.ENT.1234567890".
USER_ID = re.compile(r"[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}")
PHONE_NUMBER_ID = re.compile(r"[0-9]{1,50}")
PRINTABLE = re.compile(r"[!-~]+")  # what a header can hold
# Kinds that ask for no answer. One that nobody knows yet cannot be read, as media cannot.
SILENT = frozenset({"sticker", "reaction", "system", "edit", "revoke", "ephemeral"})
READ = frozenset({"text", "button", "interactive", "order"})
ORDERED_MAX = 20  # products that the text of an order names

# Codes of errors, which say more than the status of HTTP and do not always agree with it:
# developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes.
# The account: token, permissions, app, payment, the number itself, a broken policy.
ACCOUNT_CODES = frozenset(
    {0, 3, 10, 33, 190, 368, 131005, 131031, 131037, 131042, 131045, 133006, 133010}
) | frozenset(range(200, 300))
# The person: no WhatsApp, not among those of a test number, ourselves, opted out, another country.
CHAT_CODES = frozenset({130472, 130497, 131021, 131026, 131030, 131047, 131049, 131050, 131062})
# The 24 hours after the person's last message are over: it has a reason of its own, because waiting
# for the person's next message helps and nothing else does.
WINDOW_CODE = 131047
# With what is waited for; the messenger seldom says how long.
BUSY_SECONDS = {4: 60, 17: 60, 32: 60, 613: 60, 80007: 60, 130429: 5, 131048: 900}
PAIR_CODE, PAIR_SECONDS = 131056, 6  # too many messages to one person
# Faults of the messenger itself. They come with the status of a wrong request, and pass.
FAULT_CODES = frozenset({1, 2, 131000, 131016, 131057, 133004})
PARAMETER_CODE, NO_ACCESS_SUBCODE = 100, 33  # of a thing that is not there, or not for this token

ACCOUNT_REFUSED = Reason("phone_number_refused")
WINDOW_CLOSED = Reason("window_closed")
CHAT_REFUSED = Reason("person_not_reached")


class WhatsApp(Messenger):
    """The WhatsApp Business messenger, configured with the credentials that its owner sends."""

    kind = "messenger_b"
    label = "WhatsApp"
    connect_help = (
        "needs `phone_number_id`, `system_user_token`, `app_secret` and `verify_token`: enter the"
        " address of its webhook, and the verify token, with the platform."
    )
    fields = (
        ConfigField(
            "phone_number_id",
            gettext_noop("the phone number's ID, digits only"),
            example="100000000000000",
            label=gettext_noop("Phone number ID"),
            max_chars=100,
            pattern=r"^[0-9]+$",
            message=gettext_noop("Enter digits only: the number's ID, not the phone number."),
            is_secret=False,
        ),
        ConfigField(
            "system_user_token",
            gettext_noop("an access token of a system user"),
            example="<an access token of a system user>",
            label=gettext_noop("System user token"),
        ),
        ConfigField(
            "app_secret",
            gettext_noop("the app's secret, which signs calls"),
            example="<the app's secret>",
            label=gettext_noop("App secret"),
        ),
        ConfigField(
            "verify_token",
            gettext_noop("the token that you chose to verify the webhook"),
            example="<what you chose for the webhook>",
            label=gettext_noop("Verify token"),
        ),
    )
    steps = (
        gettext_noop("In Meta's developer console, create an app with WhatsApp and a system user."),
        gettext_noop("Copy the number's ID, the token and the app secret, and paste them here."),
        gettext_noop(
            "In Meta's console, enter the webhook address shown here and the same verify token."
        ),
    )
    webhook = Webhook(
        "/webhooks/messenger_b/agent/{agent_id}",
        summary="Deliver messages of messenger_b",
        header="X-Hub-Signature-256",
        header_help="`sha256=` and the HMAC-SHA256 of the body, in hexadecimal.",
        body_max_bytes=BODY_MAX_BYTES,
        handshake=Handshake(
            "Verify the webhook of messenger_b",
            "Answers with `hub.challenge` if the verify_token is right.",
            {
                "hub.mode": "`subscribe`",
                "hub.verify_token": "The verify_token that the channel was connected with.",
                "hub.challenge": "At most 200 printable ASCII characters.",
            },
        ),
    )
    text_max_units = 4096
    sends_per_second = 70  # the documented limit is 80
    chat_pause_seconds = 0
    reply_window = timedelta(hours=24)

    @property
    def account_id(self) -> str:
        return self.config["phone_number_id"]

    def connect(self, webhook_url: str) -> None:
        """Checks the credentials. Only the app's owner can register the webhook, at Meta."""
        if not PHONE_NUMBER_ID.fullmatch(self.config["phone_number_id"]):
            raise CredentialsRefused(Reason("phone_number_id_wrong"))
        if not PRINTABLE.fullmatch(self.config["system_user_token"]):
            raise CredentialsRefused(Reason("system_user_token_wrong"))
        query = {"fields": "display_phone_number,verified_name"}
        answer = self._call("GET", "", query=query, deadline_seconds=CONNECT_SECONDS)
        failure = self._failure(answer, expected="id")
        if isinstance(failure, TextRefused | ChatRefused):
            raise CredentialsRefused(
                join_reasons(ACCOUNT_REFUSED, Reason("messenger_says", words=self._words(answer)))
            )
        if failure:
            raise failure

    def disconnect(self) -> None:
        """Does nothing: the webhook is the app's, and its calls are refused from now on."""

    def send_text(self, chat_id: str, text: str) -> None:
        message = {
            "messaging_product": "whatsapp",
            "recipient_type": "individual",
            "recipient" if USER_ID.fullmatch(chat_id) else "to": chat_id,
            "type": "text",
            "text": {"preview_url": False, "body": text},
        }
        answer = self._call("POST", "/messages", json=message, deadline_seconds=SEND_SECONDS)
        if failure := self._failure(answer, expected="messages"):
            raise failure

    def may_be_genuine(self, headers: Mapping[str, str]) -> bool:
        return bool(SIGNATURE.fullmatch(signature_in(headers)))

    def is_genuine(self, headers: Mapping[str, str], body: bytes) -> bool:
        secret = self.config["app_secret"].encode()
        expected = f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}"
        sent = signature_in(headers).encode(errors="surrogatepass")
        return bool(secret) and hmac.compare_digest(sent, expected.encode())

    def answer_handshake(self, given: Mapping[str, str]) -> str | None:
        challenge = given.get("hub.challenge", "")
        is_known = is_equal(given.get("hub.verify_token", ""), self.config["verify_token"])
        is_asked = given.get("hub.mode") == "subscribe" and CHALLENGE.fullmatch(challenge)
        return challenge if is_known and is_asked else None

    def read_messages(self, payload: object) -> Sequence[IncomingMessage]:
        return [
            incoming
            for message in self._own(as_object(payload), "messages")
            for incoming in read_message(message)
        ]

    def as_plain(self, text: str) -> str:
        return without_markup(clean(text))

    def read_undelivered(self, payload: object) -> Sequence[Undelivered]:
        found = []
        for status in self._own(as_object(payload), "statuses"):
            recipients = (status.get("recipient_id"), status.get("recipient_user_id"))
            chat_id = next(filter(None, map(read_id, recipients)), "")
            error = next(map(as_object, as_list(status.get("errors"))), {})
            code = as_number(error.get("code"))
            if status.get("status") == "failed" and chat_id and code is not None:
                failure = self._failure_of_code(code, MessengerAnswer(400, {}, {"error": error}))
                found.append(Undelivered(chat_id, failure, read_time(status.get("timestamp"))))
        return found

    def _own(self, payload: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
        """Yields what is told of our phone number, `kind` being "messages" to it or "statuses" of
        those from it: an app may have other numbers, and all of them call one address."""
        for entry in as_list(payload.get("entry")):
            for change in as_list(as_object(entry).get("changes")):
                value = as_object(as_object(change).get("value"))
                number = as_object(value.get("metadata")).get("phone_number_id")
                is_ours = read_id(number) == self.config["phone_number_id"]
                if is_ours and as_object(change).get("field") == "messages":
                    yield from map(as_object, as_list(value.get(kind)))

    # --- Calls ------------------------------------------------------------------------------------

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        json: object = None,
        deadline_seconds: float,
    ) -> MessengerAnswer:
        """Calls the messenger with the proof that we know the app's secret, so that a wrong one is
        found at once: https://developers.facebook.com/docs/graph-api/guides/secure-requests."""
        token, secret = self.config["system_user_token"], self.config["app_secret"]
        proof = hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()
        parameters = urlencode({**(query or {}), "appsecret_proof": proof})
        number = self.config["phone_number_id"]
        return call_messenger(
            method,
            f"{settings.MESSENGER_B_API_URL}/{number}{path}?{parameters}",
            json=json,
            headers={"Authorization": f"Bearer {token}"},
            deadline_seconds=deadline_seconds,
        )

    def _failure(self, answer: MessengerAnswer, *, expected: str) -> MessengerFailed | None:
        """Returns the failure that the answer tells, or None if it contains `expected`."""
        error = as_object(answer.content.get("error"))
        if answer.is_ok and not error:
            return None if answer.content.get(expected) else unusable(answer)
        code = as_number(error.get("code"))
        if code is None:
            return self._failure_without_code(answer)
        return self._failure_of_code(code, answer)

    def _failure_of_code(self, code: int, answer: MessengerAnswer) -> MessengerFailed:
        words = self._words(answer)
        if code == PAIR_CODE:
            return busy(self._wait_seconds(answer, PAIR_SECONDS), is_for_all=False)
        if code in BUSY_SECONDS:
            return busy(self._wait_seconds(answer, BUSY_SECONDS[code]), is_for_all=True)
        if code in ACCOUNT_CODES or is_about_access(code, answer):
            return CredentialsRefused(
                join_reasons(ACCOUNT_REFUSED, Reason("messenger_says", words=words))
            )
        if code == WINDOW_CODE:
            return ChatRefused(WINDOW_CLOSED)
        if code in CHAT_CODES:
            return ChatRefused(join_reasons(CHAT_REFUSED, Reason("messenger_says", words=words)))
        if code in FAULT_CODES:
            return unusable(answer)
        return self._failure_without_code(answer)

    def _failure_without_code(self, answer: MessengerAnswer) -> MessengerFailed:
        """The failure by HTTP status, for errors without a code or with one that we do not know."""
        if answer.status == 429:
            return busy(self._wait_seconds(answer, BUSY_SECONDS[80007]), is_for_all=True)
        if not answer.content.get("error") or not 400 <= answer.status < 500:
            return unusable(answer)
        if answer.status in {401, 403}:
            return CredentialsRefused(
                join_reasons(ACCOUNT_REFUSED, Reason("messenger_says", words=self._words(answer)))
            )
        return TextRefused(Reason("text_refused", words=self._words(answer)))

    def _wait_seconds(self, answer: MessengerAnswer, default: int) -> int:
        return read_wait_seconds(None, answer.headers, default=default)

    def _words(self, answer: MessengerAnswer) -> str:
        error = as_object(answer.content.get("error"))
        details = as_object(error.get("error_data")).get("details")
        secrets = [value for name, value in self.config.items() if name != "phone_number_id"]
        words = (told_words(said, secrets) for said in (details, error.get("message")))
        return next(filter(None, words), "nothing more")


def signature_in(headers: Mapping[str, str]) -> str:
    """Returns the signature header; "" without one."""
    values = {name.lower(): value for name, value in headers.items()}
    return values.get(SIGNATURE_HEADER, "")


def is_equal(given: str, expected: str) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(
        given.encode(errors="surrogatepass"), expected.encode(errors="surrogatepass")
    )


def is_about_access(code: int, answer: MessengerAnswer) -> bool:
    """True if a parameter's error concerns access: the phone number does not exist or is not open
    to this token, or the proof of the app's secret is wrong."""
    error = as_object(answer.content.get("error"))
    is_proof = "appsecret_proof" in str(error.get("message"))
    return code == PARAMETER_CODE and (is_proof or error.get("error_subcode") == NO_ACCESS_SUBCODE)


def read_message(message: dict[str, Any]) -> list[IncomingMessage]:
    message_id = read_id(message.get("id"))
    chat_id = read_id(message.get("from")) or read_id(message.get("from_user_id"))
    if not message_id or not chat_id or "group_id" in message:
        return []
    sent_at = read_time(message.get("timestamp"))
    position = read_number(message.get("timestamp"))
    return [
        IncomingMessage(
            provider_message_id=f"{message_id}{suffix}",
            chat_id=chat_id,
            kind=kind,
            text=text,
            position=position if position is not None else int(sent_at.timestamp()),
            sent_at=sent_at,
        )
        for suffix, kind, text in read_contents(message)
        if len(message_id + suffix) <= ID_MAX_CHARS
    ]


def read_contents(message: dict[str, Any]) -> list[tuple[str, MessageKind, str]]:
    """Reads the contents of a message: a suffix of its id, a kind and a text. A caption is a text
    of its own."""
    kind = message.get("type")
    if not isinstance(kind, str):
        return []
    content = as_object(message.get(kind))
    if text := read_text(read_written(kind, content)):
        return [("", MessageKind.ORDER if kind == "order" else MessageKind.TEXT, text)]
    if kind == "request_welcome":
        return [("", MessageKind.START, "")]
    if kind in SILENT or kind in READ:
        return []
    caption = read_text(content.get("caption"))
    captions = [(":caption", MessageKind.TEXT, caption)] if caption else []
    return [("", MessageKind.MEDIA, ""), *captions]


def read_written(kind: str, content: dict[str, Any]) -> object:
    """The text that the person wrote, or the words on the button that they pressed."""
    if kind == "text":
        return content.get("body")
    if kind == "button":
        return content.get("text")
    if kind == "interactive":
        pressed = content.get("button_reply") or content.get("list_reply")
        return as_object(pressed).get("title")
    if kind == "order":
        return content.get("text") or write_products(content)
    return None


def write_products(order: dict[str, Any]) -> str:
    """Returns the products of an order that its person sent without a word: "2 × A1, 1 × B2"."""
    products = [as_object(item) for item in as_list(order.get("product_items"))[:ORDERED_MAX]]
    named = [(as_number(one.get("quantity")), one.get("product_retailer_id")) for one in products]
    return ", ".join(f"{count or 1} × {name}" for count, name in named if isinstance(name, str))
