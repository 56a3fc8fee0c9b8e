"""JSON of API tokens."""

from typing import Any

from rest_framework import serializers

from accounts.models import ApiToken
from accounts.models.tenants import NAME_MAX_CHARS
from accounts.services.api_tokens import NewApiToken
from config.rest.request_body import StrictCharField, StrictIntegerField

MAX_DAYS = 365  # and the default


class NewApiTokenInput(serializers.Serializer[Any]):
    name = StrictCharField(max_length=NAME_MAX_CHARS)
    expires_in_days = StrictIntegerField(
        min_value=1, max_value=MAX_DAYS, required=False, allow_null=True
    )


class ApiTokenOutput(serializers.Serializer[ApiToken]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="to the minute")
    created_by = serializers.EmailField(source="membership.user.email")


class NewApiTokenOutput(serializers.Serializer[NewApiToken]):
    id = serializers.UUIDField(source="row.id")
    name = serializers.CharField(source="row.name")
    token = serializers.CharField(help_text="shown this once")
    expires_at = serializers.DateTimeField(source="row.expires_at")
