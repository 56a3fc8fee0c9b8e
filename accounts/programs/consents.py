"""The consent that a program asks a person for: read for the page that asks them, and once more,
from the very same parameters, when they answer. Nothing of it is kept in between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Never

from authlib.common.urls import add_params_to_uri
from authlib.oauth2 import OAuth2Error
from django.conf import settings

from accounts.errors import InvalidProgramRequest, ReturnToProgram
from accounts.models import Program, Scope
from accounts.programs.discovery import issuer
from accounts.programs.published import meet_published
from accounts.programs.requests import ProgramRequest
from accounts.programs.server import require_target, server


@dataclass(frozen=True)
class Consent:
    """A request that we would grant. What `program` says of itself is its own claim; where the
    person goes afterwards, `redirect_uri`, is true."""

    program: Program
    redirect_uri: str
    scopes: tuple[Scope, ...]
    resource: str
    code_challenge: str
    state: str | None

    @property
    def scope(self) -> str:
        return " ".join(self.scopes)

    def url_back(self, **said: str) -> str:
        """The address that leads back to the program. Django's HttpResponseRedirect refuses it if
        it has an app's own scheme."""
        return back_to(self.redirect_uri, self.state, said)


def read_consent(parameters: Mapping[str, Sequence[str]]) -> Consent:
    """Reads the request that a program sent a signed-in person with; may fetch the description that
    the program publishes.

    Args:
        parameters: of the address that the program sent the person to, `dict(GET.lists())`.

    Raises InvalidProgramRequest, upon which nobody is redirected, when the program or the redirect
    URI is not a registered one; ReturnToProgram for whatever else is wrong;
    TooManyRequests, LimitsUnavailable.
    """
    request = ProgramRequest("GET", parameters)
    meet_published(request.parameters.get("client_id", ""))
    try:
        grant = server.get_consent_grant(request)
    except OAuth2Error as error:
        refuse(error, error.redirect_uri, request)
    try:
        require_target(request, settings.MCP_RESOURCE)
    except OAuth2Error as error:
        refuse(error, grant.redirect_uri, request)
    return Consent(
        program=request.client.program,
        redirect_uri=grant.redirect_uri,
        scopes=tuple(map(Scope, request.scope.split())),
        resource=settings.MCP_RESOURCE,
        code_challenge=request.parameters["code_challenge"],
        state=request.parameters.get("state"),
    )


def refuse(error: OAuth2Error, redirect_uri: str | None, request: ProgramRequest) -> Never:
    if redirect_uri is None:
        raise InvalidProgramRequest from error
    said = {"error": str(error.error), "error_description": error.description or ""}
    state = request.parameters.get("state")
    raise ReturnToProgram(back_to(redirect_uri, state, said)) from error


def back_to(redirect_uri: str, state: str | None, said: Mapping[str, str]) -> str:
    """The redirect URI with the answer, and with our name, so that the program sees whose answer it
    is (RFC 9207)."""
    stated = [("state", state)] if state is not None else []
    answer: str = add_params_to_uri(redirect_uri, [*said.items(), *stated, ("iss", issuer())])
    return answer
