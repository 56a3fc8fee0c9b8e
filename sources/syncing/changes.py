"""The effect of a sync on each document of a source, found by comparing what the connector named
with what is stored, live and staged."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import Any

from config.database.reasons import list_json
from reading.passages import Description, ReadDocument
from reasons import Reason, join_reasons
from sources.connectors.interface import Cut, Failed, KnownDocument
from sources.errors import SyncFailed
from sources.indexing.rows import OF_A_PART, TITLE_MAX_CHARS
from sources.models import NEVER, Document, Source
from sources.syncing.losses import check_losses

OUTCOMES_TOLD = 200  # of the history; the counts are of all
WARNINGS_TOLD = 100
# Of a document; a history is a hundred entries of OUTCOMES_TOLD.
REASONS_TOLD = 3
TEXT_TOLD_CHARS = 300
# Of one source, kept for its next sync. Where more failed, that one asks for everything again.
FAILURES_KEPT = 2000
NOTHING_FOUND = Reason("nothing_found")


class Outcome(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


@dataclass(frozen=True)
class DocumentOutcome:
    """`reason`: why it failed, or what of it was not read; None for neither. `coverage`: as in
    Document, of what was read."""

    document: str
    outcome: Outcome
    reason: Reason | None = None
    coverage: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Version:
    """A document as it is stored. `is_marked`: a run that failed had marked it for removal.
    `is_whole`: False for a long document of which a part is staged, and the rest still to come."""

    pk: uuid.UUID
    known: KnownDocument
    position: int
    chunks_count: int
    warnings: Sequence[Reason]
    coverage: Mapping[str, int]
    is_marked: bool
    is_whole: bool

    @property
    def size(self) -> tuple[uuid.UUID, int]:
        return self.pk, self.chunks_count

    @property
    def shown_name(self) -> str:
        return self.known.place or self.known.external_id


def version_of(row: Document) -> Version:
    known = KnownDocument(
        external_id=row.external_id,
        title=row.title,
        content_hash=row.content_hash,
        etag=row.etag,
        last_modified=row.last_modified,
        place=row.place,
        link=row.link,
    )
    return Version(
        pk=row.pk,
        known=known,
        position=row.position,
        chunks_count=row.chunks_count,
        warnings=row.warnings,
        coverage=row.coverage,
        is_marked=row.removed_in != NEVER,
        is_whole=row.content_hash != OF_A_PART,
    )


def describe(known: KnownDocument) -> Description:
    return Description(known.title, known.etag, known.last_modified, known.place, known.link)


@dataclass
class Inventory:
    """The documents by external id: those that answer (`live`), those of the next generation that
    this run or one before it has written (`staged`), and those that the connector has named so far.

    Names and hashes of all documents of the source, and no text: some hundred bytes each.
    """

    live: dict[str, Version]
    staged: dict[str, Version]
    read: set[str] = field(default_factory=set)
    unchanged: dict[str, Description | None] = field(default_factory=dict)
    failed: dict[str, Failed] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    replaced: dict[str, str] = field(default_factory=dict)
    cut: Cut | None = None
    left_out: list[Reason] = field(default_factory=list)

    @classmethod
    def of(cls, source: Source) -> Inventory:
        """The inventory of a source. Two queries."""
        documents = Document.objects.for_tenant(source.tenant).filter(source=source)
        live = documents.live().order_by("position")
        staged = documents.filter(generation=source.generation + 1).order_by("position")
        return cls(
            live={row.external_id: version_of(row) for row in live.iterator()},
            staged={row.external_id: version_of(row) for row in staged.iterator()},
        )

    def known(self) -> dict[str, KnownDocument]:
        """The documents that the connector need not read again. A staged document is known as it
        was read then; one that is staged in part is to be read again."""
        staged = {name: version for name, version in self.staged.items() if version.is_whole}
        return {name: version.known for name, version in (self.live | staged).items()}

    def is_staged(self, document: ReadDocument) -> bool:
        """True if the document is staged exactly as it was read just now."""
        version = self.staged.get(document.external_id)
        return version is not None and (
            version.known.content_hash,
            version.known.etag,
            version.known.last_modified,
        ) == (document.content_hash, document.etag, document.last_modified)

    def passages_with(self, documents: Iterable[ReadDocument]) -> int:
        """The number of passages that the next generation has at least: in these documents, in what
        is staged, and in what is known to stay."""
        known = self.unchanged.keys() | self.failed.keys()
        stay = {name: self.live[name].chunks_count for name in known if name in self.live}
        staged = {name: version.chunks_count for name, version in self.staged.items()}
        new = {document.external_id: len(document.passages) for document in documents}
        return sum((stay | staged | new).values())

    def next_position(self) -> int:
        versions = (*self.live.values(), *self.staged.values())
        return 1 + max((version.position for version in versions), default=-1)

    def settle(self, cursor: Mapping[str, Any], *, may_lose: bool) -> Changes:
        """Returns the changes, at the end of the reading. `cursor`: for the next sync. `may_lose`:
        most of what is known may go at once.

        Raises SyncFailed when nothing would be left to answer from, and LossUnconfirmed when too
        much would be lost: then the indexed content stays.
        """
        staged = {
            name: version
            for name, version in self.staged.items()
            if version.is_whole and self._stays(name)
        }
        kept = {
            name: version
            for name, version in self.live.items()
            if name not in staged and self._stays(name)
        }
        if not staged and not kept:
            first = next(iter(self.failed.values()), None)
            raise SyncFailed(first.reason if first else NOTHING_FOUND)
        if not may_lose and self.cut is None:  # what a limit of the plan leaves out is meant
            stay = staged.keys() | kept.keys()
            check_losses(self.live.keys(), stay, self.gone, self.replaced)
        return Changes(self, staged, kept, dict(cursor))

    def _stays(self, name: str) -> bool:
        return (
            (self.cut is not None and self.cut.keeps_rest)
            or name in self.read
            or name in self.unchanged
            or name in self.failed
        )


@dataclass(frozen=True)
class Changes:
    """The next generation: `staged` beside `kept` of those that are live."""

    inventory: Inventory
    staged: dict[str, Version]
    kept: dict[str, Version]
    cursor: dict[str, Any]

    @property
    def dropped(self) -> list[Version]:
        """Versions staged by a run that failed, and gone from the origin since, or never staged
        whole."""
        return [
            version for name, version in self.inventory.staged.items() if name not in self.staged
        ]

    @property
    def replaces_all(self) -> bool:
        """True if no live document stays: then the next generation is the source's first."""
        return not self.kept

    @property
    def removed(self) -> list[Version]:
        """Versions that are still to be marked for removal."""
        if self.replaces_all:
            return []
        return [
            version
            for name, version in self.inventory.live.items()
            if name not in self.kept and not version.is_marked
        ]

    @property
    def restored(self) -> list[Version]:
        """Versions marked for removal that must stay after all."""
        unmarked = self.inventory.live if self.replaces_all else self.kept
        return [version for version in unmarked.values() if version.is_marked]

    @property
    def described(self) -> Iterator[tuple[uuid.UUID, Description]]:
        """Yields the documents whose text stays while their description has changed."""
        for name, description in self.inventory.unchanged.items():
            version = self.staged.get(name) or self.kept.get(name)
            if description is None or version is None:
                continue
            description = replace(description, title=description.title[:TITLE_MAX_CHARS])
            if description != describe(version.known):
                yield version.pk, description

    def for_next_sync(self) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """`Source.sync_cursor` and `Source.known_failures`."""
        failed = self.inventory.failed
        if len(failed) > FAILURES_KEPT:
            return {}, {}
        return self.cursor, {
            name: {"reason": item.reason.to_json(), "title": item.title, "etag": item.etag}
            for name, item in failed.items()
        }

    @property
    def left_out(self) -> list[Reason]:
        """`Source.warnings`."""
        cut = self.inventory.cut
        return [*([cut.reason] if cut else []), *self.inventory.left_out]

    @property
    def is_new(self) -> bool:
        """True if something of the next generation was written, so that there is one at all."""
        return bool(
            self.staged
            or self.dropped
            or self.restored
            or len(self.kept) != len(self.inventory.live)
        )

    @property
    def chunks_count(self) -> int:
        versions = (*self.staged.values(), *self.kept.values())
        return sum(version.chunks_count for version in versions)

    def details(self) -> dict[str, Any]:
        """The details for the history: counts of all outcomes, and the first OUTCOMES_TOLD in
        words, those that people look for first."""
        counts: Counter[Outcome] = Counter()
        told: list[DocumentOutcome] = []
        unchanged: list[DocumentOutcome] = []
        for item in self._outcomes():
            counts[item.outcome] += 1
            kind = unchanged if item.outcome is Outcome.UNCHANGED else told
            if len(kind) < OUTCOMES_TOLD:
                kind.append(item)
        return {
            "documents": {outcome.value: counts[outcome] for outcome in Outcome},
            "outcomes": [
                {
                    "document": item.document,
                    "outcome": item.outcome.value,
                    "reason": item.reason.change_texts(shorten).to_json() if item.reason else None,
                    "coverage": dict(item.coverage),
                }
                for item in (told + unchanged)[:OUTCOMES_TOLD]
            ],
            "warnings": list_json(islice(self._warnings(), WARNINGS_TOLD)),
            **({"cut": self.inventory.cut.reason.to_json()} if self.inventory.cut else {}),
        }

    def _outcomes(self) -> Iterator[DocumentOutcome]:
        named = self.inventory
        for name, version in self.staged.items():
            if name not in named.failed:
                outcome = self._outcome_of(version)
                some = version.warnings[:REASONS_TOLD]
                reason = join_reasons(*some) if some else None
                yield DocumentOutcome(version.shown_name, outcome, reason, version.coverage)
        for name, failed in named.failed.items():
            yield DocumentOutcome(failed.title or name, Outcome.FAILED, failed.reason)
        for name, version in named.live.items():
            if name not in self.kept and name not in self.staged:
                yield DocumentOutcome(version.shown_name, Outcome.REMOVED)
        for name, version in self.kept.items():
            if name in named.unchanged:
                yield DocumentOutcome(version.shown_name, Outcome.UNCHANGED)

    def _warnings(self) -> Iterator[Reason]:
        """Yields what was not read of the source, also by earlier syncs: the document and why."""
        for version in (*self.staged.values(), *self.kept.values()):
            for warning in version.warnings:
                yield Reason("of_document", name=version.shown_name, reason=warning)
        for name, failed in self.inventory.failed.items():
            yield Reason("of_document", name=failed.title or name, reason=failed.reason)

    def _outcome_of(self, staged: Version) -> Outcome:
        before = self.inventory.live.get(staged.known.external_id)
        if before is None:
            return Outcome.ADDED
        is_same = before.known.content_hash == staged.known.content_hash
        return Outcome.UNCHANGED if is_same else Outcome.UPDATED


def shorten(text: str) -> str:
    return text[:TEXT_TOLD_CHARS]
