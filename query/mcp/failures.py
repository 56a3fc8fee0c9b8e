"""Turns whatever goes wrong in a request into its error."""

from __future__ import annotations

import logging

from config.rest.handling import to_service_error
from query.mcp.protocol import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
    RpcError,
)

logger = logging.getLogger(__name__)

# https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http, read
# 2026-11-23. Others are answers like any: 200.
STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_PROTOCOL_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
# In the handshake revisions, what came as a request is answered with 200.
OUTSIDE_REQUESTS = {PARSE_ERROR, INVALID_REQUEST, HEADER_MISMATCH, UNSUPPORTED_PROTOCOL_VERSION}


def status_of(error: RpcError, *, is_modern: bool) -> int:
    if is_modern or error.code in OUTSIDE_REQUESTS:
        return STATUSES.get(error.code, 200)
    return 200


def to_rpc_error(error: Exception) -> RpcError:
    """The error as the protocol has it. An unforeseen one is logged, and the client is told only
    the request's id."""
    if isinstance(error, RpcError):
        return error
    known = to_service_error(error)
    logger.error("an MCP request failed: %s", known.code, exc_info=error)
    return RpcError(INTERNAL_ERROR, known.message)
