"""Channels on the wire (docs/specification.md, "Channels")."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from channels.connections import shown_error, webhook_url
from channels.models import ChannelConnection, ConnectionStatus
from channels.surfaces.base import NOT_PRINTABLE, ConfigField
from channels.surfaces.registry import KINDS, SURFACES
from config.rest.request_body import StrictCharField

# --- What comes in --------------------------------------------------------------------------------


class ConfigTextField(StrictCharField):
    """Text that stands in headers and addresses. Its value is in no message."""

    default_error_messages = {"invalid_text": NOT_PRINTABLE}

    def __init__(self, field: ConfigField, *, help_text: str, required: bool) -> None:
        super().__init__(
            trim_whitespace=False,
            validators=[RegexValidator(field.pattern, field.message)],
            max_length=field.max_chars,
            help_text=help_text,
            required=required,
        )

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text.isprintable():  # a pattern's $ lets a line break through
            self.fail("invalid_text")
        return text


class ConfigSerializer(serializers.Serializer[Any]):
    pass


def make_serializer(name: str, own_kind: str = "") -> type[ConfigSerializer]:
    """Makes a serializer with the fields of all channels: each kind requires its own, and reads no
    others."""
    fields: dict[str, Any] = {}
    for kind, surface in sorted(SURFACES.items(), key=lambda item: item[0] == own_kind):
        for field in surface.fields:
            text = f"{kind}: {field.help_text}"
            fields[field.name] = ConfigTextField(field, help_text=text, required=kind == own_kind)
    return type(name, (ConfigSerializer,), fields)


ChannelConfig = make_serializer("ChannelConfig")
CONFIGS = {
    kind: make_serializer(f"{surface.__name__}Config", kind) for kind, surface in SURFACES.items()
}


def config_of(channel_type: str) -> type[ConfigSerializer]:
    """The serializer of a channel's body. An unknown channel requires nothing: the service reports
    it, after it has looked for the agent."""
    return CONFIGS.get(channel_type, ChannelConfig)


# --- What goes out --------------------------------------------------------------------------------


class ConnectionOutput(serializers.Serializer[ChannelConnection]):
    """Nothing of the configuration: it is never shown."""

    channel_type = serializers.ChoiceField(choices=KINDS)
    status = serializers.ChoiceField(choices=ConnectionStatus.values)
    error_message = serializers.SerializerMethodField(
        help_text="The last problem and what to do about it. Empty: no problem."
    )
    error_code = serializers.SerializerMethodField(
        help_text="The code of that reason (docs/api.md, Reasons). Empty: nothing."
    )
    error_at = serializers.DateTimeField(allow_null=True)
    connected_at = serializers.DateTimeField()
    last_call_at = serializers.DateTimeField(
        allow_null=True, help_text="Time of the messenger's last call, to the minute."
    )
    webhook_url = serializers.SerializerMethodField(
        help_text="The address that the messenger calls. Empty for `web`."
    )

    def get_error_message(self, connection: ChannelConnection) -> str:
        return str(shown_error(connection) or "")

    def get_error_code(self, connection: ChannelConnection) -> str:
        error = shown_error(connection)
        return error.main_code if error else ""

    def get_webhook_url(self, connection: ChannelConnection) -> str:
        return webhook_url(connection)
