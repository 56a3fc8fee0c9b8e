"""Signing up."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, validated
from accounts.api.serializers.signup import SignupInput, SignupOutput
from accounts.errors import (
    EmailAlreadyRegistered,
    InvalidSlug,
    OtpSendFailed,
    SlugAlreadyInUse,
    WeakPassword,
)
from accounts.models import Language
from accounts.services.signing_in.signup import sign_up
from config.errors import TooManyRequests
from config.rest.accepted_language import accepted_language
from config.rest.openapi import describe
from config.security.client_address import client_address

DESCRIPTION = """\
Sends a code by e-mail. With it, POST /auth/otp/verify creates the workspace and logs its admin in.
Until then nobody can log in to it. Repeating the request sends another code."""


class SignupView(PublicAPIView):
    @describe(
        "Sign up",
        request=SignupInput,
        response=SignupOutput,
        status=201,
        errors=(
            InvalidSlug,
            WeakPassword,
            EmailAlreadyRegistered,
            SlugAlreadyInUse,
            TooManyRequests,
            OtpSendFailed,
        ),
        description=DESCRIPTION,
    )
    def post(self, request: Request) -> Response:
        given = validated(SignupInput, request.data)
        signup = sign_up(
            email=given["email"],
            password=given["password"],
            tenant_name=given["tenant_name"],
            slug=given["slug"],
            language=given.get("language") or language_of(request),
            address=client_address(request),
            refuses_admins=True,
        )
        return Response(SignupOutput(signup).data, status=status.HTTP_201_CREATED)


def language_of(request: Request) -> str:
    header = request.headers.get("Accept-Language", "")
    return accepted_language(header, Language.values) or Language.SPANISH
