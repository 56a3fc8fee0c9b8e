"""JSON of one-time codes."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.api.serializers.fields import AddressField
from accounts.api.serializers.limits import CODE_MAX_CHARS
from accounts.models import Purpose
from config.rest.request_body import StrictCharField


@extend_schema_field({"type": "string", "enum": Purpose.values})
class PurposeField(StrictCharField):
    """Any text: which purposes there are, the service says, with an error of its own."""


@extend_schema_field({"type": "string", "enum": [Purpose.SIGNUP.value, Purpose.LOGIN.value]})
class LoginPurposeField(StrictCharField):
    """The same: codes of purpose reset log nobody in."""


class SendCodeInput(serializers.Serializer[Any]):
    email = AddressField()
    purpose = PurposeField()


class CodeSentOutput(serializers.Serializer[Any]):
    """An empty object."""


class VerifyCodeInput(serializers.Serializer[Any]):
    email = AddressField()
    code = StrictCharField(max_length=CODE_MAX_CHARS)
    purpose = LoginPurposeField()
