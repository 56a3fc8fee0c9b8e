"""POST /agent/query and POST /agents/{id}/query."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, validated
from accounts.permissions import IsAnyRole
from query.api.serializers import AnswerOutput, QueryInput
from query.errors import AgentNotFound
from query.pipeline import answer_question


class QueryView(TenantAPIView):
    """Asks the tenant's default configuration. Agents do not exist yet (issue 5): any agent id is
    an unknown one."""

    permission_classes = [IsAnyRole]
    has_legacy_errors = True

    def post(self, request: Request) -> Response:
        asked = validated(QueryInput, request.data)
        if asked.get("agent_id"):
            raise AgentNotFound
        return Response(AnswerOutput(answer_question(self.tenant, asked["query"])).data)


class AgentQueryView(TenantAPIView):
    permission_classes = [IsAnyRole]
    has_legacy_errors = True

    def post(self, request: Request, agent_id: str) -> Response:
        validated(QueryInput, request.data)
        raise AgentNotFound
