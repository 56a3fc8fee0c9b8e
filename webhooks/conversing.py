"""Tending a chat: what waits to go out is sent, what waits for an answer is answered, in order.

An answer is written down, in the transaction that marks its messages as handled, before any of it
is sent: whatever dies after that, nobody is asked twice. docs/decisions/0015-chats-are-leased.md.
"""

from __future__ import annotations

import logging
import time
import traceback
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models import Tenant
from accounts.services.request_limits import take_request_of_strangers
from channels.connections import mark_failing, note_failure, open_messenger
from channels.models import ConnectionStatus
from channels.surfaces.base import Messenger
from config.errors import ServiceError
from config.jobs.back_off import BackOff
from config.security.encryption import CannotDecrypt
from config.security.rate_limits import Limit, LimitsUnavailable, take, wait_seconds
from language.words import Language
from query.answering.redirecting import FALLBACK
from query.answering.redirecting import TEXTS as QUERY_TEXTS
from query.models import TEXT_MAX_CHARS
from query.presentation.source_list import write_source_list
from query.services.asking import ask, require_active
from query.understanding.inquiries import Inquiry
from reasons import Reason
from webhooks.bursts import Burst, Sort, next_burst
from webhooks.chats import (
    claim_chat,
    leased,
    list_waiting,
    lock_chat,
    oldest_reply,
    release_chat,
    renew_lease,
)
from webhooks.models import Chat, InboundMessage
from webhooks.replies import keep_reply, write_parts
from webhooks.sending import FAILING_WAIT, send_next_part, why_closed

logger = logging.getLogger(__name__)

TENDING_SECONDS = 50.0  # of one chat; then the others have their turn
QUESTIONS = Limit("questions of a chat", 30, 600)  # beyond, they wait
FAILURES_MAX = 6  # in a row, at one burst
# Most failures pass in seconds, and the person is waiting in the chat.
BACK_OFF = BackOff(first_seconds=2, longest_seconds=300)

TEXTS: dict[Language, dict[str, str]] = {
    "es": {
        "text only": "Por ahora solo puedo leer mensajes de texto. Escríbeme tu pregunta,"
        " por favor.",
        "too long": "Tu mensaje es demasiado largo para mí. ¿Me lo escribes en menos de"
        " {chars} caracteres, por favor?",
        "unavailable": "Ahora mismo no puedo responder por aquí. Inténtalo más tarde, por favor.",
    },
    "en": {
        "text only": "I can only read text messages for now. Please write your question to me.",
        "too long": "Your message is too long for me. Could you please put it in fewer than"
        " {chars} characters?",
        "unavailable": "I cannot answer here right now. Please try again later.",
    },
}
NO_KEY = Reason("channel_key_missing")
TOO_MANY_WAIT = Reason("answers_delayed")


class Held(Exception):
    """A pause of a chat: nothing is done in it before `until`."""

    def __init__(self, until: datetime) -> None:
        self.until = until
        super().__init__(f"until {until}")


@dataclass(frozen=True)
class Response:
    """An answer. `texts`: in their order; empty for a message that is passed over."""

    texts: tuple[str, ...]
    tells_text_only: bool = False


def tend_chat(tenant: Tenant, chat_id: uuid.UUID) -> datetime | None:
    """Does what is due, for TENDING_SECONDS at most. Returns when the chat is due again, or None if
    another worker holds it or nothing waits.

    A chat whose worker raises stays claimed until its lease ends: that is its back-off.
    """
    chat = claim_chat(tenant, chat_id)
    if chat is None:
        return None
    held_until = None
    stop_at = time.monotonic() + TENDING_SECONDS
    try:
        while chat is not None and take_step(chat) and time.monotonic() < stop_at:
            chat = renew_lease(chat)
    except Held as hold:
        held_until = hold.until
    return release_chat(chat, held_until=held_until) if chat is not None else None


def take_step(chat: Chat) -> bool:
    """Takes the next step in the chat. True if another may follow at once. Raises Held."""
    reply = oldest_reply(chat)
    waiting = [] if reply is not None else list_waiting(chat)
    if reply is None and not waiting:
        return False
    messenger = open_or_hold(chat)
    if reply is not None:
        return send_next_part(chat, reply, messenger)
    burst = next_burst(waiting)
    if burst.ready_at > timezone.now():
        return False
    answer_burst(chat, burst, messenger)
    return True


def open_or_hold(chat: Chat) -> Messenger:
    try:
        return open_messenger(chat.connection)
    except CannotDecrypt:
        mark_failing(chat.connection, NO_KEY)
        raise Held(timezone.now() + FAILING_WAIT) from None


# --- Answering ------------------------------------------------------------------------------------


