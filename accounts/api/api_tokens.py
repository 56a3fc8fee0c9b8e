"""API tokens, with which machines call. Only admins see and make them: no token makes another."""

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, read_id, validated
from accounts.api.serializers.api_tokens import (
    MAX_DAYS,
    ApiTokenOutput,
    NewApiTokenInput,
    NewApiTokenOutput,
)
from accounts.permissions import IsAdmin
from accounts.services import api_tokens
from config.errors import Conflict, InvalidValue, NotFound
from config.rest.cursor_pages import PAGES, answer_page
from config.rest.openapi import describe


class ApiTokenListView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe(
        "List the API tokens",
        response=ApiTokenOutput(many=True),
        errors=(InvalidValue,),
        parameters=PAGES,
    )
    def get(self, request: Request) -> Response:
        tokens = api_tokens.list_api_tokens(self.tenant)
        return answer_page(request, tokens, ApiTokenOutput, owner=self.tenant)

    @describe(
        "Create an API token",
        request=NewApiTokenInput,
        response=NewApiTokenOutput,
        status=status.HTTP_201_CREATED,
        errors=(Conflict,),
    )
    def post(self, request: Request) -> Response:
        given = validated(NewApiTokenInput, request.data)
        made = api_tokens.create_api_token(
            self.tenant,
            self.caller.membership,
            name=given["name"],
            expires_in_days=given.get("expires_in_days") or MAX_DAYS,
        )
        return Response(
            NewApiTokenOutput(made).data,
            status=status.HTTP_201_CREATED,
            headers={"Cache-Control": "no-store"},
        )


class ApiTokenView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe("Revoke an API token", status=status.HTTP_204_NO_CONTENT, errors=(NotFound,))
    def delete(self, request: Request, token_id: str) -> Response:
        api_tokens.revoke_api_token(self.tenant, read_id(token_id))
        return Response(status=status.HTTP_204_NO_CONTENT)
