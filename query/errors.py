"""Errors of the query endpoints. They answer in the legacy format: the text alone, told apart by
status."""

from config.errors import ServiceError


class AgentNotFound(ServiceError):
    code = "AGENT_NOT_FOUND"
    status = 404
    default_message = "There is no such agent."