def answer_burst(chat: Chat, burst: Burst, messenger: Messenger) -> None:
    """Writes the answer down, to be sent in the next step. Raises Held."""
    if chat.connection.status == ConnectionStatus.FAILING:
        raise Held(timezone.now() + FAILING_WAIT)  # nobody would get what it costs
    if reason := why_closed(chat, messenger):
        note_failure(chat.connection, reason)
        keep_response(chat, burst, [], error_message=str(reason))
        return
    is_passed_over = is_media_alone(burst) and chat.told_text_only_at is not None
    if not is_passed_over:
        limit_questions(chat)
    try:
        response = Response(()) if is_passed_over else respond(chat, burst)
        parts = [part for text in response.texts for part in write_parts(messenger, text)]
    except Exception as error:  # noqa: BLE001 - a message must not block its chat
        note_fault(chat, burst, error)
    else:
        keep_response(chat, burst, parts, tells_text_only=response.tells_text_only)


def is_media_alone(burst: Burst) -> bool:
    return burst.sort is Sort.QUESTION and not burst.text


def limit_questions(chat: Chat) -> None:
    """Counts the question, unless it has to wait: then raises Held, for the chat's own limit or for
    the requests a minute of its tenant. A waiting question uses up neither. Lets through when Redis
    does not answer."""
    key = f"{chat.tenant_id}:{chat.pk}"
    try:
        seconds = wait_seconds(QUESTIONS, key)
        if not seconds and (seconds := take_request_of_strangers(chat.tenant)):
            note_failure(chat.connection, TOO_MANY_WAIT)
        seconds = seconds or take(QUESTIONS, key)
    except LimitsUnavailable:
        return
    if seconds:
        raise Held(timezone.now() + timedelta(seconds=seconds))


def respond(chat: Chat, burst: Burst) -> Response:
    """Answers the burst. On an expected failure the person hears that it is not their fault, and
    nothing of plans; the reason and the remedy are shown with the connection."""
    inquiry = make_inquiry(chat, burst)
    language = inquiry.message.language
    try:
        return write_response(chat, burst, inquiry, language)
    except ServiceError as error:
        note_failure(chat.connection, Reason("people_unanswered", reason=error.reason))
        return Response((TEXTS[language]["unavailable"],))


def write_response(chat: Chat, burst: Burst, inquiry: Inquiry, language: Language) -> Response:
    """Raises ServiceError, CannotDecrypt."""
    agent, texts = require_active(chat.connection.agent), TEXTS[language]
    if burst.sort is Sort.UNREADABLE:
        raise CannotDecrypt
    if burst.sort is Sort.START:
        return Response((agent.welcome_msg or QUERY_TEXTS[language]["greeting"],))
    if burst.sort is Sort.TOO_LONG:
        return Response((texts["too long"].format(chars=TEXT_MAX_CHARS),))
    answers = (ask_agent(inquiry, language),) if burst.text else ()
    if burst.has_media and chat.told_text_only_at is None:
        return Response((*answers, texts["text only"]), tells_text_only=True)
    return Response(answers)


def make_inquiry(chat: Chat, burst: Burst) -> Inquiry:
    """Makes the inquiry. If the message does not tell its language, it is that of the person's app,
    or else the company's."""
    return Inquiry(
        chat.tenant,
        burst.text,
        chat.connection.agent,
        chat.connection.channel_type,
        session_id=chat.external_id,
        wants_to_buy=burst.is_order,
        language="es" if (chat.language or chat.tenant.language) == "es" else "en",
    )


def ask_agent(inquiry: Inquiry, language: Language) -> str:
    answer = ask(inquiry)
    names_sources = inquiry.marks_sources
    return answer.text + (write_source_list(answer, language) if names_sources else "")


@transaction.atomic
def keep_response(
    chat: Chat,
    burst: Burst,
    parts: list[str],
    *,
    tells_text_only: bool = False,
    error_message: str = "",
) -> None:
    """Writes the answer and marks the messages, both or neither: the lease may be another worker's
    by now."""
    if lock_chat(chat) is None:
        logger.warning("chat %s: an answer was too late, another worker has it", chat.pk)
        return
    now = timezone.now()
    messages = InboundMessage.objects.for_tenant(chat.tenant).filter(pk__in=burst.ids)
    messages.update(handled_at=now, encrypted_text=b"", error_message=error_message)
    if parts:
        keep_reply(chat, parts)
    leased(chat).update(failures=0, **({"told_text_only_at": now} if tells_text_only else {}))


# --- Faults ---------------------------------------------------------------------------------------


def note_fault(chat: Chat, burst: Burst, error: Exception) -> None:
    """Notes a fault, and has the answer tried again, later each time. Raises Held, until the last
    time."""
    failures, kind = chat.failures + 1, type(error).__name__
    # Not its words: they may be the person's.
    where = "".join(traceback.format_tb(error.__traceback__))
    logger.error("chat %s not answered, failure %d: %s\n%s", chat.pk, failures, kind, where)
    if failures >= FAILURES_MAX:
        give_up(chat, burst, Reason("message_failed", kind=kind))
        return
    leased(chat).update(failures=failures)
    raise Held(timezone.now() + BACK_OFF.wait_after(failures))


def give_up(chat: Chat, burst: Burst, reason: Reason) -> None:
    note_failure(chat.connection, reason)
    keep_response(chat, burst, [FALLBACK], error_message=str(reason))
