"""JSON of the people of a tenant."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.api.serializers.limits import EMAIL_MAX_CHARS, PASSWORD_MAX_CHARS, TOKEN_MAX_CHARS
from accounts.models import Membership, Role
from config.rest.request_body import StrictCharField, UncheckedChoiceField


@extend_schema_field({"type": "string", "enum": Role.values})
class RoleField(UncheckedChoiceField):
    """A role. The service refuses those that do not exist."""


class RoleInput(serializers.Serializer[Any]):
    role = RoleField()


class InvitationInput(serializers.Serializer[Any]):
    email = serializers.EmailField(max_length=EMAIL_MAX_CHARS)
    role = RoleField()


class ActivationInput(serializers.Serializer[Any]):
    token = StrictCharField(max_length=TOKEN_MAX_CHARS)
    password = StrictCharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False)


class MemberOutput(serializers.Serializer[Membership]):
    user_id = serializers.UUIDField()
    email = serializers.EmailField(source="user.email")
    role = serializers.ChoiceField(choices=Role.choices)
    status = serializers.ChoiceField(choices=Membership.Status.choices)
    joined_at = serializers.DateTimeField(
        source="activated_at", allow_null=True, help_text="null while invited"
    )
