"""Authlib's server with our rows behind it. Callers open the transaction, and keep it when an
answer is a refusal: a secret that came twice has revoked something by then.
"""

from dataclasses import dataclass
from typing import Any

from authlib.oauth2 import AuthorizationServer, OAuth2Error
from authlib.oauth2.rfc6749 import InvalidRequestError
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from django.conf import settings

from accounts.activity import by_program
from accounts.models import AuthMethod, ProgramAccess, ProgramCode
from accounts.programs import access as accesses
from accounts.programs.clients import ProgramClient, find_client
from accounts.programs.requests import ProgramRequest
from accounts.signing_in.tokens import make_program_tokens

Json = dict[str, Any]


@dataclass(frozen=True)
class OAuthAnswer:
    """An answer, ready to be sent to a program."""

    status: int
    body: Json
    headers: dict[str, str]


class InvalidTarget(OAuth2Error):
    """A request for tokens of a resource other than MCP's address (RFC 8707, section 2)."""

    error = "invalid_target"
    description = "This server does not issue tokens for this resource."


class Server(AuthorizationServer):
    def query_client(self, client_id: str) -> ProgramClient | None:
        return find_client(client_id)

    def create_oauth2_request(self, request: ProgramRequest) -> ProgramRequest:
        return request

    def handle_response(
        self, status: int, body: Json, headers: list[tuple[str, str]]
    ) -> OAuthAnswer:
        return OAuthAnswer(status, body, dict(headers))

    def send_signal(self, name: str, *args: object, **more: object) -> None:
        """Does nothing: Authlib's signals have no listeners here."""


class S256Alone(CodeChallenge):
    """PKCE with S256, required of every program (OAuth 2.1, section 7.5.1)."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant: AuthorizationCodeGrant, redirect_uri: str) -> None:
        given = grant.request.payload.data
        if not given.get("code_challenge") or given.get("code_challenge_method") != "S256":
            raise InvalidRequestError("Send a code_challenge, with code_challenge_method S256.")
        super().validate_code_challenge(grant, redirect_uri)

    def get_authorization_code_challenge_method(self, authorization_code: ProgramCode) -> str:
        return "S256"


@dataclass(frozen=True)
class CodeOfProgram:
    """A ProgramCode, as Authlib asks for it."""

    row: ProgramCode

    @property
    def code_challenge(self) -> str:
        return self.row.code_challenge

    def get_redirect_uri(self) -> str:
        return self.row.redirect_uri


@dataclass(frozen=True)
class TokenOfProgram:
    """A ProgramAccess, as Authlib asks for a token."""

    row: ProgramAccess

    def check_client(self, client: ProgramClient) -> bool:
        return self.row.program_id == client.program.pk

    def get_scope(self) -> str:
        return self.row.scope


class CodeGrant(AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = AuthMethod.values

    def query_authorization_code(self, code: str, client: ProgramClient) -> CodeOfProgram | None:
        row = accesses.take_code(code, client.program)
        return CodeOfProgram(row) if row else None

    def create_token_response(self) -> tuple[int, Json, list[tuple[str, str]]]:
        code: ProgramCode = self.request.authorization_code.row
        require_target(self.request, code.resource)
        return 200, tokens(accesses.open_access(code)), self.TOKEN_RESPONSE_HEADER


class RefreshGrant(RefreshTokenGrant):
    """A refresh that keeps the permitted scopes: fewer can be asked for, and the answer names all
    that are granted (RFC 6749, section 5.1)."""

    TOKEN_ENDPOINT_AUTH_METHODS = AuthMethod.values

    def authenticate_refresh_token(self, refresh_token: str) -> TokenOfProgram | None:
        row = accesses.take_refresh_token(refresh_token, self.request.client.program)
        return TokenOfProgram(row) if row else None

    def create_token_response(self) -> tuple[int, Json, list[tuple[str, str]]]:
        access: ProgramAccess = self.request.refresh_token.row
        require_target(self.request, access.resource)
        accesses.continue_access(access)
        return 200, tokens(access), self.TOKEN_RESPONSE_HEADER


class Revocation(RevocationEndpoint):
    """A revocation: either token ends the whole access, as RFC 7009, section 2.1 lets us."""

    CLIENT_AUTH_METHODS = AuthMethod.values

    def create_endpoint_request(self, request: ProgramRequest) -> ProgramRequest:
        return request

    def check_params(self, request: ProgramRequest, client: ProgramClient) -> None:
        """Requires only the token. A hint of its type may be wrong, and is not needed (RFC 7009,
        section 2.1)."""
        if "token" not in request.form:
            raise InvalidRequestError("Missing 'token' in request.")

    def query_token(self, token_string: str, token_type_hint: str | None) -> TokenOfProgram | None:
        row = accesses.find_access(token_string)
        return TokenOfProgram(row) if row else None

    def revoke_token(self, token: TokenOfProgram, request: ProgramRequest) -> None:
        accesses.revoke(token.row, by=by_program(token.row))


def require_target(request: ProgramRequest, permitted: str) -> None:
    """Raises InvalidTarget for another resource than MCP's. Programs older than RFC 8707 name none,
    and get this one."""
    resource = request.parameters.get("resource", permitted)
    if resource != permitted or permitted != settings.MCP_RESOURCE:
        raise InvalidTarget


def tokens(access: ProgramAccess) -> Json:
    pair = make_program_tokens(access)
    return {
        "access_token": pair.access_token,
        "token_type": "Bearer",
        "expires_in": pair.expires_in_seconds,
        "refresh_token": pair.refresh_token,
        "scope": access.scope,
    }


server = Server()
server.register_grant(CodeGrant, [S256Alone()])
server.register_grant(RefreshGrant)
server.register_endpoint(Revocation)
