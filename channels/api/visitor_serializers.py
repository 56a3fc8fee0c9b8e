"""Shapes of what a website's page sends and gets."""

from __future__ import annotations

from rest_framework import serializers

from channels.visitor_services import Greeting
from config.rest.request_body import StrictCharField
from query.models import TEXT_MAX_CHARS


class VisitorQueryInput(serializers.Serializer[None]):
    """Raise 401 without a session, as with one that has ended."""

    session = StrictCharField(required=False, allow_null=True, allow_blank=True)
    query = StrictCharField(max_length=TEXT_MAX_CHARS)


class GreetingOutput(serializers.Serializer[Greeting]):
    session = serializers.CharField()
    expires_in = serializers.IntegerField()
    agent_name = serializers.CharField()
    welcome_msg = serializers.CharField(allow_blank=True)
    language = serializers.ChoiceField(["es", "en"])
