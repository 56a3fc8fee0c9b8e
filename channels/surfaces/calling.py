"""Calling a messenger, and what its answer says. Nothing here tells the URL, which may hold a
token."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from channels.errors import MessengerBusy, MessengerUnreachable
from channels.surfaces.base import ANSWER_MAX_BYTES
from config.http import FetchError, TimedOut, TooLarge
from config.http.lines import call_server
from reasons import Reason

WAIT_MAX_SECONDS = 24 * 60 * 60  # believed of a messenger that asks us to wait
REASON_WORDS_MAX_CHARS = 200  # of a messenger's own words
# A token has more characters in a row than a word of an explanation.
TOKEN_LIKE = re.compile(r"[\w|+/=-]{30,}")


@dataclass(frozen=True)
class MessengerAnswer:
    """An answer of a messenger. `content`: {} when the body is not a JSON object."""

    status: int
    headers: Mapping[str, str]
    content: dict[str, Any]

    @property
    def is_ok(self) -> bool:
        return 200 <= self.status < 300


def call_messenger(
    method: str,
    url: str,
    *,
    json: object = None,
    headers: Mapping[str, str] | None = None,
    deadline_seconds: float,
) -> MessengerAnswer:
    """Calls the messenger. Raises MessengerUnreachable if it does not answer."""
    try:
        answer = call_server(
            method,
            url,
            json=json,
            headers=headers,
            deadline_seconds=deadline_seconds,
            max_bytes=ANSWER_MAX_BYTES,
        )
    except FetchError as error:
        reason = why_silent(error)
    else:
        return MessengerAnswer(answer.status, answer.headers, read_object(answer.body))
    raise MessengerUnreachable(reason)


def why_silent(error: FetchError) -> Reason:
    if isinstance(error, TimedOut):
        return Reason("messenger_not_in_time")
    if isinstance(error, TooLarge):
        return Reason("messenger_answer_too_large")
    return Reason("messenger_unreachable")


def unusable(answer: MessengerAnswer) -> MessengerUnreachable:
    """The failure for a fault on the messenger's side, and for an answer of something else: a
    redirect, or an error page of a proxy."""
    return MessengerUnreachable(Reason("messenger_answers_oddly", status=str(answer.status)))


def busy(wait_seconds: int, *, is_for_all: bool) -> MessengerBusy:
    return MessengerBusy(
        Reason("messenger_busy", count=wait_seconds),
        wait_seconds=wait_seconds,
        is_for_all=is_for_all,
    )


def read_object(body: bytes) -> dict[str, Any]:
    try:
        return as_object(json.loads(body))
    except (ValueError, RecursionError):
        return {}


def as_object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def as_number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_wait_seconds(asked: object, headers: Mapping[str, str], *, default: int) -> int:
    """The seconds that the messenger asks us to wait, in its body or else in Retry-After; a day at
    most."""
    seconds = as_number(asked)
    if seconds is None:
        seconds = read_retry_after(headers.get("Retry-After", ""))
    return min(max(1, default if seconds is None else seconds), WAIT_MAX_SECONDS)


def read_retry_after(written: str) -> int | None:
    """Reads seconds or a date (RFC 9110, 10.2.3). None when it is neither."""
    if re.fullmatch(r"[0-9]{1,9}", written.strip()):
        return int(written)
    try:
        at = parsedate_to_datetime(written)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return int((at - datetime.now(UTC)).total_seconds()) + 1


def told_words(words: object, secrets: Iterable[str]) -> str:
    """The messenger's words about an error, made fit for customers and the log: on one line,
    bounded, without anything that is or looks like a secret. Some quote the token that they refuse.
    """
    if not isinstance(words, str):
        return ""
    for secret in secrets:
        words = words.replace(secret, "…") if secret else words
    printable = "".join(character if character.isprintable() else " " for character in words)
    reason = TOKEN_LIKE.sub("…", " ".join(printable.split()))
    if len(reason) > REASON_WORDS_MAX_CHARS:
        reason = reason[: REASON_WORDS_MAX_CHARS - 1].rstrip() + "…"
    return reason
