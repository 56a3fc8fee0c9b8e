"""JSON of one-time codes."""

from typing import Any

from rest_framework import serializers

from accounts.api.serializers.limits import CODE_MAX_CHARS, EMAIL_MAX_CHARS
from config.request_body import StrictCharField


class SendCodeInput(serializers.Serializer[Any]):
    # The form of addresses is not checked: what is none has no account, and answers the same.
    email = StrictCharField(max_length=EMAIL_MAX_CHARS)
    purpose = StrictCharField(help_text="signup, reset or login")


class CodeSentOutput(serializers.Serializer[Any]):
    """An empty object."""


class VerifyCodeInput(serializers.Serializer[Any]):
    email = StrictCharField(max_length=EMAIL_MAX_CHARS)
    code = StrictCharField(max_length=CODE_MAX_CHARS)
    purpose = StrictCharField(help_text="signup or login")
