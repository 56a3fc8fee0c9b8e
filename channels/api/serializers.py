"""Channels on the wire (interface specification, "Channels")."""

from __future__ import annotations

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from channels.connections import shown_error, webhook_url
from channels.models import ChannelConnection, ChannelType, ConnectionStatus
from config.request_body import StrictCharField

BOT_TOKEN_MAX_CHARS = 200
SECRET_MAX_CHARS = 500
NUMBER_MAX_CHARS = 100
PRINTABLE = r"^[!-~]([ -~]*[!-~])?$"
DIGITS = r"^[0-9]+$"

# --- What comes in --------------------------------------------------------------------------------


class ConfigField(StrictCharField):
    """Text that stands in headers and addresses. Its value is in no message."""

    default_error_messages = {
        "invalid_text": "Must be printable ASCII characters, without spaces at either end."
    }

    def __init__(self, *, pattern: str, message: str = "", **kwargs: Any) -> None:
        text = message or self.default_error_messages["invalid_text"]
        validators = [RegexValidator(pattern, text)]
        super().__init__(trim_whitespace=False, validators=validators, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not text.isprintable():  # a pattern's $ lets a line break through
            self.fail("invalid_text")
        return text


def bot_token_field(**over: Any) -> ConfigField:
    text = "messenger_a: the bot's token, as @BotFather shows it"
    return ConfigField(pattern=PRINTABLE, max_length=BOT_TOKEN_MAX_CHARS, help_text=text, **over)


def phone_number_id_field(**over: Any) -> ConfigField:
    return ConfigField(
        pattern=DIGITS,
        message="Must be digits: the number's id, not the phone number itself.",
        max_length=NUMBER_MAX_CHARS,
        help_text="messenger_b: the id of the phone number, of digits",
        **over,
    )


def secret_field(what: str, **over: Any) -> ConfigField:
    return ConfigField(
        pattern=PRINTABLE, max_length=SECRET_MAX_CHARS, help_text=f"messenger_b: {what}", **over
    )


SYSTEM_USER_TOKEN = "an access token of a system user"  # noqa: S105 - what it is
APP_SECRET = "the app's secret, which signs calls"  # noqa: S105 - what it is
VERIFY_TOKEN = "what you chose for the webhook's verification"  # noqa: S105 - what it is


class ChannelConfig(serializers.Serializer[Any]):
    """All channels' fields: each needs its own, and reads no others."""

    bot_token = bot_token_field(required=False)
    phone_number_id = phone_number_id_field(required=False)
    system_user_token = secret_field(SYSTEM_USER_TOKEN, required=False)
    app_secret = secret_field(APP_SECRET, required=False)
    verify_token = secret_field(VERIFY_TOKEN, required=False)


class MessengerAConfig(ChannelConfig):
    bot_token = bot_token_field()


class MessengerBConfig(ChannelConfig):
    phone_number_id = phone_number_id_field()
    system_user_token = secret_field(SYSTEM_USER_TOKEN)
    app_secret = secret_field(APP_SECRET)
    verify_token = secret_field(VERIFY_TOKEN)


CONFIGS: dict[str, type[ChannelConfig]] = {
    ChannelType.MESSENGER_A: MessengerAConfig,
    ChannelType.MESSENGER_B: MessengerBConfig,
}


def config_of(channel_type: str) -> type[ChannelConfig]:
    """What a channel's body is read with. A channel that we do not know needs nothing: that it is
    not known is for the service to say, after it has looked for the agent."""
    return CONFIGS.get(channel_type, ChannelConfig)


# --- What goes out --------------------------------------------------------------------------------


class ConnectionOutput(serializers.Serializer[ChannelConnection]):
    """Nothing of the configuration: it is never shown."""

    channel_type = serializers.ChoiceField(choices=ChannelType.values)
    status = serializers.ChoiceField(choices=ConnectionStatus.values)
    error_message = serializers.SerializerMethodField(
        help_text="What last went wrong, and what to do. Empty: nothing."
    )
    error_at = serializers.DateTimeField(allow_null=True)
    connected_at = serializers.DateTimeField()
    last_call_at = serializers.DateTimeField(
        allow_null=True, help_text="When the messenger last called, to the minute."
    )
    webhook_url = serializers.SerializerMethodField(
        help_text="What the messenger is to call. Empty for `web`."
    )

    def get_error_message(self, connection: ChannelConnection) -> str:
        return shown_error(connection)

    def get_webhook_url(self, connection: ChannelConnection) -> str:
        return webhook_url(connection)
