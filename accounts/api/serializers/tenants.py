"""JSON of a tenant's profile and its company profile."""

from typing import Any

from rest_framework import serializers

from accounts.api.serializers.limits import EMAIL_MAX_CHARS
from accounts.models import CompanyProfile, Tenant
from accounts.models.countries import COUNTRIES
from accounts.models.tenants import NAME_MAX_CHARS
from config.rest.request_body import StrictCharField


class TenantInput(serializers.Serializer[Any]):
    name = StrictCharField(max_length=NAME_MAX_CHARS)


class TenantOutput(serializers.Serializer[Tenant]):
    tenant_id = serializers.UUIDField(source="id")
    slug = serializers.CharField()
    name = serializers.CharField()
    plan = serializers.CharField(source="plan_id")


class CompanyProfileInput(serializers.Serializer[Any]):
    legal_name = StrictCharField(max_length=NAME_MAX_CHARS)
    tax_id = StrictCharField(max_length=40)
    address = StrictCharField(max_length=NAME_MAX_CHARS)
    city = StrictCharField(max_length=100)
    postal_code = StrictCharField(max_length=20)
    country = StrictCharField(help_text="ISO 3166-1 alpha-2")
    billing_email = serializers.EmailField(max_length=EMAIL_MAX_CHARS)

    def validate_country(self, value: str) -> str:
        # Only ASCII: upper() makes "SS", which is South Sudan, of "ß".
        code = value.upper() if value.isascii() else ""
        if code not in COUNTRIES:
            raise serializers.ValidationError(
                "Enter a two-letter country code (ISO 3166-1 alpha-2), such as ES or MX."
            )
        return code


class CompanyProfileOutput(serializers.Serializer[CompanyProfile]):
    legal_name = serializers.CharField()
    tax_id = serializers.CharField()
    address = serializers.CharField()
    city = serializers.CharField()
    postal_code = serializers.CharField()
    country = serializers.ChoiceField(choices=sorted(COUNTRIES))
    billing_email = serializers.EmailField()
