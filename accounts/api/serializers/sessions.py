"""JSON of logging in and out."""

from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer
from rest_framework import serializers

from accounts.api.serializers.limits import EMAIL_MAX_CHARS, PASSWORD_MAX_CHARS, TOKEN_MAX_CHARS
from accounts.models import Membership, Role
from accounts.models.tenants import SLUG_MAX_CHARS
from accounts.services.signing_in.sessions import Login
from accounts.signing_in.authentication import Caller
from config.rest.request_body import StrictCharField


class LoginInput(serializers.Serializer[Any]):
    # Its form is not checked: text that is not an address has no account, and gets the same answer.
    email = StrictCharField(max_length=EMAIL_MAX_CHARS)
    password = StrictCharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False)
    tenant_slug = StrictCharField(
        max_length=SLUG_MAX_CHARS, required=False, allow_blank=True, allow_null=True
    )


class RefreshInput(serializers.Serializer[Any]):
    refresh_token = StrictCharField(max_length=TOKEN_MAX_CHARS)
    tenant_slug = StrictCharField(
        max_length=SLUG_MAX_CHARS, required=False, allow_blank=True, allow_null=True
    )


class LogoutInput(serializers.Serializer[Any]):
    refresh_token = StrictCharField(max_length=TOKEN_MAX_CHARS)


class TokensOutput(serializers.Serializer[Any]):
    """What `tokens_output` makes."""

    access_token = serializers.CharField()
    refresh_token = serializers.CharField()
    token_type = serializers.ChoiceField(choices=["Bearer"])
    expires_in = serializers.IntegerField(help_text="seconds until the access token expires")
    role = serializers.ChoiceField(choices=Role.choices)
    tenant_id = serializers.UUIDField()
    tenant_slug = serializers.CharField()


class ChallengeOutput(serializers.Serializer[Any]):
    two_factor_required = serializers.ChoiceField(choices=[True])
    challenge = serializers.CharField(help_text="valid for 5 minutes, for POST /auth/2fa/verify")


LoginOutput = PolymorphicProxySerializer(
    component_name="Login",
    serializers=[TokensOutput, ChallengeOutput],
    resource_type_field_name=None,
)


class MeOutput(serializers.Serializer[Any]):
    """What `me_output` makes."""

    user_id = serializers.UUIDField()
    email = serializers.EmailField()
    role = serializers.ChoiceField(choices=Role.choices)
    tenant_id = serializers.UUIDField()
    tenant_slug = serializers.CharField()
    two_factor_enabled = serializers.BooleanField()


class OwnTenantOutput(serializers.Serializer[Membership]):
    tenant_id = serializers.UUIDField()
    tenant_slug = serializers.CharField(source="tenant.slug")
    name = serializers.CharField(source="tenant.name")
    role = serializers.ChoiceField(choices=Role.choices)
    status = serializers.ChoiceField(choices=Membership.Status.choices)


def tokens_output(login: Login) -> dict[str, Any]:
    """The `tokens` object of every flow that logs somebody in."""
    return {
        "access_token": login.tokens.access_token,
        "refresh_token": login.tokens.refresh_token,
        "token_type": "Bearer",
        "expires_in": login.tokens.expires_in_seconds,
        "role": login.membership.role,
        "tenant_id": str(login.membership.tenant.id),
        "tenant_slug": login.membership.tenant.slug,
    }


def me_output(caller: Caller) -> dict[str, Any]:
    return {
        "user_id": str(caller.user.id),
        "email": caller.user.email,
        "role": caller.role,
        "tenant_id": str(caller.tenant.id),
        "tenant_slug": caller.tenant.slug,
        "two_factor_enabled": caller.user.has_second_factor(),
    }
