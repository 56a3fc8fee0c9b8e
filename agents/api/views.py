"""The endpoints under /agents, but for questions and channels."""

from __future__ import annotations

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import TenantAPIView, read_id, validated
from accounts.api.idempotency import (
    IDEMPOTENCY_KEY,
    IDEMPOTENT_ERRORS,
    answer_once,
    keep_answer,
)
from accounts.idempotency import Claim
from accounts.permissions import IsAdmin, IsAdminOrMember, IsAnyRole, by_method
from agents import services
from agents.api.examples import CHANGES, NEW_AGENT, SCOPE
from agents.api.serializers import (
    AgentChangesInput,
    AgentOutput,
    NewAgentInput,
    ScopeInput,
    ScopeOutput,
)
from agents.errors import AgentLimitReached, AgentNameTaken, AgentNotFound, InvalidAgentConfig
from agents.models import Agent
from agents.scope import ScopeKind
from config.errors import InvalidValue, PreconditionFailed
from config.rest.cursor_pages import PAGES, answer_page
from config.rest.openapi import describe
from config.rest.preconditions import (
    ETAG,
    IF_MATCH,
    IF_NONE_MATCH,
    UNCHANGED,
    etag_of,
    is_unchanged,
    require_match,
)
from sources.errors import SourceNotFound

CHANGES_DESCRIPTION = """\
Only the fields that are sent change, all of them or none. A field that is null stays as it is, and
so do `name`, `persona` and `welcome_msg` when they are empty."""
SHOWN_SCOPE_DESCRIPTION = """\
With `"scope": "all"` the array is empty: the agent answers from all sources of the workspace.
With `"scope": "chosen"` it answers from those listed; from none when the array is empty, because
they were deleted."""
SCOPE_DESCRIPTION = """\
Replaces the whole set. An empty array means all sources of the workspace; with
`"scope": "chosen"` it means none. An agent whose chosen sources were all deleted answers from none
(GET says `"scope": "chosen"`), and an empty array alone leaves it so: send `"scope": "all"` to open
it."""


class AgentListView(TenantAPIView):
    permission_classes = [by_method(read=IsAnyRole, write=IsAdmin)]

    @describe(
        "List the agents",
        response=AgentOutput(many=True),
        errors=(InvalidValue,),
        parameters=PAGES,
    )
    def get(self, request: Request) -> Response:
        agents = services.list_agents(self.tenant)
        return answer_page(request, agents, AgentOutput, owner=self.tenant)

    @describe(
        "Create an agent",
        request=NewAgentInput,
        response=AgentOutput,
        status=201,
        errors=(InvalidAgentConfig, AgentNameTaken, AgentLimitReached, *IDEMPOTENT_ERRORS),
        parameters=[*IDEMPOTENCY_KEY, ETAG],
        examples=[NEW_AGENT],
    )
    def post(self, request: Request) -> Response:
        given = validated(NewAgentInput, request.data)

        def created(agent: Agent) -> Response:
            return Response(AgentOutput(agent).data, status=status.HTTP_201_CREATED)

        def create(claim: Claim | None) -> Response:
            agent = services.create_agent(
                self.tenant,
                when_made=lambda agent: keep_answer(claim, created(agent)),
                **given,
            )
            return created(agent)

        answer = answer_once(request, self.tenant, create, content=lambda: request.data)
        answer.headers["ETag"] = etag_of(answer.data)
        return answer


class AgentView(TenantAPIView):
    permission_classes = [by_method(read=IsAnyRole, write=IsAdmin)]

    @describe(
        "Show an agent",
        response=AgentOutput,
        other_responses=UNCHANGED,
        errors=(AgentNotFound,),
        parameters=[IF_NONE_MATCH, ETAG],
    )
    def get(self, request: Request, agent_id: str) -> Response:
        answer = self.show(services.get_agent(self.tenant, read_id(agent_id)))
        if is_unchanged(request, answer.headers["ETag"]):
            return Response(
                status=status.HTTP_304_NOT_MODIFIED, headers={"ETag": answer.headers["ETag"]}
            )
        return answer

    @describe(
        "Change an agent",
        request=AgentChangesInput,
        response=AgentOutput,
        errors=(AgentNotFound, InvalidAgentConfig, AgentNameTaken, PreconditionFailed),
        parameters=[IF_MATCH, ETAG],
        description=CHANGES_DESCRIPTION,
        examples=[CHANGES],
    )
    def put(self, request: Request, agent_id: str) -> Response:
        changes = validated(AgentChangesInput, request.data)
        agent = services.update_agent(
            self.tenant, read_id(agent_id), when_locked=self.require_match, **changes
        )
        return self.show(agent)

    @describe(
        "Delete an agent",
        status=204,
        errors=(AgentNotFound, PreconditionFailed),
        parameters=[IF_MATCH],
        description="Its conversations are deleted with it; its leads are kept.",
    )
    def delete(self, request: Request, agent_id: str) -> Response:
        services.delete_agent(self.tenant, read_id(agent_id), when_locked=self.require_match)
        return Response(status=status.HTTP_204_NO_CONTENT)

    def require_match(self, agent: Agent) -> None:
        require_match(self.request, etag_of(AgentOutput(agent).data))

    def show(self, agent: Agent) -> Response:
        shown = AgentOutput(agent).data
        return Response(shown, headers={"ETag": etag_of(shown)})


class AgentScopeView(TenantAPIView):
    permission_classes = [by_method(read=IsAdminOrMember, write=IsAdmin)]

    @describe(
        "List the sources that an agent answers from",
        response=ScopeOutput,
        errors=(AgentNotFound,),
        description=SHOWN_SCOPE_DESCRIPTION,
        examples=[SCOPE],
    )
    def get(self, request: Request, agent_id: str) -> Response:
        return Response(ScopeOutput(services.get_scope(self.tenant, read_id(agent_id))).data)

    @describe(
        "Choose the sources that an agent answers from",
        request=ScopeInput,
        response=ScopeOutput,
        errors=(AgentNotFound, SourceNotFound),
        description=SCOPE_DESCRIPTION,
        examples=[SCOPE],
    )
    def put(self, request: Request, agent_id: str) -> Response:
        given = validated(ScopeInput, request.data)
        wanted = [read_id(text) for text in given["source_ids"]]
        kind = ScopeKind(given["scope"]) if given.get("scope") else None
        scope = services.replace_scope(self.tenant, read_id(agent_id), wanted, kind)
        return Response(ScopeOutput(scope).data)
