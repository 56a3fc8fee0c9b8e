"""The published vulnerabilities of services like ours, and what stands between them and us."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TABLE = Path(__file__).parent / "table.toml"
HEAD = """\
# Published vulnerabilities of services like ours

What others were broken by, what we answer, and the test that fails when our answer is taken out of
the code: `bin/mutations` takes each out of a copy of the tree and runs the tests
([results](../bench/results/mutations.md)). The edits stand in
[`table.toml`](../bench/mutations/table.toml), of which `bin/mutations --write` makes this table; a
test finds an edit whose text is no longer in the code, and a test that is no longer there.

| # | What happened | Published | Our answer | Where | Test |
|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Edit:
    """`text` stands in `file` once; `instead` is the code without the protection."""

    file: str
    text: str
    instead: str


@dataclass(frozen=True)
class Vulnerability:
    """`edits` take our answer out, all at once; then at least one of `tests` fails, and none does
    before."""

    number: int
    title: str
    published: str
    answer: str
    tests: tuple[str, ...]
    edits: tuple[Edit, ...]


def read_table() -> list[Vulnerability]:
    rows: list[dict[str, Any]] = tomllib.loads(TABLE.read_text())["vulnerability"]
    return [
        Vulnerability(
            **{
                **row,
                "tests": tuple(row["tests"]),
                "edits": tuple(Edit(**edit) for edit in row["edits"]),
            }
        )
        for row in rows
    ]


def write_document(rows: list[Vulnerability]) -> str:
    return HEAD + "".join(f"| {' | '.join(cells_of(row))} |\n" for row in rows)


def cells_of(row: Vulnerability) -> list[str]:
    files = sorted({edit.file for edit in row.edits})
    return [
        str(row.number),
        row.title,
        row.published,
        row.answer,
        "<br>".join(f"`{file}`" for file in files),
        "<br>".join(f"`{test}`" for test in row.tests),
    ]
