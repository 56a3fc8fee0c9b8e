"""Setting another password."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, TenantAPIView, validated
from accounts.api.serializers.passwords import (
    ChangePasswordInput,
    PasswordSetOutput,
    ResetPasswordInput,
)
from accounts.errors import IncorrectPassword, InvalidOtp, NoPasswordSet, WeakPassword
from accounts.permissions import IsPerson
from accounts.services.signing_in import passwords
from config.errors import TooManyRequests
from config.rest.openapi import describe
from config.security.client_address import client_address


class ResetPasswordView(PublicAPIView):
    @describe(
        "Set a new password with a one-time code",
        request=ResetPasswordInput,
        response=PasswordSetOutput,
        errors=(WeakPassword, InvalidOtp, TooManyRequests),
        description="Takes a code of purpose reset. All sessions of the person end.",
    )
    def post(self, request: Request) -> Response:
        given = validated(ResetPasswordInput, request.data)
        passwords.reset_password(
            given["email"],
            given["code"],
            given["new_password"],
            address=client_address(request),
        )
        return Response({})


class ChangePasswordView(TenantAPIView):
    permission_classes = [IsPerson]

    @describe(
        "Change the password",
        request=ChangePasswordInput,
        response=PasswordSetOutput,
        errors=(NoPasswordSet, IncorrectPassword, WeakPassword, TooManyRequests),
        description="All sessions of the person end, this one too.",
    )
    def post(self, request: Request) -> Response:
        given = validated(ChangePasswordInput, request.data)
        passwords.change_password(
            self.caller.user,
            given["current_password"],
            given["new_password"],
            address=client_address(request),
        )
        return Response({})
