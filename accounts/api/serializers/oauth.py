"""JSON and forms of the authorization server, as its RFCs name things."""

from typing import Any

from rest_framework import serializers

from accounts.models import AuthMethod, Scope
from accounts.models.programs import URI_MAX_CHARS
from accounts.models.tenants import NAME_MAX_CHARS
from accounts.programs.clients import MAX_REDIRECT_URIS
from accounts.programs.redirects import split
from accounts.services.programs import NewProgram
from config.rest.request_body import StrictCharField

MAX_KINDS = 20  # of grants and responses
VALUE: dict[str, Any] = {"max_length": 2000, "required": False}


class KindsField(serializers.ListField):
    """A list of grants or responses that must contain the one that we know."""

    def __init__(self, known: str, **more: Any) -> None:
        self.known = known
        child = StrictCharField(max_length=100)
        super().__init__(child=child, max_length=MAX_KINDS, required=False, **more)

    def to_internal_value(self, data: Any) -> list[str]:
        kinds: list[str] = super().to_internal_value(data)
        if self.known not in kinds:
            raise serializers.ValidationError(f"{self.known} must be among them.")
        return kinds


class ProgramInput(serializers.Serializer[Any]):
    """RFC 7591, section 2. What it says beyond this is not kept."""

    redirect_uris = serializers.ListField(
        child=StrictCharField(max_length=URI_MAX_CHARS), min_length=1, max_length=MAX_REDIRECT_URIS
    )
    client_name = StrictCharField(max_length=NAME_MAX_CHARS, required=False, allow_blank=True)
    client_uri = StrictCharField(max_length=URI_MAX_CHARS, required=False, allow_blank=True)
    token_endpoint_auth_method = serializers.ChoiceField(
        AuthMethod.choices, required=False, help_text="unsaid: none"
    )
    grant_types = KindsField("authorization_code")
    response_types = KindsField("code")

    def validate_client_uri(self, uri: str) -> str:
        parts = split(uri)
        if uri and (parts is None or parts.scheme not in ("http", "https")):
            raise serializers.ValidationError("This is not an http or https address.")
        return uri


class ProgramOutput(serializers.Serializer[Any]):
    client_id = serializers.CharField()
    client_id_issued_at = serializers.IntegerField(help_text="seconds since 1970")
    client_name = serializers.CharField()
    client_uri = serializers.CharField(required=False)
    redirect_uris = serializers.ListField(child=serializers.CharField())
    grant_types = serializers.ListField(child=serializers.CharField())
    response_types = serializers.ListField(child=serializers.CharField())
    token_endpoint_auth_method = serializers.ChoiceField(AuthMethod.choices)
    scope = serializers.CharField()
    client_secret = serializers.CharField(required=False, help_text="shown this once")
    client_secret_expires_at = serializers.IntegerField(required=False, help_text="0: never")


def program_output(made: NewProgram) -> dict[str, Any]:
    program = made.program
    secret = {"client_secret": made.secret, "client_secret_expires_at": 0} if made.secret else {}
    return {
        "client_id": program.client_id,
        "client_id_issued_at": int(program.created_at.timestamp()),
        "client_name": program.name,
        **({"client_uri": program.client_uri} if program.client_uri else {}),
        "redirect_uris": program.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": program.auth_method,
        "scope": " ".join(Scope.values),
        **secret,
    }


class TokenForm(serializers.Serializer[Any]):
    """The form as the API describes it; Authlib reads it."""

    grant_type = serializers.ChoiceField(["authorization_code", "refresh_token"])
    client_id = serializers.CharField(**VALUE)
    client_secret = serializers.CharField(**VALUE)
    code = serializers.CharField(**VALUE)
    redirect_uri = serializers.CharField(**VALUE)
    code_verifier = serializers.CharField(**VALUE)
    refresh_token = serializers.CharField(**VALUE)
    resource = serializers.CharField(**VALUE)
    scope = serializers.CharField(**VALUE)


class RevocationForm(serializers.Serializer[Any]):
    """Likewise."""

    token = serializers.CharField(max_length=2000)
    token_type_hint = serializers.CharField(**VALUE)
    client_id = serializers.CharField(**VALUE)
    client_secret = serializers.CharField(**VALUE)


class ProgramTokensOutput(serializers.Serializer[Any]):
    access_token = serializers.CharField()
    token_type = serializers.ChoiceField(["Bearer"])
    expires_in = serializers.IntegerField(help_text="seconds")
    refresh_token = serializers.CharField(help_text="good once")
    scope = serializers.CharField(help_text="what was permitted")
