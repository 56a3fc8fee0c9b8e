"""Logging in and out."""

from typing import Any

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, TenantAPIView, validated
from accounts.api.examples import CHALLENGE, LOGIN, TOKENS
from accounts.api.serializers.sessions import (
    LoginInput,
    LoginOutput,
    LogoutInput,
    MeOutput,
    OwnTenantOutput,
    RefreshInput,
    TokensOutput,
    me_output,
    tokens_output,
)
from accounts.errors import InvalidCredentials, InvalidToken, NoWorkspaceAccess
from accounts.permissions import IsAnyRole, IsPerson
from accounts.services.signing_in import sessions
from accounts.services.signing_in.sessions import Challenge, Login
from config.database.acting import over_all_tenants
from config.errors import InvalidValue, TooManyRequests
from config.rest.cursor_pages import PAGES, answer_page
from config.rest.openapi import describe
from config.security.client_address import client_address

REFRESH_DESCRIPTION = """\
Each refresh token can be used once: using it again ends the session and its access tokens.
With `tenant_slug` the person continues in another of their workspaces, and this session ends."""


class LoginView(PublicAPIView):
    @describe(
        "Log in",
        request=LoginInput,
        response=LoginOutput,
        errors=(InvalidCredentials, NoWorkspaceAccess, TooManyRequests),
        description="Tokens; or, with two-factor login, a challenge for POST /auth/2fa/verify.",
        examples=[LOGIN, TOKENS, CHALLENGE],
    )
    def post(self, request: Request) -> Response:
        given = validated(LoginInput, request.data)
        return login_response(
            sessions.log_in(
                given["email"],
                given["password"],
                tenant_slug=given.get("tenant_slug") or "",
                address=client_address(request),
            )
        )


class RefreshView(PublicAPIView):
    @describe(
        "Get new tokens for a refresh token",
        request=RefreshInput,
        response=TokensOutput,
        errors=(InvalidToken, NoWorkspaceAccess),
        description=REFRESH_DESCRIPTION,
        examples=[TOKENS],
    )
    def post(self, request: Request) -> Response:
        given = validated(RefreshInput, request.data)
        return login_response(
            sessions.refresh_session(
                given["refresh_token"], tenant_slug=given.get("tenant_slug") or ""
            )
        )


class LogoutView(PublicAPIView):
    """The refresh token is the proof: somebody whose access token has expired can log out too."""

    @describe("Log out", request=LogoutInput, status=204, errors=(InvalidToken,))
    def post(self, request: Request) -> Response:
        given = validated(LogoutInput, request.data)
        sessions.log_out(given["refresh_token"])
        return Response(status=status.HTTP_204_NO_CONTENT)


class OwnTenantsView(TenantAPIView):
    """Where the caller can go on with POST /auth/refresh and a `tenant_slug`."""

    permission_classes = [IsPerson]
    may_lack_second_factor = True

    @describe(
        "List the workspaces of the caller",
        response=OwnTenantOutput(many=True),
        errors=(InvalidValue,),
        parameters=PAGES,
    )
    def get(self, request: Request) -> Response:
        memberships = sessions.list_memberships(self.caller.user)
        with over_all_tenants():
            return answer_page(request, memberships, OwnTenantOutput, owner=self.caller.user)


class MeView(TenantAPIView):
    permission_classes = [IsAnyRole]
    may_lack_second_factor = True  # it says whether they have one

    @describe("Get the caller", response=MeOutput)
    def get(self, request: Request) -> Response:
        return Response(me_output(self.caller))


def login_response(result: Login | Challenge) -> Response:
    """Tokens, or the question for the second factor."""
    content: dict[str, Any]
    if isinstance(result, Challenge):
        content = {"two_factor_required": True, "challenge": result.token}
    else:
        content = tokens_output(result)
    # RFC 6749, section 5.1: no cache may keep a token.
    return Response(content, headers={"Cache-Control": "no-store"})
