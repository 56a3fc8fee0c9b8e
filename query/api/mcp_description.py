"""How the OpenAPI description tells of the MCP endpoint: as far as HTTP goes, for the protocol is
described elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter

from config.errors import ServiceError
from config.rest.error_forms import Json, LegacyForm, object_schema
from query.mcp.protocol import HANDSHAKE, MODERN, VERSION_KEY
from query.mcp.revisions import METHOD_HEADER, NAME_HEADER, VERSION_HEADER

MCP_DESCRIPTION = """\
The [Model Context Protocol](https://modelcontextprotocol.io) over Streamable HTTP: one JSON-RPC 2.0
message a request. Revision 2026-07-28 needs no handshake; 2024-11-05 to 2025-11-25 begin with
`initialize`, whose answer carries `Mcp-Session-Id`.

Tools: `ask`, `list_agents`, and for admins and members `search`, `list_sources` and
`read_source_passage`; sources are resources. Tokens of people, API tokens, and tokens that a
person gave a program by OAuth are accepted. `ask` answers as a stream of events if the client
accepts one. Errors in a message are reported in JSON-RPC; errors before that (of a token, a role,
a limit or a session) in the legacy format."""

NUMBER: Json = {"oneOf": [{"type": "string"}, {"type": "integer"}]}
MESSAGE: Json = {
    "type": "object",
    "properties": {
        "jsonrpc": {"type": "string", "enum": ["2.0"]},
        "id": NUMBER,
        "method": {"type": "string", "minLength": 1},
        "params": {"type": "object"},
    },
    "required": ["jsonrpc", "method"],
}
RPC_ERROR: Json = object_schema({"code": {"type": "integer"}, "message": {"type": "string"}})
REPLY: Json = {
    "type": "object",
    "properties": {
        "jsonrpc": {"type": "string", "enum": ["2.0"]},
        "id": NUMBER,
        "result": {"type": "object", "description": "Or `error`, if it failed."},
    },
    "required": ["jsonrpc", "id"],
}
OTHER_ANSWERS: dict[Any, Any] = {(200, "text/event-stream"): {"type": "string"}, 202: None}
PARAMETERS = [
    OpenApiParameter(
        VERSION_HEADER,
        location=OpenApiParameter.HEADER,
        enum=[*HANDSHAKE, *MODERN],
        description="The protocol revision of the message.",
    ),
    OpenApiParameter(
        METHOD_HEADER,
        location=OpenApiParameter.HEADER,
        description="The same as in the message; in revision 2026-07-28.",
    ),
    OpenApiParameter(
        NAME_HEADER,
        location=OpenApiParameter.HEADER,
        description=(
            "The tool's name or the resource's address, the same as in the message; likewise."
        ),
    ),
    OpenApiParameter(
        "Mcp-Session-Id",
        location=OpenApiParameter.HEADER,
        description="From the answer to initialize, in revisions with a handshake.",
    ),
]


class McpForm(LegacyForm):
    """The legacy format before a message was read; then JSON-RPC's, under the same statuses."""

    name = "Mcp"

    def describe(self, errors: Iterable[type[ServiceError]]) -> Json:
        rpc = {
            "jsonrpc": {"type": "string", "enum": ["2.0"]},
            "id": {"oneOf": [*NUMBER["oneOf"]], "nullable": True},
            "error": RPC_ERROR,
        }
        return {"anyOf": [super().describe(errors), object_schema(rpc)]}


MCP = McpForm()

CALL = OpenApiExample(
    "A call",
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {
            "name": "ask",
            "arguments": {"question": "How long can I return a purchase?"},
            "_meta": {VERSION_KEY: MODERN[0], "io.modelcontextprotocol/clientCapabilities": {}},
        },
    },
    request_only=True,
)
RESULT = OpenApiExample(
    "Its result",
    {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "resultType": "complete",
            "content": [{"type": "text", "text": "Within thirty days of the purchase. [1]"}],
            "structuredContent": {"answer": "Within thirty days of the purchase. [1]"},
            "isError": False,
        },
    },
    response_only=True,
)
