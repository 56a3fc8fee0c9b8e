"""POST /agent/query and POST /agents/{id}/query."""

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, validated
from accounts.permissions import IsAnyRole
from accounts.quotas import counted_query
from config.errors import PlanLimitReached
from config.openapi import describe
from query.api.examples import CITED_ANSWER, NO_MATCH, QUESTION
from query.api.serializers import AnswerOutput, QueryInput
from query.errors import AgentNotFound
from query.pipeline import answer_question

QUERY_DESCRIPTION = """\
`sources` says where the answer stands, best first; it is empty when nothing that is indexed fits
the question. Errors have the legacy format."""


class QueryView(TenantAPIView):
    """Asks the tenant's default configuration. Agents do not exist yet (issue 5): any agent id is
    an unknown one."""

    permission_classes = [IsAnyRole]
    has_legacy_errors = True

    @describe(
        "Ask the workspace",
        request=QueryInput,
        response=AnswerOutput,
        errors=(AgentNotFound, PlanLimitReached),
        description=QUERY_DESCRIPTION,
        examples=[QUESTION, CITED_ANSWER, NO_MATCH],
    )
    def post(self, request: Request) -> Response:
        asked = validated(QueryInput, request.data)
        if asked.get("agent_id"):
            raise AgentNotFound
        with counted_query(self.tenant):
            return Response(AnswerOutput(answer_question(self.tenant, asked["query"])).data)


class AgentQueryView(TenantAPIView):
    permission_classes = [IsAnyRole]
    has_legacy_errors = True

    @describe(
        "Ask an agent",
        request=QueryInput,
        response=AnswerOutput,
        errors=(AgentNotFound,),
        description=QUERY_DESCRIPTION,
        examples=[QUESTION, CITED_ANSWER, NO_MATCH],
    )
    def post(self, request: Request, agent_id: str) -> Response:
        validated(QueryInput, request.data)
        raise AgentNotFound
