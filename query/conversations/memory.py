"""Remembers a session's last turns for follow-up questions: half an hour in Redis, encrypted, and
not in the database.

A Redis that is down or hangs costs the context, and nothing else: docs/decisions/0012.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import timedelta
from typing import cast

from redis import Redis

from accounts.models import Tenant
from config.jobs.redis_client import ask_redis, client
from config.security.encryption import CannotDecrypt, decrypt, encrypt
from language.words import Language
from query.answers import Answer
from query.models import Outcome
from query.understanding.inquiries import Inquiry
from query.understanding.turns import Turn

# A follow-up refers to the last questions. Older ones would only mix in other subjects.
TURNS_KEPT = 3
OFFER = "offer"  # that the company replies itself, for `first_time` and `was_said`
LIFETIME = timedelta(minutes=30)  # after the last turn
# Follow-ups need an answer's names, not its whole text: what a session remembers stays small.
ANSWER_MAX_CHARS = 1000
SCAN_COUNT = 1000  # keys that Redis looks at in one step
# Nothing to come back to; and contact data is kept as a lead, or not at all.
FORGOTTEN = frozenset({Outcome.SMALL_TALK, Outcome.CONTACT_TAKEN})


def recall(inquiry: Inquiry) -> tuple[Turn, ...]:
    """The session's turns, oldest first; empty without a session, and when Redis does not answer.
    When the caller tells what was said before, its turns are returned instead."""
    if inquiry.history is not None:
        return inquiry.history
    if not inquiry.session_id:
        return ()
    key = session_key(inquiry)
    sealed = ask_redis(lambda redis: redis.lrange(key, -TURNS_KEPT, -1)) or []
    # The client decodes nothing; its types do not know.
    return tuple(open_turns(cast("list[bytes]", sealed), key))


def remember(
    inquiry: Inquiry, answer: Answer, *, completed: str, language: Language | None = None
) -> None:
    """Adds the turn to its session, and drops the oldest. Safe beside other messages of the
    session. Does nothing when the caller keeps what was said."""
    if inquiry.history is not None or not inquiry.session_id or answer.outcome in FORGOTTEN:
        return
    is_other = completed != inquiry.text
    told = completed if is_other else ""
    turn = Turn(inquiry.text, answer.text[:ANSWER_MAX_CHARS], told, language)
    key = session_key(inquiry)
    sealed = encrypt(json.dumps(asdict(turn)).encode(), context=key)

    def add(redis: Redis) -> None:
        with redis.pipeline(transaction=True) as together:
            together.rpush(key, sealed)
            together.ltrim(key, -TURNS_KEPT, -1)
            together.expire(key, LIFETIME)
            together.execute()

    ask_redis(add)


def open_turns(sealed: Sequence[bytes], key: str) -> Iterator[Turn]:
    """The turns that a key of ours opens. The others count as forgotten."""
    for one in sealed:
        with suppress(CannotDecrypt):
            yield Turn(**json.loads(decrypt(one, context=key)))


def first_time(inquiry: Inquiry, what: str) -> bool:
    """Tells whether this is said for the first time in the session; from now on it is not. True
    without a session, and when Redis does not answer. When the caller tells what was said before:
    True if that was nothing."""
    if inquiry.history is not None:
        return not inquiry.history
    if not inquiry.session_id:
        return True
    key = session_key(inquiry, what)
    return ask_redis(lambda redis: bool(redis.set(key, b"1", nx=True, ex=LIFETIME))) is not False


def was_said(inquiry: Inquiry, what: str) -> bool:
    """Tells whether `first_time` was asked about this in the session before. False without a
    session, and when Redis does not answer."""
    if not inquiry.session_id or inquiry.history is not None:
        return False
    key = session_key(inquiry, what)
    return bool(ask_redis(lambda redis: redis.exists(key)))


# --- Erasing --------------------------------------------------------------------------------------


def forget_session(tenant: Tenant, session_id: str) -> int:
    """Forgets the session with every agent and channel. Returns how many memories were deleted.
    Raises RedisError."""
    return delete_keys(f"{tenant.pk}:turns:*:{hash_of(session_id)}")


def forget_tenant(tenant: Tenant) -> int:
    """Deletes everything that Redis holds under the tenant's id: sessions, and the counts of
    limits. Returns the number of keys deleted.

    Raises RedisError.
    """
    return delete_keys(f"*{tenant.pk}*")


def delete_keys(pattern: str) -> int:
    """Deletes the keys that match; returns how many. Looks at all keys, in steps that do not hold
    up other clients."""
    redis = client()
    found = set(redis.scan_iter(match=pattern, count=SCAN_COUNT))
    return sum(int(redis.unlink(key)) for key in found)


# --- Redis ----------------------------------------------------------------------------------------


def session_key(inquiry: Inquiry, what: str = "") -> str:
    """The session's key in Redis. The same session id with another agent, channel or tenant is
    another session."""
    agent = inquiry.agent.pk if inquiry.agent else "default"
    kept = f"{inquiry.channel}:{what}" if what else inquiry.channel
    return f"{inquiry.tenant.pk}:turns:{agent}:{kept}:{hash_of(inquiry.session_id)}"


def hash_of(session_id: str) -> str:
    """A hash of the session id, which a client chooses: it may be a phone number, or hold
    characters that mean something in a key."""
    return hashlib.sha256(session_id.encode()).hexdigest()
