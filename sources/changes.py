"""What a sync does to each document of a source: told apart from what the connector read and what
was known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sources.connectors.interface import Cut, Failed, Item, KnownDocument, Unchanged
from sources.errors import SyncFailed
from sources.ingestion.passages import ReadDocument

OUTCOMES_TOLD = 200  # of the history; the counts are of all
NOTHING_FOUND = "Nothing that could be indexed was found."


class Outcome(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True)
class DocumentOutcome:
    """`reason`: why it failed, or what of it was left out; "" for neither."""

    document: str
    outcome: Outcome
    reason: str = ""


@dataclass(frozen=True)
class Changes:
    """`documents` replace those of the same name; `kept` (external ids) stay as they are; others
    that were known go. `cut` tells why the connector did not read everything, "" when it did.
    """

    documents: tuple[ReadDocument, ...]
    kept: frozenset[str]
    outcomes: tuple[DocumentOutcome, ...]
    cut: str = ""

    def details(self) -> dict[str, Any]:
        """For the history: counts of all outcomes, and the first OUTCOMES_TOLD in words, those
        that people look for first.
        """
        counts = Counter(item.outcome for item in self.outcomes)
        told = sorted(self.outcomes, key=lambda item: item.outcome is Outcome.UNCHANGED)
        return {
            "documents": {outcome.value: counts[outcome] for outcome in Outcome},
            "outcomes": [
                {"document": item.document, "outcome": item.outcome.value, "reason": item.reason}
                for item in told[:OUTCOMES_TOLD]
            ],
            **({"cut": self.cut} if self.cut else {}),
        }


def collect_changes(items: Iterable[Item], known: Mapping[str, KnownDocument]) -> Changes:
    """Reads the connector to its end.

    Raises SyncFailed when nothing is left to answer from: what was indexed then stays; and whatever
    the connector raises.
    """
    documents: dict[str, ReadDocument] = {}
    unchanged: set[str] = set()
    failed: dict[str, str] = {}
    cut = Cut("", keeps_rest=False)
    for item in items:
        match item:
            case ReadDocument():
                documents.setdefault(item.external_id, item)
            case Unchanged():
                unchanged.add(item.external_id)
            case Failed():
                failed[item.external_id] = item.reason
            case Cut():
                cut = item
    named = documents.keys() | unchanged | failed.keys()
    kept = known.keys() & ((unchanged | failed.keys()) - documents.keys())
    if cut.keeps_rest:
        kept |= known.keys() - named
    if not documents and not kept:
        raise SyncFailed(next(iter(failed.values()), NOTHING_FOUND))
    return Changes(
        documents=tuple(documents.values()),
        kept=frozenset(kept),
        outcomes=(
            *(outcome_of(document, known) for document in documents.values()),
            *(DocumentOutcome(name, Outcome.FAILED, reason) for name, reason in failed.items()),
            *(
                DocumentOutcome(name, Outcome.REMOVED)
                for name in known
                if name not in kept and name not in documents
            ),
            *(DocumentOutcome(name, Outcome.UNCHANGED) for name in known if name in unchanged),
        ),
        cut=cut.reason,
    )


def outcome_of(document: ReadDocument, known: Mapping[str, KnownDocument]) -> DocumentOutcome:
    before = known.get(document.external_id)
    if before is None:
        outcome = Outcome.ADDED
    elif before.content_hash == document.content_hash:
        outcome = Outcome.UNCHANGED
    else:
        outcome = Outcome.UPDATED
    return DocumentOutcome(document.external_id, outcome, document.outcome)
