"""How the code is laid out, in figures: files a room, and functions that are called in one place.

    .venv/bin/python bench/structure.py [REPOSITORY …]
    .venv/bin/python bench/structure.py --list query   # which functions of query could be inlined

A room is a folder that holds modules. Calls are counted by the function's name, tests' among them:
a function with a test of its own has a second caller. What is handed on by its name and never
called by it counts as no call. Tests and migrations are called by others, and are not counted.
"""

from __future__ import annotations

import ast
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUTSIDE = frozenset({"var", "node_modules"})
NOT_COUNTED = frozenset({"tests", "migrations"})


@dataclass(frozen=True)
class Function:
    """One that stands in a module. `statements`: of its body, without the docstring."""

    module: str
    name: str
    statements: int


@dataclass(frozen=True)
class Layout:
    """`files` by room, `calls` by the name that is called."""

    files: Counter[str]
    functions: list[Function]
    calls: Counter[str]

    @cached_property
    def called_once(self) -> list[Function]:
        return [function for function in self.functions if self.calls[function.name] == 1]

    def of_app(self, app: str) -> Layout:
        return Layout(
            Counter({room: count for room, count in self.files.items() if is_in(room, app)}),
            [function for function in self.functions if is_in(function.module, app)],
            self.calls,
        )


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("repositories", nargs="*", type=Path, default=[ROOT])
    parser.add_argument("--list", metavar="APP", help="functions of an app with one caller")
    options = parser.parse_args()
    for root in options.repositories:
        layout = read_layout(root.resolve())
        print(f"# {root.resolve()}\n\n{as_table(layout)}\n")
        if options.list:
            for function in layout.of_app(options.list).called_once:
                print(f"{function.statements:3} {function.module}: {function.name}")


def read_layout(root: Path) -> Layout:
    layout = Layout(Counter(), [], Counter())
    for path in sorted(root.rglob("*.py")):
        inner = path.relative_to(root)
        if OUTSIDE.intersection(inner.parts) or any(part.startswith(".") for part in inner.parts):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        layout.calls.update(names_called(tree))
        if tree.body and not NOT_COUNTED.intersection(inner.parts):
            layout.files[str(inner.parent)] += 1
            layout.functions.extend(functions_of(tree, str(inner)))
    return layout


def names_called(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                yield name


def functions_of(module: ast.Module, path: str) -> Iterator[Function]:
    for node in module.body:
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            inside = (part for statement in body for part in ast.walk(statement))
            count = sum(isinstance(part, ast.stmt) for part in inside)
            yield Function(path, node.name, count)


def is_in(place: str, app: str) -> bool:
    return Path(place).parts[:1] == (app,)


def as_table(layout: Layout) -> str:
    """A line an app, and one for all."""
    apps = sorted({Path(room).parts[0] for room in layout.files if Path(room).parts})
    rows = [
        "| app | files | rooms | largest room | functions | one caller | and one statement |",
        "|---|---|---|---|---|---|---|",
        *(as_row(app, layout.of_app(app)) for app in apps),
        as_row("all", layout),
    ]
    return "\n".join(rows)


def as_row(name: str, layout: Layout) -> str:
    files = layout.files.total()
    room, largest = layout.files.most_common(1)[0]
    cells = (
        name,
        files,
        len(layout.files),
        f"{room}: {share(largest, files)}",
        len(layout.functions),
        share(len(layout.called_once), len(layout.functions)),
        share(one_statement(layout.called_once), len(layout.functions)),
    )
    return f"| {' | '.join(map(str, cells))} |"


def one_statement(functions: Iterable[Function]) -> int:
    return sum(function.statements <= 1 for function in functions)


def share(part: int, of: int) -> str:
    return f"{part} ({part / max(of, 1):.0%})"


if __name__ == "__main__":
    main()
