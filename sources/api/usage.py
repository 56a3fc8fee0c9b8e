"""GET /tenants/me/usage. Here, and not in accounts: documents and connectors are sources."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView
from accounts.permissions import IsAdmin
from config.rest.openapi import describe
from sources.api.serializers import UsageSerializer
from sources.services.usage import get_usage


class UsageView(TenantAPIView):
    permission_classes = [IsAdmin]

    @describe("Show this month's usage of the plan", response=UsageSerializer)
    def get(self, request: Request) -> Response:
        return Response(UsageSerializer(get_usage(self.tenant)).data)
