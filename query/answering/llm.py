"""The client of a language model: any server that speaks OpenAI's chat completions.

Protocol: https://platform.openai.com/docs/api-reference/chat, read 2026-11-21; streams are
server-sent events. Servers differ, so what they send is read leniently and never trusted: time,
bytes and redirects are bounded below it (config/http/lines.py).
"""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
from django.conf import settings
from requests.exceptions import RequestException

from config.database.pool import release_connection
from config.http import FetchError
from config.http.lines import Line, idle_line

logger = logging.getLogger(__name__)

MAX_TOKENS = 400  # of an answer
WIRE_MAX_BYTES = 4 * 1024 * 1024  # of one exchange; a reasoning model sends much that is not kept
READ_BYTES = 16 * 1024
RETRY_SECONDS = 0.5  # before the second try
RETRY_MAX_SECONDS = 3.0  # a server that wants more time gets no second try
DRAIN_SECONDS = 0.2  # for the end of an answer whose text is there: the connection is then reused
ERROR_MAX_BYTES = 4096
ERROR_CODE = re.compile(r"[\w.-]{1,60}")

Message = dict[str, str]  # role, content


class Ending(StrEnum):
    WHOLE = "whole"
    CUT = "cut"  # the model's limit of tokens, or a stream that ended without saying so


class LanguageModelFailed(Exception):
    """Raised when an answer did not come, or cannot be read. The message is fit for the log: it
    holds nothing of what was sent or of the text that came back. `wait_seconds` before a second
    try; None: a second try does not help."""

    def __init__(self, message: str, *, wait_seconds: float | None = None) -> None:
        self.wait_seconds = wait_seconds
        super().__init__(message)


@dataclass(frozen=True)
class Delta:
    """The text of one event. `finish`: why the text ends, when it does."""

    text: str = ""
    finish: str = ""


def chat(messages: Sequence[Message], *, streams: bool) -> Generator[str, None, Ending]:
    """The model's text in pieces as they come, or in one.

    LLM_TIMEOUT is the limit of everything, the second try included. Closing the generator breaks
    the connection off, which tells the server to stop. Gives the database connection back. Raises
    LanguageModelFailed; after a piece was yielded, nothing is tried again.
    """
    ends_at = time.monotonic() + settings.LLM_TIMEOUT
    release_connection()
    try:
        return (yield from attempt(messages, ends_at, streams=streams))
    except LanguageModelFailed as error:
        wait_seconds = error.wait_seconds
        if wait_seconds is None or time.monotonic() + wait_seconds >= ends_at:
            raise
        logger.warning("asking the language model again: %s", error)
    time.sleep(wait_seconds)
    return (yield from attempt(messages, ends_at, streams=streams))


def attempt(
    messages: Sequence[Message], ends_at: float, *, streams: bool
) -> Generator[str, None, Ending]:
    has_begun = False
    try:
        with idle_line() as own, closing(send(own, messages, ends_at, streams=streams)) as answer:
            ending = Ending.CUT
            for delta in read_deltas(answer):
                if delta.text:
                    has_begun = True
                    yield delta.text
                if delta.finish:
                    ending = Ending.CUT if delta.finish == "length" else Ending.WHOLE
            drain(own, answer)
            return ending
    except (FetchError, RequestException, urllib3.exceptions.HTTPError) as error:
        reason = f"{type(error).__name__} from {urlsplit(settings.LLM_BASE_URL).hostname}"
        raise LanguageModelFailed(
            reason, wait_seconds=None if has_begun else RETRY_SECONDS
        ) from error


def send(
    own: Line, messages: Sequence[Message], ends_at: float, *, streams: bool
) -> requests.Response:
    """The answer with its body unread. Raises LanguageModelFailed for another status than 200."""
    headers = {
        "Accept": "text/event-stream, application/json" if streams else "application/json",
        "Accept-Encoding": "identity",
    }
    if settings.LLM_API_KEY:
        headers["Authorization"] = f"Bearer {settings.LLM_API_KEY}"
    body = {
        "model": settings.LLM_MODEL,
        "messages": list(messages),
        "max_tokens": MAX_TOKENS,
        "temperature": 0,
        "stream": streams,
    }
    request = requests.Request(
        "POST", f"{settings.LLM_BASE_URL}/chat/completions", json=body, headers=headers
    )
    answer = own.send(request, ends_at=ends_at, max_bytes=WIRE_MAX_BYTES)
    if answer.status_code != requests.codes.ok:
        with closing(answer):
            raise refusal(answer)
    return answer


