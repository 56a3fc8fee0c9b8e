"""bin/client: the Python client, made from docs/openapi.yaml. Nothing is fetched.

docs/client.md says how it is used.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from config.running.environment import REPOSITORY

Json = dict[str, Any]

DESCRIPTION = REPOSITORY / "docs" / "openapi.yaml"
README = REPOSITORY / "docs" / "client.md"
CONFIGURATION = Path(__file__).with_name("openapi_client.yaml")
PROJECT = "knowledge-agents-client"
BUILD_EPOCH = "1735689600"  # of every file in the wheel: the same description, the same bytes

# By how a path begins
LEFT_OUT_PATHS = {
    "/webhooks/": "messengers call it",
    "/public/": "the widget of a website calls it",
    "/v1/": "OpenAI's package calls it",
    "/tenants/me/mcp": "the packages of MCP call it",
    "/oauth/": "the packages of MCP call it",
    "/.well-known/": "the packages of MCP call it",
}
LEFT_OUT_TYPES = {
    "text/event-stream": "a generated function answers once; docs/client.md shows how to read it",
}
TEXT: Json = {"type": "string"}
# One class for all codes: a code that is new to a client must not break it.
ERRORS: dict[str, Json] = {
    "Error": {
        "type": "object",
        "properties": {"error": {"$ref": "#/components/schemas/ErrorDetail"}},
        "required": ["error"],
    },
    "ErrorDetail": {
        "type": "object",
        "properties": {"code": TEXT, "message": TEXT},
        "required": ["code", "message"],
    },
    "LegacyError": {"type": "object", "properties": {"error": TEXT}, "required": ["error"]},
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="bin/client", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=REPOSITORY / "var" / "client")
    folder = parser.parse_args(arguments).folder.resolve()
    description = yaml.safe_load(DESCRIPTION.read_text())
    for line in simplify(description):
        print(line)
    try:
        generate(description, folder / PROJECT)
        wheel = build_wheel(folder / PROJECT, folder)
    except subprocess.CalledProcessError as error:
        print(f"bin/client: {error.stdout}\n{error.stderr}", file=sys.stderr)
        return 1
    print(f"The package: {folder / PROJECT}\nTo install it: pip install {wheel}")
    return 0


def simplify(description: Json) -> Iterator[str]:
    """Change the parts that a client cannot use, and say which are left out, and why."""
    for path, methods in list(description["paths"].items()):
        if reason := reason_to_leave_out(path):
            yield f"Left out: {path} ({reason})"
            del description["paths"][path]
            continue
        for operation in methods.values():
            for answer in operation["responses"].values():
                for media_type in LEFT_OUT_TYPES.keys() & answer.get("content", {}).keys():
                    yield f"Left out: {media_type} of {path} ({LEFT_OUT_TYPES[media_type]})"
                    del answer["content"][media_type]
    for answer in description["components"]["responses"].values():
        for content in answer.get("content", {}).values():
            share_error(content)
    description["components"]["schemas"] |= ERRORS
    for schema in objects(description):
        if schema.get("nullable") and "enum" in schema:
            # It is said already: a null among the values would get a class of its own.
            schema["enum"] = [value for value in schema["enum"] if value is not None]
    drop_unused_schemas(description)


def reason_to_leave_out(path: str) -> str:
    """Empty where the client has the path."""
    return next((why for start, why in LEFT_OUT_PATHS.items() if path.startswith(start)), "")


def share_error(content: Json) -> None:
    """Refers to the error's schema: each endpoint names its codes, and would get a class of its own
    for each status."""
    error = content["schema"].get("properties", {}).get("error", {})
    if error.get("type") == "string":
        content["schema"] = {"$ref": "#/components/schemas/LegacyError"}
    elif error.get("properties", {}).keys() == {"code", "message"}:
        content["schema"] = {"$ref": "#/components/schemas/Error"}


def drop_unused_schemas(description: Json) -> None:
    """Drop the schemas that nothing refers to any more: they would become unused classes."""
    components = description["components"]
    used: set[str] = set()
    unread = references(description["paths"])
    while unread:
        used |= unread
        found = (reference.split("/")[2:] for reference in unread)
        unread = {deeper for kind, name in found for deeper in references(components[kind][name])}
        unread -= used
    components["schemas"] = {
        name: schema
        for name, schema in components["schemas"].items()
        if f"#/components/schemas/{name}" in used
    }


def references(node: Any) -> set[str]:
    return {part["$ref"] for part in objects(node) if "$ref" in part}


def objects(node: Any) -> Iterator[Json]:
    """Every JSON object in `node`, itself included."""
    if isinstance(node, dict):
        yield node
    if isinstance(node, dict | list):
        for child in node.values() if isinstance(node, dict) else node:
            yield from objects(child)


def generate(description: Json, project: Path) -> None:
    """Replaces `project`. Prints the generator's warnings.

    Raises CalledProcessError when it made no client in the end.
    """
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "openapi.yaml")
        source.write_text(yaml.safe_dump(description))
        made = Path(scratch, PROJECT)
        generator = ["-m", "openapi_python_client", "generate", "--meta", "setup"]
        said = run(*generator, "--path", source, "--output-path", made, "--config", CONFIGURATION)
        print(said.stderr, end="")
        shutil.copyfile(README, made / "README.md")
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(made, project)


def build_wheel(project: Path, folder: Path) -> Path:
    """The wheel, in `folder`. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = shutil.copytree(project, Path(scratch, PROJECT))  # building leaves folders behind
        made = Path(scratch, "wheel")
        builder = ["-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation"]
        run(*builder, "--wheel-dir", made, copy)
        return Path(shutil.copy(next(made.iterdir()), folder))


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A module of our .venv, whose Python the generator's own commands find by name as well."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": BUILD_EPOCH},
        capture_output=True,
        text=True,
        check=True,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
