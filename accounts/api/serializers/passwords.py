"""JSON of setting another password."""

from typing import Any

from rest_framework import serializers

from accounts.api.serializers.fields import AddressField
from accounts.api.serializers.limits import CODE_MAX_CHARS, PASSWORD_MAX_CHARS
from config.rest.request_body import StrictCharField


class ResetPasswordInput(serializers.Serializer[Any]):
    email = AddressField()
    code = StrictCharField(max_length=CODE_MAX_CHARS)
    new_password = StrictCharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False)


class ChangePasswordInput(serializers.Serializer[Any]):
    current_password = StrictCharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False)
    new_password = StrictCharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False)


class PasswordSetOutput(serializers.Serializer[Any]):
    """An empty object."""
