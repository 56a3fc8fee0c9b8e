"""Shapes of the query endpoints (interface specification, "Agent queries")."""

from rest_framework import serializers

from config.request_body import StrictCharField

QUERY_MAX_CHARS = 1000
ID_MAX_CHARS = 200


class QueryInput(serializers.Serializer[None]):
    query = StrictCharField(max_length=QUERY_MAX_CHARS)
    agent_id = StrictCharField(max_length=ID_MAX_CHARS, required=False, allow_null=True)
    session_id = StrictCharField(max_length=ID_MAX_CHARS, required=False, allow_null=True)


class SourceOutput(serializers.Serializer[None]):
    """An entry of `sources`, from a RetrievedChunk."""

    source_file = serializers.CharField()
    page_or_row = serializers.CharField(source="location")
    section_title = serializers.CharField()
    synced_at = serializers.DateTimeField()
    similarity = serializers.SerializerMethodField()

    def get_similarity(self, chunk: object) -> float:

        return round(float(chunk.similarity), 4)


class AnswerOutput(serializers.Serializer[None]):
    answer = serializers.CharField(source="text")
    sources = SourceOutput(many=True)
    model = serializers.CharField()
