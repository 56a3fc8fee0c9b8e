"""Two-factor login: switching it on and off, and the second step of a login."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, TenantAPIView, validated
from accounts.api.serializers.sessions import TokensOutput
from accounts.api.serializers.two_factor import (
    ConfirmInput,
    DisabledOutput,
    DisableInput,
    RecoveryCodesOutput,
    SetupOutput,
    VerifyInput,
)
from accounts.api.sessions import login_response
from accounts.errors import (
    ChallengeOver,
    IncorrectPassword,
    InvalidOtp,
    NoPasswordSet,
    TwoFactorIsOff,
    TwoFactorIsOn,
    TwoFactorNotSetUp,
    TwoFactorUnreadable,
)
from accounts.permissions import IsPerson
from accounts.services.signing_in import two_factor
from config.errors import TooManyRequests
from config.rest.openapi import describe
from config.security.client_address import client_address

NO_STORE = {"Cache-Control": "no-store"}  # what is shown once is kept by nobody on the way


class VerifyView(PublicAPIView):
    @describe(
        "Log in: the second step",
        request=VerifyInput,
        response=TokensOutput,
        errors=(InvalidOtp, ChallengeOver, TooManyRequests, TwoFactorUnreadable),
    )
    def post(self, request: Request) -> Response:
        given = validated(VerifyInput, request.data)
        return login_response(
            two_factor.verify_challenge(
                given["challenge"], given["code"], address=client_address(request)
            )
        )


class SetupView(TenantAPIView):
    permission_classes = [IsPerson]
    may_lack_second_factor = True

    @describe(
        "Set up two-factor login with a new secret", response=SetupOutput, errors=(TwoFactorIsOn,)
    )
    def post(self, request: Request) -> Response:
        setup = two_factor.set_up(self.caller.user)
        return Response(SetupOutput(setup).data, headers=NO_STORE)


class ConfirmView(TenantAPIView):
    permission_classes = [IsPerson]
    may_lack_second_factor = True

    @describe(
        "Turn on two-factor login",
        request=ConfirmInput,
        response=RecoveryCodesOutput,
        errors=(
            InvalidOtp,
            TwoFactorIsOn,
            TwoFactorNotSetUp,
            TooManyRequests,
            TwoFactorUnreadable,
        ),
    )
    def post(self, request: Request) -> Response:
        given = validated(ConfirmInput, request.data)
        codes = two_factor.confirm(
            self.caller.user, given["code"], tenant=self.tenant, address=client_address(request)
        )
        return Response(RecoveryCodesOutput({"recovery_codes": codes}).data, headers=NO_STORE)


class DisableView(TenantAPIView):
    permission_classes = [IsPerson]

    @describe(
        "Turn off two-factor login",
        request=DisableInput,
        response=DisabledOutput,
        errors=(
            InvalidOtp,
            IncorrectPassword,
            NoPasswordSet,
            TwoFactorIsOff,
            TooManyRequests,
            TwoFactorUnreadable,
        ),
    )
    def post(self, request: Request) -> Response:
        given = validated(DisableInput, request.data)
        two_factor.disable(
            self.caller,
            password=given["password"],
            code=given["code"],
            address=client_address(request),
        )
        return Response({})
