"""JSON of one-time codes."""

from typing import Any

from rest_framework import serializers

from accounts.api.serializers.fields import AddressField
from accounts.api.serializers.limits import CODE_MAX_CHARS
from config.request_body import StrictCharField


class SendCodeInput(serializers.Serializer[Any]):
    email = AddressField()
    purpose = StrictCharField(help_text="signup, reset or login")


class CodeSentOutput(serializers.Serializer[Any]):
    """An empty object."""


class VerifyCodeInput(serializers.Serializer[Any]):
    email = AddressField()
    code = StrictCharField(max_length=CODE_MAX_CHARS)
    purpose = StrictCharField(help_text="signup or login")
