"""The bodies that the query endpoints take (docs/specification.md, "Agent queries")."""

from rest_framework import serializers

from config.rest.request_body import StrictCharField
from query.models import SESSION_ID_MAX_CHARS, TEXT_MAX_CHARS

AGENT_ID_MAX_CHARS = 200


class QueryInput(serializers.Serializer[None]):
    query = StrictCharField(max_length=TEXT_MAX_CHARS)
    agent_id = StrictCharField(
        max_length=AGENT_ID_MAX_CHARS, required=False, allow_null=True, allow_blank=True
    )
    session_id = StrictCharField(
        max_length=SESSION_ID_MAX_CHARS, required=False, allow_null=True, allow_blank=True
    )
