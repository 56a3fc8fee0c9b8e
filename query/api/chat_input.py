"""The body that POST /v1/chat/completions takes: OpenAI's protocol, of which we read what
an agent can use.

https://platform.openai.com/docs/api-reference/chat/create, and the types of openai 3.54, read
2026-11-23.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypedDict

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from agents.models import NAME_MAX_CHARS
from config.errors import InvalidValue
from config.rest.request_body import (
    ObjectParser,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
)
from query.conversations.history import Exchange
from query.models import SESSION_ID_MAX_CHARS, TEXT_MAX_CHARS
from query.presentation.source_list import without_source_list

BODY_MAX_BYTES = 4 * 1024 * 1024  # clients send a conversation whole, however long it has become
MESSAGES_READ = 100  # the last ones
PARTS_MAX = 100  # of a message
ROLES = ("system", "developer", "user", "assistant", "tool", "function")
TEXT_PARTS = ("text", "input_text", "output_text")


class ChatParser(ObjectParser):
    max_bytes = BODY_MAX_BYTES


class Part(TypedDict):
    type: str
    text: str


@extend_schema_field(
    {
        "nullable": True,
        "oneOf": [
            {"type": "string"},
            {
                "type": "array",
                "maxItems": PARTS_MAX,
                "items": {
                    "type": "object",
                    "properties": {"type": {"type": "string"}, "text": {"type": "string"}},
                    "required": ["type"],
                },
            },
        ],
    }
)
class ContentField(serializers.Field[Any, Any, Any, Any]):
    """Text, or parts of it, as parts. A part of another kind has no text: it is refused where it
    would be the question, and does not matter in what was said before."""

    default_error_messages = {
        "invalid": f"Must be text, or a list of at most {PARTS_MAX} parts that have a type.",
    }
    text = StrictCharField(allow_blank=True, trim_whitespace=False)

    def to_internal_value(self, data: Any) -> list[Part]:
        if isinstance(data, list):
            if len(data) > PARTS_MAX:
                self.fail("invalid")
            return [self.read_part(part) for part in data]
        return [Part(type="text", text=self.text.run_validation(data))]

    def read_part(self, part: Any) -> Part:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            self.fail("invalid")
        if kind not in TEXT_PARTS:
            return Part(type=kind, text="")
        return Part(type=kind, text=self.text.run_validation(part.get("text", "")))


class MessageInput(serializers.Serializer[Any]):
    role = serializers.ChoiceField(
        choices=ROLES, error_messages={"invalid_choice": f"Must be one of {', '.join(ROLES)}."}
    )
    content = ContentField(required=False, allow_null=True)


class MessagesField(serializers.ListField):
    """Reads the end of a long conversation."""

    def to_internal_value(self, data: Any) -> list[Any]:
        tail = data[-MESSAGES_READ:] if isinstance(data, list) else data
        return list(super().to_internal_value(tail))


class MetadataInput(serializers.Serializer[Any]):
    session_id = StrictCharField(
        max_length=SESSION_ID_MAX_CHARS, required=False, allow_null=True, allow_blank=True
    )


class StreamOptionsInput(serializers.Serializer[Any]):
    include_usage = StrictBooleanField(required=False, allow_null=True)


class ChatInput(serializers.Serializer[Any]):
    model = StrictCharField(max_length=NAME_MAX_CHARS)
    messages = MessagesField(child=MessageInput(), min_length=1)
    stream = StrictBooleanField(required=False, allow_null=True)
    stream_options = StreamOptionsInput(required=False, allow_null=True)
    n = StrictIntegerField(required=False, allow_null=True, min_value=1, max_value=1)
    metadata = MetadataInput(required=False, allow_null=True)


class ReadMessages(NamedTuple):
    question: str
    before: list[Exchange]  # oldest first


def read_messages(messages: Sequence[dict[str, Any]]) -> ReadMessages:
    """The last message of a user, and what was said before it. Raises InvalidValue."""
    users = [index for index, message in enumerate(messages) if message["role"] == "user"]
    if not users:
        raise refuse("There is no message of the role user, which would be the question.")
    return ReadMessages(
        read_question(messages[users[-1]].get("content") or []),
        [read_exchange(messages[start:end]) for start, end in pairwise(users)],
    )


def read_question(parts: Sequence[Part]) -> str:
    unread = next((part["type"] for part in parts if part["type"] not in TEXT_PARTS), "")
    if unread:
        kind = unread[:50]
        raise refuse(f"Only text is read; the last message of the user has a part of type {kind}.")
    question = join(parts).strip()
    if not question:
        raise refuse("The last message of the user, which is the question, is empty.")
    if len(question) > TEXT_MAX_CHARS:
        raise refuse(
            f"The last message of the user, which is the question, has {len(question)} characters:"
            f" at most {TEXT_MAX_CHARS} are read."
        )
    return question


def read_exchange(messages: Sequence[dict[str, Any]]) -> Exchange:
    """A user's message, and what the agent said to it."""
    asked, *others = messages
    said = [
        without_source_list(join(message.get("content") or []))
        for message in others
        if message["role"] == "assistant"
    ]
    return Exchange(join(asked.get("content") or []).strip(), "\n\n".join(filter(None, said)))


def join(parts: Sequence[Part]) -> str:
    return "\n".join(part["text"] for part in parts)


def refuse(message: str) -> InvalidValue:
    return InvalidValue(f"messages: {message}", field="messages")
