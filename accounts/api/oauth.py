"""The authorization server's endpoints, and what tells programs where they are. Any page may call
them from a browser: they read neither cookies nor tokens of people (CORS,
https://fetch.spec.whatwg.org/#http-cors-protocol, read 2026-11-23).
"""

from collections.abc import Iterable
from typing import Any, cast

from drf_spectacular.plumbing import ResolvedComponent
from rest_framework import exceptions
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, validated
from accounts.api.serializers.oauth import (
    ProgramInput,
    ProgramOutput,
    ProgramTokensOutput,
    RevocationForm,
    TokenForm,
    program_output,
)
from accounts.errors import InvalidProgramRequest, InvalidRedirectUri, InvalidRegistration
from accounts.models import AuthMethod
from accounts.programs.discovery import resource_metadata, server_metadata
from accounts.services import programs
from accounts.services.programs import OAuthAnswer, Parameters
from config.errors import ServiceError, TooManyRequests, Unauthorized
from config.rest.openapi import EMPTY_OBJECT, EndpointSchema, Json, describe
from config.rest.request_body import FormBodyParser, ObjectParser
from config.security.client_address import client_address

CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "WWW-Authenticate, Retry-After, X-Request-ID",
}
PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "authorization, content-type, mcp-protocol-version",
    "Access-Control-Max-Age": "600",
}
WORDS = {429: "temporarily_unavailable", 503: "temporarily_unavailable", 500: "server_error"}
MEANINGS = {
    400: "Refused: `error` says why (RFC 6749, section 5.2; RFC 7591, section 3.2.2; RFC 8707).",
    401: "The program has not proved who it is.",
    429: "Too many from this address.",
    500: str(ServiceError.default_message),
    503: "This cannot be done right now.",
}
REFUSAL: Json = {
    "type": "object",
    "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}},
    "required": ["error"],
}
BASIC: Json = {
    "description": "The authentication scheme to use.",
    "schema": {"type": "string"},
    "required": True,
}
METADATA: Json = {"type": "object", "additionalProperties": True}
REGISTRATION = """\
RFC 7591, open to every program. A redirect URI is https; or http on 127.0.0.1, [::1] or localhost,
where any port may be used later; or one of the callbacks of apps that docs/programs.md lists. A
program that nobody gives access is deleted after 30 days."""
EXCHANGE = """\
Exchanges a code of `/dashboard/programs/allow`, with its `code_verifier` (PKCE, S256) and
`redirect_uri`, or a refresh token. Each can be used once. Access tokens are valid for
`/tenants/me/mcp` only."""


class OAuthSchema(EndpointSchema):
    """Refusals in the form of RFC 6749."""

    def register_errors(self, status: int, errors: Iterable[type[ServiceError]]) -> Json:
        headers = self.refer_to_headers(*(["Retry-After"] if status == 429 else []))
        if status == Unauthorized.status:
            headers["WWW-Authenticate"] = BASIC
        answer = {
            "description": MEANINGS[status],
            "content": {"application/json": {"schema": REFUSAL}},
            "headers": headers,
        }
        return self.register(f"OAuth{status}", ResolvedComponent.RESPONSE, answer)


class OAuthView(PublicAPIView):
    schema = OAuthSchema()
    word_for_values = "invalid_request"

    def options(self, request: Request, *args: Any, **kwargs: Any) -> Response:  # type: ignore[override]
        """A browser's question whether it may ask."""
        return Response(status=204, headers=PREFLIGHT_HEADERS)

    def handle_exception(self, exc: Exception) -> Response:
        answer = super().handle_exception(exc)
        message = str(answer.data["error"]["message"]).replace('"', "'").replace("\\", "/")
        answer.data = {
            "error": WORDS.get(answer.status_code) or self.word_for(exc),
            "error_description": message.encode("ascii", "replace").decode(),
        }
        return answer

    def word_for(self, error: Exception) -> str:
        if isinstance(error, InvalidRegistration):
            return error.error
        is_value = isinstance(error, exceptions.ValidationError)
        return self.word_for_values if is_value else "invalid_request"

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        final.headers.setdefault("Cache-Control", "no-store")
        for name, value in CORS_HEADERS.items():
            final[name] = value
        return final


class RegistrationParser(ObjectParser):
    max_bytes = 16 * 1024


class RegistrationView(OAuthView):
    parser_classes = [RegistrationParser]
    word_for_values = InvalidRegistration.error

    @describe(
        "Register a program",
        request=ProgramInput,
        response=ProgramOutput,
        status=201,
        errors=(InvalidRedirectUri, TooManyRequests),
        description=REGISTRATION,
    )
    def post(self, request: Request) -> Response:
        given = validated(ProgramInput, request.data)
        made = programs.register_program(
            name=given.get("client_name", ""),
            redirect_uris=given["redirect_uris"],
            client_uri=given.get("client_uri", ""),
            auth_method=AuthMethod(given.get("token_endpoint_auth_method", AuthMethod.NONE)),
            address=client_address(request),
        )
        return Response(program_output(made), status=201)


class TokenView(OAuthView):
    parser_classes = [FormBodyParser]

    @describe(
        "Get tokens for a program",
        request={FormBodyParser.media_type: TokenForm},
        response=ProgramTokensOutput,
        errors=(InvalidProgramRequest, Unauthorized, TooManyRequests),
        description=EXCHANGE,
    )
    def post(self, request: Request) -> Response:
        return answer_of(programs.issue_tokens(form_of(request), **caller_of(request)))


class RevocationView(OAuthView):
    parser_classes = [FormBodyParser]

    @describe(
        "Revoke a program's token",
        request={FormBodyParser.media_type: RevocationForm},
        response=EMPTY_OBJECT,
        errors=(InvalidProgramRequest, Unauthorized, TooManyRequests),
        description="RFC 7009. Revoking either of its tokens ends the program's access.",
    )
    def post(self, request: Request) -> Response:
        return answer_of(programs.revoke_token(form_of(request), **caller_of(request)))


class ServerMetadataView(OAuthView):
    @describe("Describe the authorization server", response=METADATA, description="RFC 8414.")
    def get(self, request: Request) -> Response:
        return Response(server_metadata(), headers={"Cache-Control": "max-age=300"})


class ResourceMetadataView(OAuthView):
    @describe("Describe what programs sign in for", response=METADATA, description="RFC 9728.")
    def get(self, request: Request) -> Response:
        return Response(resource_metadata(), headers={"Cache-Control": "max-age=300"})


def form_of(request: Request) -> Parameters:
    return cast(Parameters, request.data)  # FormBodyParser made it


def caller_of(request: Request) -> dict[str, str]:
    """How a program says who it is, and from where it calls."""
    return {
        "authorization": request.headers.get("Authorization", ""),
        "address": client_address(request),
    }


def answer_of(answer: OAuthAnswer) -> Response:
    return Response(answer.body, status=answer.status, headers=answer.headers)