def refusal(answer: requests.Response) -> LanguageModelFailed:
    """The error for a status other than 200. A redirect is one too: a prompt goes only to the
    server that the operator named."""
    status = answer.status_code
    wait_seconds = None
    if status == requests.codes.too_many_requests or status >= requests.codes.server_error:
        asked = read_seconds(answer.headers.get("Retry-After", ""))
        if asked <= RETRY_MAX_SECONDS:
            wait_seconds = max(asked, RETRY_SECONDS)
    code = error_code(answer)
    return LanguageModelFailed(f"HTTP {status}{code and f' {code}'}", wait_seconds=wait_seconds)


def read_seconds(retry_after: str) -> float:
    """The seconds in a Retry-After header. It may hold a date instead, which counts as too long."""
    if not retry_after.strip():
        return 0.0
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        return float("inf")


def error_code(answer: requests.Response) -> str:
    """The error's code, "" when it gives none. Any other words of the error are dropped: they may
    quote the prompt."""
    with suppress(ValueError, FetchError, urllib3.exceptions.HTTPError):
        error = as_object(json.loads(answer.raw.read(ERROR_MAX_BYTES))).get("error")
        for name in ("code", "type"):
            code = as_object(error).get(name)
            if isinstance(code, str) and ERROR_CODE.fullmatch(code):
                return code
    return ""


def drain(own: Line, answer: requests.Response) -> None:
    """Reads on behind the last text, to the end if it comes soon: a body that was read to its end
    leaves a connection that can be used again."""
    own.allowance.ends_at = min(own.allowance.ends_at, time.monotonic() + DRAIN_SECONDS)
    with suppress(FetchError, urllib3.exceptions.HTTPError):
        while answer.raw.read1(READ_BYTES):
            pass


def read_deltas(answer: requests.Response) -> Iterator[Delta]:
    """Reads a stream or a single JSON answer, told apart by the body and not by its declared type:
    some servers answer JSON although a stream was asked for, or a stream although none was. Raises
    LanguageModelFailed."""
    parts = read_parts(answer)
    head = b""
    for part in parts:
        head = (head + part).lstrip()
        if head:
            break
    if head.startswith(b"{"):
        yield read_completion(head + b"".join(parts))
    else:
        yield from read_events(head, parts)


def read_parts(answer: requests.Response) -> Iterator[bytes]:
    """The body's bytes, as they come from the network."""
    while part := answer.raw.read1(READ_BYTES):
        yield part


def read_events(head: bytes, parts: Iterator[bytes]) -> Iterator[Delta]:
    """The deltas of a stream until [DONE]. Comments, other fields and empty lines are
    passed over."""
    for text in read_lines(head, parts):
        if not text.startswith("data:"):
            continue
        data = text.removeprefix("data:").strip()
        if data == "[DONE]":
            return
        if data:
            yield read_chunk(data)


def read_lines(head: bytes, parts: Iterator[bytes]) -> Iterator[str]:
    r"""Ended by \n or \r\n. Decoded whole: a character may come in two parts."""
    held = bytearray(head)
    searched = 0
    while True:
        while (end := held.find(b"\n", searched)) >= 0:
            yield held[:end].decode(errors="replace").rstrip("\r")
            del held[: end + 1]
            searched = 0
        searched = len(held)
        part = next(parts, None)
        if part is None:
            yield held.decode(errors="replace")
            return
        held += part


def read_chunk(data: str) -> Delta:
    choice = first_choice(data)
    content = as_object(choice.get("delta") or choice.get("message"))
    return Delta(read_content(content.get("content")), read_finish(choice))


def read_completion(data: bytes) -> Delta:
    choice = first_choice(data.decode(errors="replace"))
    text = read_content(as_object(choice.get("message")).get("content"))
    return Delta(text, read_finish(choice) or "stop")


def first_choice(data: str) -> dict[str, Any]:
    """The first choice of an answer; {} when it has none. Raises LanguageModelFailed for text that
    is not JSON, or an error."""
    try:
        body = as_object(json.loads(data))
    except (ValueError, RecursionError):
        raise LanguageModelFailed("an answer that is not JSON") from None
    if body.get("error"):
        raise LanguageModelFailed("an error instead of text")
    choices = body.get("choices")
    return as_object(choices[0]) if isinstance(choices, list) and choices else {}


def read_content(content: object) -> str:
    """The text of a message's content, which some servers send as a list of parts. Reasoning has
    fields of its own, which are not read."""
    if isinstance(content, list):
        parts = [as_object(part) for part in content]
        return "".join(read_content(part.get("text")) for part in parts)
    return content if isinstance(content, str) else ""


def read_finish(choice: dict[str, Any]) -> str:
    finish = choice.get("finish_reason")
    return finish if isinstance(finish, str) else ""


def as_object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
