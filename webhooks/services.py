"""Use cases of webhooks. All of it takes milliseconds: a worker answers the message."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Never

from channels.connections import find_connection, note_call, open_messenger
from channels.models import ChannelConnection
from channels.surfaces.base import Messenger
from config.errors import InvalidRequestBody, ServiceUnavailable, Unauthorized
from config.jobs.enqueueing import enqueue
from config.security.encryption import CannotDecrypt
from config.security.rate_limits import Limit, LimitsUnavailable, take
from webhooks.bursts import QUIET_SECONDS
from webhooks.inbox import keep_messages
from webhooks.models import Chat
from webhooks.sending import note_undelivered
from webhooks.tasks import tend_chat

# The same for every cause: a caller who has no secret learns nothing.
NOT_GENUINE = "The call does not prove that it comes from the messenger."
# No messenger sends more (messenger_b: up to 1,000 updates in a call). It would hold a thread for
# minutes.
CALL_MAX_MESSAGES = 1000
# Of one call: to hand over a chat takes milliseconds. The others are found by beat.
HANDED_OVER_MAX = 20
# What is handed over is tended first come, first served. Beat, which finds the others, takes all
# tenants in turn: so nobody waits behind thousands of chats of one tenant.
HANDED_OVER_OF_TENANT = Limit("chats_handed_over", 40, 5)
UNREADABLE = "This channel cannot accept messages right now. Deliver them again later."


@dataclass(frozen=True)
class Call:
    """A call whose body is worth reading: to an agent that is at the channel."""

    connection: ChannelConnection
    messenger: Messenger


def admit_call(channel_type: str, agent_id: uuid.UUID | None, headers: Mapping[str, str]) -> Call:
    """Admits a call by its headers, before its body has come: strangers' bodies take room and time.

    Raises:
        AgentNotFound: no such agent, or it is not at this channel.
        Unauthorized: somebody else's call.
        ServiceUnavailable: no key of ours opens the connection's secrets.
    """
    connection = find_connection(agent_id, channel_type)
    call = Call(connection, open_or_refuse(connection))
    if not call.messenger.may_be_genuine(headers):
        refuse_call(call)
    return call


def receive_call(call: Call, headers: Mapping[str, str], body: bytes) -> None:
    """Keeps the messages of a messenger's call for a worker.

    Nothing in `body` is looked at before the messenger has proved to have sent it. A payload
    without a message for us is fine; so is an inactive agent: the worker decides what it hears.

    Raises:
        Unauthorized: somebody else's call.
        InvalidRequestBody: no JSON, or more than CALL_MAX_MESSAGES.
    """
    if not call.messenger.is_genuine(headers, body):
        refuse_call(call)
    content = parse(body)
    messages = call.messenger.read_messages(content)
    if len(messages) > CALL_MAX_MESSAGES:
        raise InvalidRequestBody(f"Deliver at most {CALL_MAX_MESSAGES} messages in one call.")
    chats = keep_messages(call.connection, messages)
    note_undelivered(call.connection, call.messenger.read_undelivered(content))
    note_call(call.connection, was_refused=False)
    enqueue_chats(chats)


def refuse_call(call: Call) -> Never:
    note_call(call.connection, was_refused=True)
    raise Unauthorized(NOT_GENUINE)


def enqueue_chats(chats: Sequence[Chat]) -> None:
    """Hands the chats to workers. Beat finds those that are left out, within seconds."""
    for chat in chats[:HANDED_OVER_MAX]:
        ids = str(chat.pk), str(chat.tenant_id)
        if not may_hand_over(chat) or not enqueue(tend_chat, *ids, countdown_seconds=QUIET_SECONDS):
            return


def may_hand_over(chat: Chat) -> bool:
    try:
        return take(HANDED_OVER_OF_TENANT, str(chat.tenant_id)) == 0
    except LimitsUnavailable:  # then the broker, which is Redis too, is away, and the caller waits
        return False


def answer_handshake(
    channel_type: str, agent_id: uuid.UUID | None, given: Mapping[str, str]
) -> str:
    """Returns the text with which a messenger verifies our address.

    Raises AgentNotFound, Unauthorized, ServiceUnavailable.
    """
    messenger = open_or_refuse(find_connection(agent_id, channel_type))
    answer = messenger.answer_handshake(given)
    if answer is None:
        raise Unauthorized(NOT_GENUINE)
    return answer


def open_or_refuse(connection: ChannelConnection) -> Messenger:
    try:
        return open_messenger(connection)
    except CannotDecrypt as error:
        raise ServiceUnavailable(UNREADABLE) from error


def parse(body: bytes) -> object:
    """JSON in UTF-8 (RFC 8259). Raises InvalidRequestBody."""
    try:
        return json.loads(body.decode(), parse_constant=refuse_constant)
    except (ValueError, RecursionError):  # ValueError: no UTF-8, no JSON, an endless number
        raise InvalidRequestBody("The body is not valid JSON.") from None


def refuse_constant(name: str) -> Never:
    """Refuses NaN and Infinity, which Python takes and JSON does not."""
    raise ValueError(name)
