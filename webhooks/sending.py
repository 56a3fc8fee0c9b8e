"""Sends a part of a reply once, and deals with the outcome."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from accounts.models.tenancy import TenantQuerySet
from channels.connections import is_taken_over, mark_failing, mark_working, note_failure, pause
from channels.errors import (
    ChatRefused,
    CredentialsRefused,
    MessengerBusy,
    MessengerUnreachable,
    TextRefused,
)
from channels.models import REASON_MAX_CHARS, ChannelConnection, ConnectionStatus
from channels.surfaces.base import Messenger, Undelivered
from config.database.pool import release_connection
from config.jobs.back_off import BackOff
from config.security.encryption import CannotDecrypt
from config.security.rate_limits import Limit, LimitsUnavailable, take
from reasons import Reason
from webhooks.chats import waiting_replies, wake_chats
from webhooks.models import Chat, Reply
from webhooks.replies import open_parts

logger = logging.getLogger(__name__)

PACE_SECONDS = 2  # that a worker waits for its turn; what takes longer is due later
BACK_OFF = BackOff(first_seconds=2, longest_seconds=900)  # from a messenger that is away
# An answer that comes a day late confuses more than it helps.
GIVE_UP_AFTER = timedelta(hours=24)
# The next attempt while the messenger refuses our credentials. Connecting again makes it now.
FAILING_WAIT = timedelta(hours=1)

TOO_OLD = Reason("answer_given_up")
NO_KEY = Reason("answer_key_missing")


def send_next_part(chat: Chat, reply: Reply, messenger: Messenger) -> bool:
    """Sends the first part of a waiting reply that is not sent yet. True if the next step may
    follow at once.

    Outside any transaction; what came of it is committed before this returns.
    """
    if reason := why_too_late(chat, reply, messenger):
        fail_reply(chat, reply, reason)
        return True
    if is_waiting(chat, reply):
        return False
    if seconds := wait_for_turn(chat, messenger):
        try_later(reply, seconds)
        return False
    return send_part(chat, reply, messenger)


def is_waiting(chat: Chat, reply: Reply) -> bool:
    now, paused_until = timezone.now(), chat.connection.paused_until
    is_early = reply.next_attempt_at is None or reply.next_attempt_at > now
    return is_early or (paused_until is not None and paused_until > now)


def why_too_late(chat: Chat, reply: Reply, messenger: Messenger) -> Reason | None:
    """The reason why the reply is not sent any more; None while it may be."""
    is_old = timezone.now() > reply.created_at + GIVE_UP_AFTER
    return why_closed(chat, messenger) or (TOO_OLD if is_old else None)


def why_closed(chat: Chat, messenger: Messenger) -> Reason | None:
    """The reason why nothing may be sent to the chat before its person writes again; None while it
    may."""
    window = messenger.reply_window
    if window is None or timezone.now() <= chat.last_inbound_at + window:
        return None
    return Reason("answer_too_late", hours=int(window.total_seconds()) // 3600)


def send_part(chat: Chat, reply: Reply, messenger: Messenger) -> bool:
    try:
        parts = open_parts(reply)
        messenger.send_text(chat.external_id, parts[reply.parts_sent])
    except MessengerBusy as busy:
        if busy.is_for_all:
            pause(chat.connection, busy.wait_seconds)
        try_later(reply, busy.wait_seconds)
    except MessengerUnreachable as error:
        back_off(reply, error.reason)
    except CredentialsRefused as error:
        mark_failing(chat.connection, Reason("channel_stopped", reason=error.reason))
        waiting(reply).update(next_attempt_at=timezone.now() + FAILING_WAIT)
    except ChatRefused as error:
        fail_chat(chat, Reason("chat_unanswerable", reason=error.reason))
        return True
    except TextRefused as error:
        fail_reply(chat, reply, Reason("answer_refused", reason=error.reason))
        return True
    except CannotDecrypt:
        fail_reply(chat, reply, NO_KEY)
        return True
    except Exception as error:  # noqa: BLE001 - one reply's fault must not hold up the others
        # Not its words or its trace: they may hold the address of the call, and that a secret.
        back_off(reply, Reason("answer_failed", kind=type(error).__name__))
    else:
        note_sent(reply)
        note_success(chat)
        return True
    return False


# --- Pace -----------------------------------------------------------------------------------------


def wait_for_turn(chat: Chat, messenger: Messenger) -> int:
    """Keeps to the messenger's limits. Returns the seconds still to wait, after PACE_SECONDS; 0:
    now.

    Without Redis the messenger's own "429" sets the pace.
    """
    waited = 0
    try:
        for limit, key in limits_of(chat, messenger):
            while seconds := take(limit, key):
                if waited + seconds > PACE_SECONDS:
                    return seconds
                release_connection()
                time.sleep(seconds)
                waited += seconds
    except LimitsUnavailable:
        pass
    return 0


def limits_of(chat: Chat, messenger: Messenger) -> Iterator[tuple[Limit, str]]:
    tenant = chat.tenant_id
    if messenger.chat_pause_seconds:
        yield Limit("sends to a chat", 1, messenger.chat_pause_seconds), f"{tenant}:{chat.pk}"
    yield Limit("sends", messenger.sends_per_second, 1), f"{tenant}:{chat.connection_id}"


# --- What came of it ------------------------------------------------------------------------------


def waiting(reply: Reply) -> TenantQuerySet[Reply]:
    """The reply's row, or no row once another worker has sent this part."""
    replies = Reply.objects.for_tenant(reply.tenant)
    known = {"pk": reply.pk, "parts_sent": reply.parts_sent}
    return replies.filter(next_attempt_at__isnull=False, **known)


