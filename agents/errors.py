"""Errors of agents, and of asking an agent."""

from django.utils.translation import gettext_noop

from config.errors import Conflict, ServiceError


class AgentNotFound(ServiceError):
    code = "AGENT_NOT_FOUND"
    status = 404
    default_message = "There is no such agent."


class ModelNotFound(AgentNotFound):
    """An unknown or inactive agent, in OpenAI's words and with its code, for its clients."""

    code = "model_not_found"
    default_message = "There is no such model. GET /v1/models lists the available models."
    field = "model"


class InvalidAgentConfig(ServiceError):
    code = "INVALID_AGENT_CONFIG"
    status = 400
    default_message = "A field of the agent has an invalid value."


class AgentNameTaken(Conflict):
    default_message = (
        "The workspace already has an agent with this name (case does not matter). Choose another."
    )


class AgentLimitReached(Conflict):
    default_message = "The workspace has reached its limit of agents: delete one first."


class AgentIsInactive(ServiceError):
    """An inactive agent. Raised only by the query endpoints, whose legacy format shows no code."""

    code = "CONFLICT"
    status = 409
    default_message = "This agent is inactive. An admin can activate it: PUT /agents/{id}."


class ScopeWouldBeEmpty(Conflict):
    default_message = gettext_noop(
        "Select at least one source, or let the agent answer from all of them."
    )
