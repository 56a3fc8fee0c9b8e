"""POST /tenants/me/mcp: the Model Context Protocol over Streamable HTTP.

https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http and, for
the revisions with a handshake, …/2025-11-25/basic/transports, both read 2026-11-23.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from accounts.api.base import ProgramAPIView, PublicAPIView
from accounts.permissions import IsAnyRole
from accounts.signing_in.authentication import Caller
from config.database.pool import release_connection
from config.errors import InvalidRequestBody, NotFound
from config.http.addresses import LOOPBACK_HOSTS
from config.rest.error_forms import LEGACY
from config.rest.openapi import describe
from config.rest.request_body import read_body
from config.security.encryption import digest
from query.api.mcp_description import (
    CALL,
    MCP,
    MCP_DESCRIPTION,
    MESSAGE,
    OTHER_ANSWERS,
    PARAMETERS,
    REPLY,
    RESULT,
)
from query.mcp.callers import McpCaller
from query.mcp.cancelling import cancel
from query.mcp.errors import McpSessionUnknown, OriginRefused, ScopeMissing
from query.mcp.failures import status_of, to_rpc_error
from query.mcp.protocol import (
    MODERN,
    RpcError,
    RpcMessage,
    is_id,
    read_message,
    reply,
    reply_error,
    write_message,
)
from query.mcp.revisions import read_revision
from query.mcp.sessions import begin_session, require_session
from query.presentation.event_stream import HEADERS, MEDIA_TYPE, InContext

JSON = "application/json"
SESSION_HEADER = "Mcp-Session-Id"


class McpView(ProgramAPIView):
    permission_classes = [IsAnyRole]
    error_form = MCP

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """First of all who sends it here: a page that a rebound name leads to us learns nothing."""
        request.get_host()
        require_own_origin(request)
        super().initial(request, *args, **kwargs)

    @describe(
        "Call the MCP server",
        request={JSON: MESSAGE},
        response=REPLY,
        other_responses=OTHER_ANSWERS,
        errors=(ScopeMissing, McpSessionUnknown),
        description=MCP_DESCRIPTION,
        parameters=PARAMETERS,
        examples=[CALL, RESULT],
        tags=["Programs"],
    )
    def post(self, request: Request) -> HttpResponseBase:
        if request.content_type.partition(";")[0].strip().lower() != JSON:
            raise InvalidRequestBody(f"Send {JSON}, and say so in Content-Type.")
        body = read_body(request._request)
        try:
            message = read_message(body)
        except RpcError as error:
            return refuse(None, error, is_modern=True)
        try:
            revision = read_revision(message, request.headers)
        except RpcError as error:
            return refuse(message, error, is_modern=True)
        caller, session_id = caller_of(request), ""
        if revision not in MODERN and message.method != "initialize":
            session_id = request.headers.get(SESSION_HEADER, "")
            require_session(caller, session_id)
        if not message.is_request:
            take_note(caller, session_id, message)
            return HttpResponse(status=202)
        try:
            return answer(request, caller, message, revision, session_id)
        except ScopeMissing as error:
            self.require_scope(error.scope)
            raise


class NothingBelowView(PublicAPIView):
    """Everything below the address, whatever the method: people add a slash, or /sse."""

    error_form = LEGACY
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound(f"There is nothing at this address. MCP is at {settings.MCP_RESOURCE}.")


def require_own_origin(request: Request) -> None:
    """Browsers name the page that asks, other programs name none. Raises OriginRefused."""
    origin = request.headers.get("Origin")
    if origin is None or origin == settings.BASE_URL:
        return
    if settings.IS_DEVELOPMENT and host_of(origin) in LOOPBACK_HOSTS:
        return
    raise OriginRefused


def host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).hostname
    except ValueError:
        return None


def caller_of(request: Request) -> McpCaller:
    """An API token is known by its hash: it has no session. A program's person may let it in anew
    in the middle of a session, to do more: it stays the same caller."""
    caller = cast(Caller, request.auth)
    if caller.access is not None:
        key = f"program {caller.access.program_id} {caller.access.membership_id}"
    elif caller.session is not None:
        key = f"session {caller.session.pk}"
    else:
        key = f"token {digest(request.headers['Authorization'].partition(' ')[2].strip())}"
    return McpCaller(caller.tenant, caller.role, key, caller.scopes)


def take_note(caller: McpCaller, session_id: str, message: RpcMessage) -> None:
    """Acts on a notification. Only a cancellation matters, and only where there are sessions."""
    number = message.params.get("requestId")
    if message.method == "notifications/cancelled" and session_id and is_id(number):
        cancel(caller, session_id, number)


def answer(
    request: Request, caller: McpCaller, message: RpcMessage, revision: str, session_id: str
) -> HttpResponseBase:
    """Raises ScopeMissing, which HTTP has a form for."""
    # Here, for pydantic and the protocol's types cost 0.3 s that no worker and no command need pay.
    from query.mcp.server import Call, begin, run_to_end
    from query.mcp.stream import write_stream

    call = Call(caller, message, revision, session_id)
    try:
        work = begin(call)
        if work.takes_long and accepts_stream(request):
            release_connection()
            return stream(InContext(write_stream(call, work)))
        result = run_to_end(work)
    except ScopeMissing:
        raise
    except Exception as error:  # noqa: BLE001 - it is logged, and told inside JSON-RPC
        return refuse(message, error, is_modern=call.is_modern)
    response = write(reply(message.id, result))
    if message.method == "initialize":
        response.headers[SESSION_HEADER] = begin_session(caller)
    return response


def accepts_stream(request: Request) -> bool:
    accepted = request.headers.get("Accept", "").lower().split(",")
    return MEDIA_TYPE in [part.partition(";")[0].strip() for part in accepted]


def stream(texts: InContext) -> StreamingHttpResponse:
    return StreamingHttpResponse(texts, content_type=MEDIA_TYPE, headers=HEADERS)


def refuse(message: RpcMessage | None, error: Exception, *, is_modern: bool) -> HttpResponse:
    """The error as a response, with the request's id if it is known."""
    known = to_rpc_error(error)
    number = message.id if message else None
    return write(reply_error(number, known), status=status_of(known, is_modern=is_modern))


def write(message: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    return HttpResponse(write_message(message), status=status, content_type=JSON)
