"""Answers computed from all rows of a table, where it is certain that the question asks for one;
everything else is left to the answerer of sentences.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from accounts.models import Tenant
from query.answering.cleaning import make_harmless
from query.answering.hidden import UNDECIDED, Hidden
from query.answering.tables.asking import TableQuestion, Want, read_table_question
from query.answering.tables.certainty import is_certain, may_be_meant
from query.answering.tables.computing import Computed, compute
from query.answering.tables.hours import asks_for_all_hours, tell_hours
from query.answering.tables.reading import load_tables
from query.answering.tables.table import Table
from query.answering.tables.telling import NAMED_MAX, ask_which, tell
from query.search.candidates import Question, RetrievedChunk
from query.search.siblings import heading_of, named_alone
from query.search.versions import plain_name, read_version
from query.understanding.dates import local_now
from reading.extractors.prose import SECTION_SEPARATOR

MODEL_LABEL = "tables"
CITED_MAX = 5
TABLES_NAMED_MAX = 3
NEAR, NEAR_UNNAMED = 0.5, 0.8  # of a score: tables that may be meant as well


@dataclass(frozen=True)
class TableAnswer:
    """An answer computed from a table. `sources`: the passages that hold the rows. `is_question`:
    it asks which table is meant."""

    text: str
    sources: tuple[RetrievedChunk, ...]
    is_question: bool = False


def answer_from_tables(
    tenant: Tenant,
    question: Question,
    chunks: Sequence[RetrievedChunk],
    *,
    source_ids: Sequence[uuid.UUID] | None = None,
    hidden: Hidden = UNDECIDED,
    is_on_topic: bool = True,
    marks_sources: bool,
) -> TableAnswer | None:
    """The answer computed from tables; None when no table answers for certain. `chunks`: the
    passages found by the search, best first. One query, and none for questions that ask nothing of
    tables."""
    if is_on_topic and asks_for_all_hours(question, chunks):
        tables = load_tables(tenant, chunks[:1], source_ids=source_ids, with_sheets=False)
        return all_hours(question, tables, chunks, hidden, marks_sources=marks_sources)
    asked = read_table_question(question)
    if asked is None or not (asked.want is not Want.VALUE or any(map(is_tabular, chunks))):
        return None
    tables = load_tables(
        tenant, chunks, source_ids=source_ids, with_sheets=asked.want is not Want.VALUE
    )
    tables = of_meant_versions(tables, chunks)
    found = find_computed(
        asked, tables, chunks, hidden, today=local_now(tenant).date(), is_on_topic=is_on_topic
    )
    if not found:
        return None
    best = found[0]
    if len(found) > 1 and asked.want is not Want.VALUE:
        tables = [one.table for one in found[:TABLES_NAMED_MAX]]
        sources = cite([(one, one.rows[0]) for one in found[:TABLES_NAMED_MAX]], chunks)
        return TableAnswer(ask_which(tables, question.language), sources, is_question=True)
    told = with_siblings(found, question) or {version_name(best.table, chunks): best}
    sources = cite([(one, row) for one in told.values() for row in one.rows[:CITED_MAX]], chunks)
    lines = [
        write_line(heading, one, chunks, sources if marks_sources else ())
        for heading, one in told.items()
    ]
    return TableAnswer("\n".join(lines), sources)


def all_hours(
    question: Question,
    tables: Sequence[Table],
    chunks: Sequence[RetrievedChunk],
    hidden: Hidden,
    *,
    marks_sources: bool,
) -> TableAnswer | None:
    """The whole sheet of hours; None where the passages are none."""
    told = tell_hours(question, tables, chunks, hidden)
    if told is None:
        return None
    text, table = told
    sources = tuple(row.passage for row in table.rows[:CITED_MAX])
    marks = "".join(f"[{index + 1}]" for index in range(len(sources))) if marks_sources else ""
    return TableAnswer(f"{text} {marks}".rstrip(), sources)


def of_meant_versions(tables: Sequence[Table], chunks: Sequence[RetrievedChunk]) -> list[Table]:
    """The tables without those of other years' versions, where the search has chosen a year's."""
    meant = {plain_name(chunk.apart): chunk.apart for chunk in chunks if chunk.apart}
    return [
        table
        for table in tables
        if all(
            meant.get(plain_name(name), name) == name
            for name in (table.name, *table.section.split(SECTION_SEPARATOR))
            if read_version(name)
        )
    ]


def version_name(table: Table, chunks: Sequence[RetrievedChunk]) -> str:
    """The name of the version that the search has chosen, where the table is of it; else ""."""
    rows = {row.passage.chunk_id for row in table.rows}
    return next((chunk.apart for chunk in chunks if chunk.apart and chunk.chunk_id in rows), "")


def write_line(
    heading: str,
    computed: Computed,
    chunks: Sequence[RetrievedChunk],
    sources: Sequence[RetrievedChunk],
) -> str:
    """The result behind its heading, with the marks of its `sources`."""
    line = f"{make_harmless(heading)}: {tell(computed)}" if heading else tell(computed)
    if not sources:
        return line
    cited = cite([(computed, row) for row in computed.rows[:CITED_MAX]], chunks)
    return f"{line} " + "".join(f"[{sources.index(passage) + 1}]" for passage in cited)


def with_siblings(found: Sequence[Computed], question: Question) -> dict[str, Computed]:
    """The results by the headings that tell them apart, where a document has the same row in tables
    under different headings, the prices of cars and of vans; only the one under the heading that
    the question names, if it names one. Empty where no other table has the row."""
    if found[0].question.want is not Want.VALUE:
        return {}
    document = found[0].table.document_id
    of_document = [one for one in found if one.rows and one.table.document_id == document]
    by_heading = {passage_of(one).section_title: one for one in of_document}
    family = tuple(map(passage_of, by_heading.values()))
    families = {passage.chunk_id: family for passage in family}
    kept = [one.section_title for one in named_alone(question.message, family, families)]
    told = {heading_of(passage_of(by_heading[key]), family): by_heading[key] for key in kept}
    is_told_apart = len(family) > 1 and "" not in told and len(told) == len(kept)
    return told if is_told_apart and len(told) <= TABLES_NAMED_MAX else {}


def passage_of(computed: Computed) -> RetrievedChunk:
    """The passage of its first row."""
    return computed.table.rows[computed.rows[0]].passage


def is_tabular(chunk: RetrievedChunk) -> bool:
    return "; " in chunk.text and ": " in chunk.text


def find_computed(
    asked: TableQuestion,
    tables: Sequence[Table],
    chunks: Sequence[RetrievedChunk],
    hidden: Hidden,
    *,
    today: date,
    is_on_topic: bool,
) -> list[Computed]:
    """The result that answers; several when each may be meant and they say different things; []
    when none is certain."""
    computed = [
        one
        for table in tables
        if (one := compute(asked, table, chunks, hidden, today=today)) and may_be_meant(one)
    ]
    computed.sort(key=lambda one: -one.evidence.score)
    if not computed or not is_certain(computed[0], is_on_topic=is_on_topic):
        return []
    if asked.want is Want.EXTREME and len(computed[0].rows) > NAMED_MAX:
        return []
    return without_worse(computed)


def without_worse(computed: Sequence[Computed]) -> list[Computed]:
    """The results whose evidence is as good as the best one's, each answer once."""
    evidence = computed[0].evidence
    best = evidence.score
    near = NEAR if evidence.found else NEAR_UNNAMED
    answers: dict[str, Computed] = {}
    for one in computed:
        if one.evidence.score >= best - near:
            answers.setdefault(tell(one), one)
    return list(answers.values())


def cite(
    rows: Sequence[tuple[Computed, int]], chunks: Sequence[RetrievedChunk]
) -> tuple[RetrievedChunk, ...]:
    """The passages of these rows, each once: as the search found them, or else as they
    were read."""
    found = {chunk.chunk_id: chunk for chunk in chunks}
    cited: dict[int, RetrievedChunk] = {}
    for one, row in rows:
        passage = one.table.rows[row].passage
        cited.setdefault(passage.chunk_id, found.get(passage.chunk_id) or passage)
    return tuple(cited.values())
