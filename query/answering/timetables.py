"""Lists of hours, a line for each day or run of days: who asks for a day is told its line, and who
asks for the hours the whole list, for one line left out reads as closed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace

from language.calendar import MONTH_FORMS, WEEKDAY_NUMBERS
from language.message import without_tilde
from language.periods import holds_period, read_periods
from language.terms import content_words, terms_of
from language.weekdays import begins_with_days
from language.word_lists import words
from language.words import Language
from query.answering.checking.clauses import LIST_MARKER
from query.answering.tables.vocabulary import FILLERS
from query.answering.weighing import Reading, Sentence
from query.search.candidates import Question, RetrievedChunk
from query.understanding.asked_for import HOURS_WORDS, Asked, any_verdict, missing_words
from reading.extractors.prose import SECTION_SEPARATOR
from reading.passages import ChunkLevel

LINES_MIN = 2  # of a list
LIST_MAX_CHARS = 700
LISTS_MAX = 3  # that are told beside each other, each under its heading
# e to this power less likely than the best sentence: a list about something else
BEHIND_MAX = 2.0
LABEL_MAX_WORDS = 8
BESIDE = words("calendar.beside_hours") | HOURS_WORDS | FILLERS | WEEKDAY_NUMBERS.keys()


@dataclass(frozen=True)
class Timetable:
    """A list of hours in a passage. `heading`: what stands above it, in the passage or as its
    section; `titles`: that with the names of its section and document; `document`: its name."""

    heading: str
    titles: str
    document: str
    lines: tuple[Sentence, ...]
    language: Language

    @property
    def score(self) -> float:
        return max(line.score for line in self.lines)


def find_hours(
    question: Question, chunks: Sequence[RetrievedChunk], reading: Reading
) -> list[Sentence]:
    """The lines that answer a question of hours alone: of the day that it names, or all. [] where
    it asks something else too, or no list of hours is likely to answer."""
    beside = words_beside_hours(question)
    if beside is None:
        return []
    found = [one for one in timetables_in(chunks, reading) if says(one, beside, reading.asked)]
    found = once(likely(found, reading), question.language)
    if not 0 < len(found) <= LISTS_MAX:
        return []
    told = [told_lines(one, reading.asked) for one in found]
    chosen = [
        replace(line, label=label)
        for lines, label in zip(told, labels_of(found), strict=True)
        for line in lines
    ]
    return chosen if sum(len(line.text) for line in chosen) <= LIST_MAX_CHARS else []


def labels_of(found: Sequence[Timetable]) -> list[str]:
    """What tells each list from the others: its heading, else its document; "" for all where they
    share both, as a sheet's rows do."""
    headings, documents = [one.heading for one in found], [one.document for one in found]
    if len(set(headings)) > 1:
        return headings
    return documents if len(set(documents)) > 1 else [""] * len(found)


def words_beside_hours(question: Question) -> frozenset[str] | None:
    """The words of a question of opening hours that tell which: "in winter". None where it asks for
    no hours."""
    if HOURS_WORDS.isdisjoint(question.message.content.heading):
        return None
    return frozenset(word for word in question.asked.words if without_tilde(word) not in BESIDE)


def says(timetable: Timetable, told: Set[str], asked: Asked) -> bool:
    """Tells whether the list's titles hold these words of the question, or a time of the year that
    it asks about: «en julio» of «Verano (junio a septiembre)»."""
    named = read_periods(timetable.titles)
    is_then = any_verdict(holds_period(one, other) for one in asked.periods for other in named)
    if is_then is False:
        return False
    if is_then:
        told = told - MONTH_FORMS.keys()
    held = terms_of(content_words(timetable.titles, timetable.language), timetable.language)
    return told.isdisjoint(missing_words(asked, held))


def told_lines(timetable: Timetable, asked: Asked) -> list[Sentence]:
    """The lines of the day that is asked about; all, where the question or the list names none."""
    of_day = [line for line in timetable.lines if line.days & asked.weekdays]
    if not of_day:
        return list(timetable.lines)
    return [replace(line, text=LIST_MARKER.sub("", line.text)) for line in of_day]


def likely(found: Sequence[Timetable], reading: Reading) -> list[Timetable]:
    """The lists that are nearly as likely as the best sentence, and the others of their documents:
    the question asks for "closed" in summer as much as for the hours in winter."""
    best = reading.ranked[0].score
    documents = {one.document for one in found if one.score >= best - BEHIND_MAX}
    return [one for one in found if one.document in documents]


def once(found: Sequence[Timetable], language: Language) -> list[Timetable]:
    """The lists in the question's language, where there are some, each once."""
    own = [one for one in found if one.language == language] or found
    return list({tuple(line.text for line in one.lines): one for one in own}.values())


def timetables_in(chunks: Sequence[RetrievedChunk], reading: Reading) -> list[Timetable]:
    """The lists of hours of the passages, in their order. Of a sheet, whose rows are passages of
    their own, only those for the day that is asked about: others may not have been found."""
    found = []
    for number, chunk in enumerate(chunks):
        passage = [item for item in reading.sentences if item.chunk == number]
        if chunk.level == ChunkLevel.ROW:
            if passage and passage[0].days & reading.asked.weekdays:
                found.append(make_timetable(passage, None, chunk))
            continue
        found += lists_in(passage, chunk)
    return found


def lists_in(passage: Sequence[Sentence], chunk: RetrievedChunk) -> Iterator[Timetable]:
    """The runs of lines of one passage that tell hours, most of which begin with their days."""
    begin = 0
    for end in range(len(passage) + 1):
        if end < len(passage) and passage[end].days:
            continue
        run = passage[begin:end]
        if sum(begins_with_days(line.text) for line in run) >= LINES_MIN:
            yield make_timetable(run, passage[begin - 1] if begin else None, chunk)
        begin = end + 1


def make_timetable(
    lines: Sequence[Sentence], before: Sentence | None, chunk: RetrievedChunk
) -> Timetable:
    heading = heading_of(before, chunk)
    return Timetable(
        heading,
        f"{chunk.document_title} {chunk.section_title} {heading}",
        chunk.source_file,
        tuple(lines),
        chunk.language,
    )


def heading_of(before: Sentence | None, chunk: RetrievedChunk) -> str:
    """The heading of a list: the short line before it, else its section's, else its source's
    name."""
    line = LIST_MARKER.sub("", before.text).strip() if before else ""
    if line and len(line.split()) <= LABEL_MAX_WORDS and not line.endswith((".", "?", "!")):
        return line.rstrip(": ")
    return chunk.section_title.rpartition(SECTION_SEPARATOR)[2].strip() or chunk.name
