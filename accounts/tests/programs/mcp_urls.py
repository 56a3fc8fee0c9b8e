"""The product's addresses, and MCP's as its view is made: with who calls for an answer."""

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ProgramAPIView
from accounts.models import Scope
from accounts.permissions import IsAdminOrMember, IsAnyRole
from config.urls import urlpatterns as addresses


class CallerView(ProgramAPIView):
    permission_classes = [IsAnyRole]

    def get(self, request: Request) -> Response:
        caller = self.caller
        return Response(
            {
                "email": caller.user.email,
                "tenant": caller.tenant.slug,
                "role": caller.role,
                "scopes": [scope for scope in Scope if scope in caller.scopes],
                "is_machine": caller.is_machine,
            }
        )


class SourcesView(CallerView):
    permission_classes = [IsAdminOrMember]

    def get(self, request: Request) -> Response:
        self.require_scope(Scope.SOURCES)
        return super().get(request)


urlpatterns = [
    path("mcp-caller", CallerView.as_view()),
    path("mcp-sources", SourcesView.as_view()),
    *addresses,
]
