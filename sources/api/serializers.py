"""Sources on the wire."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from accounts.models import ScheduleFrequency
from config.rest.openapi import BINARY
from config.rest.request_body import StrictCharField, StrictIntegerField, UncheckedChoiceField
from reading.passages import ChunkLevel
from reasons import Reason
from sources.connectors.interface import SOURCE_URL, Preflight
from sources.connectors.registry import CONNECTORS, KINDS
from sources.models import (
    NAME_MAX_CHARS,
    Chunk,
    Schedule,
    Source,
    SyncEvent,
    SyncStatus,
)
from sources.services.new_sources import POSITION_MAX
from sources.services.reading import HistoryEntry, list_warnings
from sources.services.usage import Quota, Usage

PREVIEW_MAX_CHARS = 200  # of each chunk (docs/specification.md, Limits)
HISTORY_DEFAULT_ENTRIES = 20
HISTORY_MAX_ENTRIES = 100
CONNECTION_MAX_CHARS = max(
    field.max_chars for connector in CONNECTORS.values() for field in connector.connection_fields
)

# --- What comes in --------------------------------------------------------------------------------


@extend_schema_field(BINARY)
class ChosenFileField(serializers.FileField):
    """A browser sends an empty text when no file was chosen: then it is missing."""

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        return super().validate_empty_values(empty if data == "" else data)


class NewVersionSerializer(serializers.Serializer[dict[str, Any]]):
    file = ChosenFileField(allow_empty_file=True)


class UploadSerializer(serializers.Serializer[dict[str, Any]]):
    file = ChosenFileField(allow_empty_file=True)
    name = StrictCharField(max_length=NAME_MAX_CHARS, required=False, allow_blank=True, default="")


@extend_schema_field({"type": "string", "enum": list(KINDS)})
class SourceTypeField(UncheckedChoiceField):
    """A kind of source. The service refuses those that do not exist."""


class NamedSourceSerializer(serializers.Serializer[dict[str, Any]]):
    name = StrictCharField(max_length=NAME_MAX_CHARS)
    source_type = SourceTypeField()


def tell_connections() -> str:
    """Which fields `connection` has, a line a kind."""
    lines = []
    for kind, connector in CONNECTORS.items():
        fields = connector.connection_fields
        names = [f"`{field.name}`{'' if field.is_required else '?'}" for field in fields]
        if names:
            lines.append(f"- `{kind}`: {', '.join(names)}")
    return "\n".join(
        (
            "The credentials of the account that the source is read from, and what to read: texts"
            " by field name. They are checked before anything is stored, for up to 40 seconds."
            ' Secrets are never returned. The fields of each type ("?": optional):\n',
            *lines,
        )
    )


@extend_schema_field(
    {
        "type": "object",
        "additionalProperties": {"type": "string", "maxLength": CONNECTION_MAX_CHARS},
        "nullable": True,
        "description": tell_connections(),
    }
)
class ConnectionFieldsField(serializers.DictField):
    """Which there are, and what each may be, the service says."""

    child = StrictCharField(
        max_length=CONNECTION_MAX_CHARS, allow_blank=True, trim_whitespace=False
    )


class ConnectedSourceSerializer(NamedSourceSerializer):
    connection = ConnectionFieldsField(required=False, allow_null=True)


# With the fields of all kinds: what a kind lacks, it says itself.
NewSourceSerializer = type(
    "NewSourceSerializer",
    (ConnectedSourceSerializer,),
    {
        field.name: StrictCharField(
            max_length=field.max_chars, required=False, allow_blank=True, allow_null=True
        )
        for connector in CONNECTORS.values()
        for field in connector.fields
    },
)


class WebsiteSerializer(serializers.Serializer[dict[str, Any]]):
    source_type = SourceTypeField()
    source_url = StrictCharField(max_length=SOURCE_URL.max_chars)


class NewNameSerializer(serializers.Serializer[dict[str, Any]]):
    name = StrictCharField(max_length=NAME_MAX_CHARS)


class PlacedSourceSerializer(serializers.Serializer[dict[str, Any]]):
    source_id = StrictCharField()
    position = StrictIntegerField(min_value=0, max_value=POSITION_MAX)


@extend_schema_field({"type": "string", "enum": ScheduleFrequency.values})
class FrequencyField(StrictCharField):
    """Its values are checked by FrequencySerializer."""


class FrequencySerializer(serializers.Serializer[dict[str, Any]]):
    frequency = FrequencyField(trim_whitespace=False)

    def validate_frequency(self, frequency: str) -> ScheduleFrequency:
        if frequency not in ScheduleFrequency.values:
            raise serializers.ValidationError(
                f"Must be one of: {', '.join(ScheduleFrequency.values)}."
            )
        return ScheduleFrequency(frequency)


class HistoryLimitSerializer(serializers.Serializer[dict[str, Any]]):
    limit = serializers.IntegerField(
        min_value=1, max_value=HISTORY_MAX_ENTRIES, default=HISTORY_DEFAULT_ENTRIES
    )


# --- What goes out --------------------------------------------------------------------------------


class SourceStateSerializer(serializers.Serializer[Source]):
    """What all answers share. `error_message` and `error_code` are there only when the state is
    `error`."""

    source_id = serializers.UUIDField(source="id")
    sync_status = serializers.ChoiceField(choices=SyncStatus.choices)
    chunks_count = serializers.IntegerField(min_value=0)
    error_message = serializers.CharField(required=False)
    error_code = serializers.CharField(
        required=False,
        source="error.main_code",
        help_text="The code of that reason (docs/api.md, Reasons).",
    )

    def to_representation(self, instance: Source) -> dict[str, Any]:
        answer = super().to_representation(instance)
        if instance.sync_status != SyncStatus.ERROR:
            del answer["error_message"]
            answer.pop("error_code", None)
        return answer


class StatusDetailsOutput(serializers.Serializer[dict[str, list[str]]]):
    warnings = serializers.ListField(
        child=serializers.CharField(),
        help_text="What was not read, and why: one sentence each. First what is said of the whole"
        " source (`plan_pages_reached`, `same_file_as`), then sentences that begin with their"
        " document.",
    )
    warning_codes = serializers.ListField(
        child=serializers.CharField(),
        help_text="The code of each of these reasons, in the same order (docs/api.md, Reasons).",
    )


class SyncedSourceSerializer(SourceStateSerializer):
    last_synced_at = serializers.DateTimeField(allow_null=True)


def tell_warnings(warnings: Sequence[Reason]) -> dict[str, list[str]]:
    return {
        "warnings": list(map(str, warnings)),
        "warning_codes": [warning.main_code for warning in warnings],
    }


class SourceStatusSerializer(SyncedSourceSerializer):
    details = serializers.SerializerMethodField()

    @extend_schema_field(StatusDetailsOutput)
    def get_details(self, source: Source) -> dict[str, list[str]]:
        return tell_warnings(list_warnings(source))


class UploadedSourceSerializer(SourceStateSerializer):
    """`details` is there only when there is a warning."""

    name = serializers.CharField()
    details = StatusDetailsOutput(required=False)

    def to_representation(self, instance: Source) -> dict[str, Any]:
        answer = super().to_representation(instance)
        warnings = list_warnings(instance)
        return {**answer, "details": tell_warnings(warnings)} if warnings else answer


class SourceSerializer(SyncedSourceSerializer):
    name = serializers.CharField()
    source_type = serializers.ChoiceField(choices=KINDS)
    created_at = serializers.DateTimeField()
    position = serializers.IntegerField()


class CreatedSourceSerializer(serializers.Serializer[Source]):
    source_id = serializers.UUIDField(source="id")
    name = serializers.CharField()
    sync_status = serializers.ChoiceField(choices=SyncStatus.choices)


class RenamedSourceSerializer(serializers.Serializer[Source]):
    source_id = serializers.UUIDField(source="id")
    name = serializers.CharField()


class ChunkPreviewSerializer(serializers.Serializer[Chunk]):
    content = serializers.SerializerMethodField(help_text="The first 200 characters.")
    chunk_level = serializers.ChoiceField(choices=[*ChunkLevel], source="level")
    location = serializers.CharField()

    def get_content(self, chunk: Chunk) -> str:
        return chunk.text[:PREVIEW_MAX_CHARS]


def with_codes(details: dict[str, Any]) -> dict[str, Any]:
    """Return the details of an action with each reason in English, and its code beside it."""
    told = dict(details)
    for name, code in (("message", "error_code"), ("cut", "cut_code")):
        if name in details:
            told |= write_reason(details[name], name, code)
    if "warnings" in details:
        warnings = [Reason.from_json(warning) for warning in details["warnings"]]
        told["warnings"] = list(map(str, warnings))
        told["warning_codes"] = [warning.main_code for warning in warnings]
    if "outcomes" in details:
        told["outcomes"] = [
            {**item, **write_reason(item["reason"], "reason", "reason_code")}
            for item in details["outcomes"]
        ]
    return told


def write_reason(given: object, name: str, code: str) -> dict[str, str]:
    """Return the English and the code of a reason in JSON; both "" for none."""
    if not given:
        return {name: "", code: ""}
    reason = Reason.from_json(given)
    return {name: str(reason), code: reason.main_code}


class HistoryEntrySerializer(serializers.Serializer[HistoryEntry]):
    id = serializers.UUIDField()
    action = serializers.ChoiceField(choices=SyncEvent.Action.choices)
    details = serializers.DictField()
    created_at = serializers.DateTimeField()

    def to_representation(self, instance: HistoryEntry) -> dict[str, Any]:
        return super().to_representation(replace(instance, details=with_codes(instance.details)))


class ScheduleSerializer(serializers.Serializer[Schedule]):
    """`next_sync_at` is there only when a sync is scheduled."""

    source_id = serializers.UUIDField()
    frequency = serializers.ChoiceField(choices=ScheduleFrequency.choices)
    next_sync_at = serializers.DateTimeField(required=False)
    enabled = serializers.BooleanField()

    def to_representation(self, instance: Schedule) -> dict[str, Any]:
        answer = super().to_representation(instance)
        if instance.next_sync_at is None:
            del answer["next_sync_at"]
        return answer


class ReadScheduleSerializer(ScheduleSerializer):
    """`last_sync_at` is there only when a schedule was ever set."""

    last_sync_at = serializers.DateTimeField(
        source="source.last_synced_at", required=False, allow_null=True
    )

    def to_representation(self, instance: Schedule) -> dict[str, Any]:
        answer = super().to_representation(instance)
        if instance._state.adding:
            del answer["last_sync_at"]
        return answer


# Written by the views from values that are not rows.


class ReachableWebsiteOutput(serializers.Serializer[Preflight]):
    indexable = serializers.ChoiceField(choices=[True])
    pages_found = serializers.IntegerField(min_value=0)
    max_pages = serializers.IntegerField(min_value=1)
    sample_title = serializers.CharField()


class UnreachableWebsiteOutput(serializers.Serializer[Preflight]):
    indexable = serializers.ChoiceField(choices=[False], source="is_indexable")
    error = serializers.CharField()
    error_code = serializers.CharField(source="error.main_code")


WebsiteCheckOutput = PolymorphicProxySerializer(
    component_name="WebsiteCheck",
    serializers=[ReachableWebsiteOutput, UnreachableWebsiteOutput],
    resource_type_field_name=None,
)


class PlacedSourceOutput(serializers.Serializer[Source]):
    source_id = serializers.UUIDField()
    position = serializers.IntegerField(min_value=0)


class DeletedOutput(serializers.Serializer[Source]):
    status = serializers.ChoiceField(choices=["deleted"])


class StartedSyncOutput(serializers.Serializer[Source]):
    source_id = serializers.UUIDField()
    message = serializers.CharField()


class DownloadOutput(serializers.Serializer[str]):
    signed_url = serializers.URLField(help_text="Valid for 24 hours, for anyone who has it.")


class ConnectorQuotaSerializer(serializers.Serializer[Quota]):
    """Connectors over the limit are refused on every plan."""

    used = serializers.IntegerField()
    limit = serializers.IntegerField(allow_null=True, help_text="null: unlimited")


class QuotaSerializer(ConnectorQuotaSerializer):
    overage = serializers.IntegerField(help_text="over the limit this month, and billed")


class UsageSerializer(serializers.Serializer[Usage]):
    plan = serializers.CharField()
    period_start = serializers.DateTimeField()
    documents = QuotaSerializer()
    passages = QuotaSerializer(
        help_text="The passages of all sources together: the longer a document, the more it has."
    )
    queries = QuotaSerializer()
    connectors = ConnectorQuotaSerializer()
