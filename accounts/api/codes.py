"""One-time codes by mail."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, validated
from accounts.api.examples import CHALLENGE, TOKENS
from accounts.api.serializers.codes import CodeSentOutput, SendCodeInput, VerifyCodeInput
from accounts.api.serializers.sessions import LoginOutput
from accounts.api.sessions import login_response
from accounts.errors import (
    EmailAlreadyRegistered,
    InvalidOtp,
    InvalidOtpPurpose,
    NoWorkspaceAccess,
    OtpSendFailed,
    SlugAlreadyInUse,
    TwoFactorRequired,
)
from accounts.services.signing_in import codes
from config.errors import TooManyRequests
from config.rest.openapi import describe
from config.security.client_address import client_address

SEND_DESCRIPTION = """\
The answer, and the time it takes, are the same whether or not the address has an account. A code is
valid for 10 minutes and 5 attempts; a new code replaces it."""
VERIFY_DESCRIPTION = """\
Purpose login logs in. Purpose signup creates the workspace that was signed up for and logs its
admin in. An account with two-factor login gets a challenge instead. Codes of purpose reset are for
POST /auth/reset-password."""


class SendCodeView(PublicAPIView):
    @describe(
        "Send a one-time code",
        request=SendCodeInput,
        response=CodeSentOutput,
        errors=(InvalidOtpPurpose, TwoFactorRequired, TooManyRequests, OtpSendFailed),
        description=SEND_DESCRIPTION,
    )
    def post(self, request: Request) -> Response:
        given = validated(SendCodeInput, request.data)
        codes.send_code(given["email"], given["purpose"], address=client_address(request))
        return Response({})


class VerifyCodeView(PublicAPIView):
    @describe(
        "Log in, or finish signing up, with a one-time code",
        request=VerifyCodeInput,
        response=LoginOutput,
        errors=(
            InvalidOtpPurpose,
            InvalidOtp,
            NoWorkspaceAccess,
            TwoFactorRequired,
            EmailAlreadyRegistered,
            SlugAlreadyInUse,
            TooManyRequests,
        ),
        description=VERIFY_DESCRIPTION,
        examples=[TOKENS, CHALLENGE],
    )
    def post(self, request: Request) -> Response:
        given = validated(VerifyCodeInput, request.data)
        return login_response(
            codes.verify_code(
                given["email"], given["code"], given["purpose"], address=client_address(request)
            )
        )
