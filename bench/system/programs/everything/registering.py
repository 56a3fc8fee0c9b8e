"""Tools and resources by the names that conformance 0.1.16 and 0.2.0-alpha.12 look for."""

from __future__ import annotations

import json
import re
import time
from typing import Any
from unittest.mock import patch

from typing_extensions import TypedDict

from config.errors import ServiceError
from query.mcp import server
from query.mcp.callers import McpCaller
from query.mcp.resources import read_resource
from query.mcp.tools.interface import Arguments, Progress, QuickTool, Steps, Tool, ToolResult
from query.mcp.tools.registry import TOOLS

STATIC_URI = "test://static-text"
STATIC_TEXT = "This is the content of the static text resource."
TEMPLATE_URI = re.compile(r"test://template/([^/]+)/data")
STEP_SECONDS = 0.05
STEPS = (0, 50, 100)

JSON_SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


class NoArguments(Arguments):
    pass


class SaidOutput(TypedDict):
    said: str


class Saying(QuickTool[NoArguments]):
    """Answers with `says`."""

    arguments = NoArguments
    output = SaidOutput
    says = ""

    def call(self, caller: McpCaller, given: NoArguments) -> ToolResult:
        return ToolResult({"said": self.says}, (self.says,))


class SimpleText(Saying):
    name = "test_simple_text"
    title = description = "Tests a simple text."
    says = "This is a simple text response for testing."


class ErrorHandling(Saying):
    name = "test_error_handling"
    title = description = "Tests a failure."

    def call(self, caller: McpCaller, given: NoArguments) -> ToolResult:
        raise ServiceError("This tool intentionally returns an error for testing")


class Logging(Saying):
    """Asked for without a log level, it must not log; the product never does."""

    name = "test_logging_tool"
    title = description = "Tests that nothing is logged unasked."
    says = "Nothing was logged."


class WithProgress(Tool[NoArguments]):
    name = "test_tool_with_progress"
    title = description = "Tests progress."
    arguments = NoArguments
    output = SaidOutput

    def run(self, caller: McpCaller, given: NoArguments) -> Steps:
        for done in STEPS:
            yield Progress(f"Completed step {done} of {STEPS[-1]}")
            time.sleep(STEP_SECONDS)
        return ToolResult({"said": "done"}, ("done",))


class Streaming(WithProgress):
    """The stream of its answer must hold no request to the program; the product sends none."""

    name = "test_streaming_elicitation"
    title = description = "Tests that a stream asks nothing."


class JsonSchema(Saying):
    name = "json_schema_2020_12_tool"
    title = description = "Tests a schema."

    @property
    def described(self) -> dict[str, Any]:
        return {**super().described, "inputSchema": JSON_SCHEMA_2020_12}


def register() -> None:
    for tool in (
        SimpleText(),
        ErrorHandling(),
        Logging(),
        WithProgress(),
        Streaming(),
        JsonSchema(),
    ):
        TOOLS[tool.name] = tool

    def read_any_resource(caller: McpCaller, uri: str) -> str:
        if uri == STATIC_URI:
            return STATIC_TEXT
        if named := TEMPLATE_URI.fullmatch(uri):
            data = f"Data for ID: {named[1]}"
            return json.dumps({"id": named[1], "templateTest": True, "data": data})
        return read_resource(caller, uri)

    patch.object(server, "read_resource", read_any_resource).start()
