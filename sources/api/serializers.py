"""Sources on the wire."""

from typing import Any

from rest_framework import serializers
from rest_framework.fields import empty

from config.request_body import StrictCharField
from sources.models import NAME_MAX_CHARS, Source, SyncStatus


class ChosenFileField(serializers.FileField):
    """A browser sends an empty text when no file was chosen: then it is missing."""

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        return super().validate_empty_values(empty if data == "" else data)


class UploadSerializer(serializers.Serializer[dict[str, Any]]):
    file = ChosenFileField(allow_empty_file=True)
    name = StrictCharField(max_length=NAME_MAX_CHARS, required=False, allow_blank=True, default="")


class SourceStateSerializer(serializers.Serializer[Source]):
    """What all answers share. `error_message` is there only when the state is `error`."""

    source_id = serializers.UUIDField(source="id")
    sync_status = serializers.CharField()
    chunks_count = serializers.IntegerField()
    error_message = serializers.CharField()

    def to_representation(self, instance: Source) -> dict[str, Any]:
        answer = super().to_representation(instance)
        if instance.sync_status != SyncStatus.ERROR:
            del answer["error_message"]
        return answer


class UploadedSourceSerializer(SourceStateSerializer):
    name = serializers.CharField()


class SourceStatusSerializer(SourceStateSerializer):
    last_synced_at = serializers.DateTimeField()


class SourceSerializer(SourceStatusSerializer):
    name = serializers.CharField()
    source_type = serializers.CharField()
    created_at = serializers.DateTimeField()
    position = serializers.IntegerField()