def note_sent(reply: Reply) -> None:
    """Notes that a part was sent. The last part ends the reply: its text is erased."""
    sent = reply.parts_sent + 1
    fields: dict[str, object] = {"parts_sent": sent, "attempts": 0, "error_message": ""}
    if sent >= reply.parts_count:
        fields |= {"sent_at": timezone.now(), "next_attempt_at": None, "encrypted_parts": b""}
    waiting(reply).update(**fields)


def note_success(chat: Chat) -> None:
    """Marks the connection as working, and wakes its other chats, which need not wait any more. Not
    if another agent has its account now: that reason stays although texts get through."""
    is_failing = chat.connection.status == ConnectionStatus.FAILING
    if is_failing and not is_taken_over(chat.connection) and mark_working(chat.connection):
        with transaction.atomic():
            wake_chats(chat.connection)


def note_undelivered(connection: ChannelConnection, told: Sequence[Undelivered]) -> None:
    """Notes why messages did not arrive that the messenger had accepted. The channel stops if the
    whole account is refused. What it told before the channel was connected again is old,
    and what went to people whom we do not know was not sent by us."""
    connected_at = connection.connected_at.replace(microsecond=0)  # messengers tell whole seconds
    current = [each for each in told if each.failed_at >= connected_at]
    refused = [each for each in current if isinstance(each.failure, CredentialsRefused)]
    if refused:
        mark_failing(connection, Reason("channel_stopped", reason=refused[-1].failure.reason))
        return
    of_chats = [each for each in current if isinstance(each.failure, ChatRefused | TextRefused)]
    if not of_chats:
        return
    chats = Chat.objects.for_tenant(connection.tenant).filter(connection=connection)
    known = chats.filter(external_id__in={each.chat_id for each in of_chats})
    ids = set(known.values_list("external_id", flat=True))
    ours = [each for each in of_chats if each.chat_id in ids]
    if ours:
        note_failure(connection, Reason("chat_unanswerable", reason=ours[-1].failure.reason))


def try_later(reply: Reply, seconds: int) -> None:
    waiting(reply).update(next_attempt_at=timezone.now() + timedelta(seconds=seconds))


def back_off(reply: Reply, reason: Reason) -> None:
    attempts = reply.attempts + 1
    logger.warning("reply %s not sent, attempt %d: %s", reply.pk, attempts, reason)
    waiting(reply).update(
        attempts=attempts,
        next_attempt_at=timezone.now() + BACK_OFF.wait_after(attempts),
        error_message=str(reason)[:REASON_MAX_CHARS],
    )


def fail_reply(chat: Chat, reply: Reply, reason: Reason) -> None:
    waiting(reply).update(**ended(reason))
    note_failure(chat.connection, reason)


def fail_chat(chat: Chat, reason: Reason) -> None:
    """Gives up this reply, and all others that wait for the same person."""
    waiting_replies(chat).update(**ended(reason))
    note_failure(chat.connection, reason)


def ended(reason: Reason) -> dict[str, str | bytes | datetime | None]:
    return {
        "next_attempt_at": None,
        "failed_at": timezone.now(),
        "error_message": str(reason)[:REASON_MAX_CHARS],
        "encrypted_parts": b"",
    }
