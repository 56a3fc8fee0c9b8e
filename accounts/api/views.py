"""Logging in and out."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import services
from accounts.api.base import PublicAPIView, TenantAPIView, validated
from accounts.api.serializers import LoginInput, RefreshTokenInput, me_output, tokens_output
from accounts.permissions import IsAnyRole


class LoginView(PublicAPIView):
    def post(self, request: Request) -> Response:
        given = validated(LoginInput, request.data)
        login = services.log_in(
            given["email"], given["password"], tenant_slug=given.get("tenant_slug") or ""
        )
        return tokens_response(login)


class RefreshView(PublicAPIView):
    def post(self, request: Request) -> Response:
        given = validated(RefreshTokenInput, request.data)
        return tokens_response(services.refresh_session(given["refresh_token"]))


class LogoutView(PublicAPIView):
    """The refresh token is the proof: somebody whose access token has expired can log out too."""

    def post(self, request: Request) -> Response:
        given = validated(RefreshTokenInput, request.data)
        services.log_out(given["refresh_token"])
        return Response(status=status.HTTP_204_NO_CONTENT)


class MeView(TenantAPIView):
    permission_classes = [IsAnyRole]

    def get(self, request: Request) -> Response:
        return Response(me_output(self.caller))


def tokens_response(login: services.Login) -> Response:
    # RFC 6749, section 5.1: no cache may keep a token.
    return Response(tokens_output(login), headers={"Cache-Control": "no-store"})
