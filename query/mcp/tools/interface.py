"""The interface of a tool: what it says about itself. A new one is a module beside this one and a
line in registry.py.

https://modelcontextprotocol.io/specification/2026-07-28/server/tools, read 2026-11-23.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from accounts.models import Role, Scope
from config.errors import Forbidden, InvalidValue
from query.mcp.callers import ANY_ROLE, McpCaller
from query.mcp.problems import tell_problems
from query.mcp.quoting import quote

JSON_SCHEMA = "https://json-schema.org/draft/2020-12/schema"


class Arguments(BaseModel):
    """The arguments of a tool: the fields are the schema, and what is checked.

    Models and automation tools send more than the schema says: arguments of their own, which are
    ignored, null for an argument that they leave out, and numbers as text ("3") or with a decimal
    point (3.0), which are read as whole numbers.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def drop_nulls(cls, given: Any) -> Any:
        """Drops the arguments that are null. Pydantic refuses what is not an object."""
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value is not None}


def refuse_boolean(value: Any) -> Any:
    """Raises PydanticCustomError, a ValueError, for booleans, which are integers to Python."""
    if isinstance(value, bool):
        raise PydanticCustomError("int_type", "Input should be a valid integer")
    return value


# Stands behind the Field of an integer, whose limits it would hide from the schema.
NO_BOOLEAN = BeforeValidator(refuse_boolean)


def clean(text: str) -> str:
    """Strips the text. Raises PydanticCustomError, a ValueError, for a NUL."""
    if "\0" in text:
        raise PydanticCustomError("text", "must not contain NUL characters")
    return text.strip()


def filled(text: str) -> str:
    """The text, which must not be empty. Raises PydanticCustomError, a ValueError."""
    if not text:
        raise PydanticCustomError("empty", "must not be empty")
    return text


# Behind a text's Field, which counts its signs first.
CLEAN = AfterValidator(clean)
FILLED = AfterValidator(lambda text: filled(clean(text)))


@dataclass(frozen=True)
class Progress:
    """A step of a call that takes a while. `message`: for people."""

    message: str


@dataclass(frozen=True)
class ToolResult:
    """The result of a tool. `structured`: by the tool's output schema. `texts`: the same for
    readers without schemas, a content block each."""

    structured: dict[str, Any]
    texts: tuple[str, ...]


def as_json(structured: Any) -> ToolResult:
    """A result whose text is its data."""
    return ToolResult(structured, (quote(structured),))


Given = TypeVar("Given", bound=Arguments)
Steps = Generator[Progress, None, ToolResult]


class Tool(ABC, Generic[Given]):
    """A tool as programs see it. `description`: when to call it. `takes_long`: its steps are told
    while it runs."""

    name: ClassVar[str]
    title: ClassVar[str]
    description: ClassVar[str]
    arguments: ClassVar[type[Arguments]]
    output: ClassVar[Any]  # a TypedDict
    scope: ClassVar[Scope] = Scope.ASK
    roles: ClassVar[frozenset[Role]] = ANY_ROLE
    takes_long: ClassVar[bool] = True
    is_idempotent: ClassVar[bool] = False

    @abstractmethod
    def run(self, caller: McpCaller, given: Given) -> Steps:
        """Raises ServiceError, which the program is told as the tool's failure. Closing it stops
        the work."""

    def may_be_seen_by(self, caller: McpCaller) -> bool:
        return caller.role in self.roles and self.scope in caller.scopes

    def require_role(self, caller: McpCaller) -> None:
        """Raises Forbidden."""
        if caller.role not in self.roles:
            allowed = " or ".join(sorted(self.roles))
            raise Forbidden(
                f"The role {caller.role} may not call {self.name}: it takes the role {allowed}."
            )

    def read(self, arguments: Any) -> Any:
        """Raises InvalidValue, which names each wrong argument."""
        try:
            return self.arguments.model_validate(arguments)
        except ValidationError as error:
            told = tell_problems(error, of="arguments")
            raise InvalidValue(f"The arguments of {self.name} are wrong. {told}") from None

    @cached_property
    def described(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": schema_of(self.arguments),
            "outputSchema": schema_of(self.output),
            "annotations": {
                "title": self.title,
                "readOnlyHint": True,
                "destructiveHint": False,
                "idempotentHint": self.is_idempotent,
                "openWorldHint": False,
            },
        }


class QuickTool(Tool[Given]):
    """A tool that answers without steps."""

    takes_long = False
    is_idempotent = True

    @abstractmethod
    def call(self, caller: McpCaller, given: Given) -> ToolResult:
        """Raises ServiceError."""

    def run(self, caller: McpCaller, given: Given) -> Steps:
        yield from ()
        return self.call(caller, given)


def schema_of(model: Any) -> dict[str, Any]:
    return {"$schema": JSON_SCHEMA, **tell_schema(TypeAdapter(model).json_schema())}


def tell_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without pydantic's titles, which repeat a field's name, and without docstrings,
    which are for us."""
    dropped = {"title", "description"} if "properties" in schema else {"title"}
    kept = {key: value for key, value in schema.items() if key not in dropped}
    for group in ("properties", "$defs"):
        if group in kept:
            kept[group] = {name: tell_schema(one) for name, one in kept[group].items()}
    return kept
