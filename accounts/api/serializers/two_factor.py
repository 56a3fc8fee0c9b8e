"""JSON of two-factor login."""

from typing import Any

from rest_framework import serializers

from accounts.api.serializers.limits import PASSWORD_MAX_CHARS, TOKEN_MAX_CHARS
from accounts.services.signing_in.two_factor import Setup
from config.rest.request_body import StrictCharField

CODE_MAX_CHARS = 40  # a recovery code has 11; people add spaces


class VerifyInput(serializers.Serializer[Any]):
    challenge = StrictCharField(max_length=TOKEN_MAX_CHARS)
    code = StrictCharField(max_length=CODE_MAX_CHARS)


class ConfirmInput(serializers.Serializer[Any]):
    code = StrictCharField(max_length=CODE_MAX_CHARS)


class DisableInput(serializers.Serializer[Any]):
    password = StrictCharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False)
    code = StrictCharField(max_length=CODE_MAX_CHARS)


class SetupOutput(serializers.Serializer[Setup]):
    secret = serializers.CharField(help_text="base 32, for an authenticator app")
    otpauth_uri = serializers.CharField(help_text="the same with names, to be shown as a QR code")


class RecoveryCodesOutput(serializers.Serializer[Any]):
    recovery_codes = serializers.ListField(
        child=serializers.CharField(), help_text="each can be used once; shown only now"
    )


class DisabledOutput(serializers.Serializer[Any]):
    """An empty object."""
