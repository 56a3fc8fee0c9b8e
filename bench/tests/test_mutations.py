"""The table of protections does not rot: what it edits and what it runs is there."""

import ast

import pytest

from bench.mutations.__main__ import DOCUMENT, ROOT
from bench.mutations.registry import Vulnerability, read_table, write_document

ROWS = read_table()


def test_every_published_vulnerability_has_its_row() -> None:
    assert [row.number for row in ROWS] == list(range(1, 48))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_what_is_taken_out_stands_in_the_code_once(row: Vulnerability) -> None:
    for edit in row.edits:
        assert (ROOT / edit.file).read_text().count(edit.text) == 1, edit.file
        assert edit.instead != edit.text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_its_tests_are_there(row: Vulnerability) -> None:
    assert row.tests
    for test in row.tests:
        file, _, name = test.partition("::")
        functions = ast.walk(ast.parse((ROOT / file).read_text()))
        names = {node.name for node in functions if isinstance(node, ast.FunctionDef)}
        assert name.partition("[")[0] in names, test


def test_the_document_is_that_of_the_table() -> None:
    assert DOCUMENT.read_text() == write_document(ROWS)
