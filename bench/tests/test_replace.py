"""What the benchmark `replace` syncs."""

from types import SimpleNamespace
from typing import Any

import pytest

from bench.speed.replace import PASSAGES, ChangingConnector
from reading.passages import ReadDocument
from sources.connectors.interface import Unchanged
from sources.models import Source

pytestmark = pytest.mark.slow

DOCUMENTS = 10


def read(changed: int, version: str, known: dict[str, Any]) -> list[Any]:
    context: Any = SimpleNamespace(known=known)
    return list(ChangingConnector(DOCUMENTS, changed, version).read(Source(), context))


class TestChangingConnector:
    def test_reads_everything_first_and_then_only_what_has_changed(self) -> None:
        first = read(0, "B", {})
        known = {item.external_id: item for item in first}
        same = read(0, "B", known)
        tenth = read(1, "B", known)

        assert [type(item) for item in first] == [ReadDocument] * DOCUMENTS
        assert [type(item) for item in same] == [Unchanged] * DOCUMENTS
        assert [type(item) for item in tenth] == [ReadDocument, *[Unchanged] * (DOCUMENTS - 1)]

    def test_no_passage_of_a_changed_document_is_as_before(self) -> None:
        before, after = (
            {passage.text for passage in read(1, version, {})[0].passages} for version in ("A", "B")
        )

        assert len(before) == len(after) == PASSAGES
        assert not before & after
