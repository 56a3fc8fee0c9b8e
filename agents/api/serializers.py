"""Agents on the wire (docs/specification.md, "Agent" and "Source scope of an agent")."""

from __future__ import annotations

from typing import Any

from django.core.validators import EmailValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from agents.errors import InvalidAgentConfig
from agents.models import (
    MAX_ORIGINS,
    NAME_MAX_CHARS,
    PERSONA_MAX_CHARS,
    RETENTION_DAYS,
    WELCOME_MAX_CHARS,
    Agent,
    AgentStatus,
)
from agents.scope import ScopeKind, SourceScope
from config.errors import InvalidValue
from config.rest.handling import from_validation_detail
from config.rest.request_body import StrictBooleanField, StrictCharField, StrictIntegerField

EMAIL_MAX_CHARS = 254
STRINGS = {"type": "array", "items": {"type": "string"}}
RETENTION = {"type": "integer", "enum": list(RETENTION_DAYS)}
OPTIONAL: dict[str, Any] = {"required": False, "allow_null": True}
OPTIONAL_TEXT: dict[str, Any] = {**OPTIONAL, "allow_blank": True}

TEXTS = frozenset({"name", "persona", "welcome_msg"})

# --- What comes in --------------------------------------------------------------------------------


class StringsField(serializers.Field[list[str], Any, list[str], Any]):
    """An array of strings. What they say is looked at later: an error of an entry is one of the
    field, and an entry that is null or empty is not a missing field."""

    default_error_messages = {"invalid": "Must be an array of strings."}

    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list) or not all(isinstance(entry, str) for entry in data):
            self.fail("invalid")
        return data


@extend_schema_field({**STRINGS, "maxItems": MAX_ORIGINS, "nullable": True})
class OriginsField(StringsField):
    """agents/origins.py says what an origin is."""


@extend_schema_field(STRINGS)
class SourceIdsField(StringsField):
    def to_internal_value(self, data: Any) -> list[str]:
        if data == "":  # as missing as null
            self.fail("required")
        return super().to_internal_value(data)


@extend_schema_field({"type": "integer", "enum": [*RETENTION_DAYS, None], "nullable": True})
class RetentionField(StrictIntegerField):
    default_error_messages = {"invalid": f"Must be one of: {', '.join(map(str, RETENTION_DAYS))}."}

    def to_internal_value(self, data: Any) -> int:
        days = super().to_internal_value(data)
        if days not in RETENTION_DAYS:
            self.fail("invalid")
        return days


class AgentChangesInput(serializers.Serializer[Any]):
    """What is null stays as it is, or has its default."""

    name = StrictCharField(max_length=NAME_MAX_CHARS, **OPTIONAL_TEXT)
    persona = StrictCharField(max_length=PERSONA_MAX_CHARS, **OPTIONAL_TEXT)
    welcome_msg = StrictCharField(max_length=WELCOME_MAX_CHARS, **OPTIONAL_TEXT)
    status = serializers.ChoiceField(
        choices=AgentStatus.values,
        error_messages={"invalid_choice": f"Must be one of: {', '.join(AgentStatus.values)}."},
        **OPTIONAL,
    )
    allowed_origins = OriginsField(**OPTIONAL)
    cite_sources = StrictBooleanField(**OPTIONAL)
    lead_capture_enabled = StrictBooleanField(**OPTIONAL)
    lead_notification_email = StrictCharField(
        max_length=EMAIL_MAX_CHARS,
        validators=[EmailValidator("Must be a valid e-mail address, or empty.")],
        help_text="An e-mail address, or empty. Needed while lead_capture_enabled is true.",
        **OPTIONAL_TEXT,
    )
    store_transcripts = StrictBooleanField(**OPTIONAL)
    transcript_retention_days = RetentionField(**OPTIONAL)

    def run_validation(self, data: Any = empty) -> Any:
        """Raises InvalidAgentConfig where other endpoints answer VALIDATION_ERROR, unless nothing
        but texts is wrong."""
        try:
            return super().run_validation(data)
        except serializers.ValidationError as error:
            known = from_validation_detail(error)
            if isinstance(known, InvalidValue) and not TEXTS.issuperset(error.get_full_details()):
                raise InvalidAgentConfig(known.message) from error
            raise


class NewAgentInput(AgentChangesInput):
    name = StrictCharField(max_length=NAME_MAX_CHARS)


class ScopeInput(serializers.Serializer[Any]):
    source_ids = SourceIdsField()
    scope = serializers.ChoiceField(
        choices=ScopeKind.values,
        error_messages={"invalid_choice": f"Must be one of: {', '.join(ScopeKind.values)}."},
        help_text="What an empty source_ids means: all sources, or none.",
        **OPTIONAL,
    )


# --- What goes out --------------------------------------------------------------------------------


@extend_schema_field(RETENTION)
class RetentionOutput(serializers.IntegerField):
    pass


class AgentOutput(serializers.Serializer[Agent]):
    """Describe an agent that was loaded with its tenant."""

    id = serializers.UUIDField()
    tenant_id = serializers.UUIDField()
    tenant_slug = serializers.CharField(source="tenant.slug")
    name = serializers.CharField()
    persona = serializers.CharField()
    welcome_msg = serializers.CharField()
    status = serializers.ChoiceField(choices=AgentStatus.values)
    allowed_origins = serializers.ListField(child=serializers.CharField())
    cite_sources = serializers.BooleanField()
    active_channels = serializers.ListField(child=serializers.CharField())
    lead_capture_enabled = serializers.BooleanField()
    lead_notification_email = serializers.CharField()
    plan = serializers.CharField(source="tenant.plan_id")
    store_transcripts = serializers.BooleanField()
    transcript_retention_days = RetentionOutput()
    created_at = serializers.DateTimeField()


class ScopeOutput(serializers.Serializer[SourceScope]):
    source_ids = serializers.ListField(child=serializers.UUIDField())
    scope = serializers.ChoiceField(source="kind", choices=ScopeKind.values)
