"""Shapes of the query endpoints (interface specification, "Agent queries")."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from config.request_body import StrictCharField
from query.answers import Answer
from query.retrieval import RetrievedChunk

QUERY_MAX_CHARS = 1000
ID_MAX_CHARS = 200
SIMILARITY_DECIMALS = 4


class QueryInput(serializers.Serializer[None]):
    query = StrictCharField(max_length=QUERY_MAX_CHARS)
    agent_id = StrictCharField(
        max_length=ID_MAX_CHARS, required=False, allow_null=True, allow_blank=True
    )
    session_id = StrictCharField(
        max_length=ID_MAX_CHARS, required=False, allow_null=True, allow_blank=True
    )


class SourceOutput(serializers.Serializer[RetrievedChunk]):
    """An entry of `sources`, from a RetrievedChunk."""

    source_file = serializers.CharField()
    page_or_row = serializers.CharField(source="location")
    section_title = serializers.CharField()
    synced_at = serializers.DateTimeField()
    similarity = serializers.SerializerMethodField()

    @extend_schema_field({"type": "number", "minimum": 0, "maximum": 1})
    def get_similarity(self, chunk: RetrievedChunk) -> float:
        return round(chunk.similarity, SIMILARITY_DECIMALS)


class AnswerOutput(serializers.Serializer[Answer]):
    answer = serializers.CharField(source="text")
    sources = SourceOutput(many=True)
    model = serializers.CharField()
