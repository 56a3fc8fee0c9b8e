"""A sentence as it is told: a table's row as people would say it, everything else as it stands."""

from __future__ import annotations

from collections.abc import Sequence

from language.words import Language
from query.answering.hidden import Hidden
from query.answering.rows import read_cells, tell_row
from query.answering.tables.cells import write_dates
from query.answering.weighing import Reading, Sentence

SHARED_HEADERS = 2  # with another line of the passage: then both are rows of a table


def tell(sentence: Sentence, reading: Reading, hidden: Hidden, *, tells_kind: bool = False) -> str:
    """The sentence without the columns that are `hidden`; "" where none is left. `tells_kind`: as
    in `tell_row`."""
    told = sentence.told(hidden)
    if not told or sentence.before or not sentence.is_row:
        return write_dates(told, reading.asked.language)
    return tell_row(
        sentence.text,
        reading.asked,
        language_of(sentence, reading),
        hidden,
        is_in_table=is_in_table(sentence, reading),
        tells_kind=tells_kind,
    )


def tell_all(sentences: Sequence[Sentence], reading: Reading, hidden: Hidden) -> list[str]:
    """The sentences, each as it is told. Of rows that would be told of one name under one label,
    all columns are told, which tell which is which."""
    told = [tell(sentence, reading, hidden) for sentence in sentences]
    names = [
        (one.label, text.partition(": ")[0]) for one, text in zip(sentences, told, strict=True)
    ]
    return [
        one.told(hidden) if one.is_row and names.count(name) > 1 else text
        for one, text, name in zip(sentences, told, names, strict=True)
    ]


def language_of(sentence: Sentence, reading: Reading) -> Language:
    """The language of the sentence's passage."""
    asked = reading.asked.language
    if not sentence.evidence.crosses_languages:
        return asked
    return "en" if asked == "es" else "es"


def is_in_table(sentence: Sentence, reading: Reading) -> bool:
    """Tells a row from a sentence with colons: a sheet's passage is one, and other rows have
    neighbours with the same headers."""
    if sentence.evidence.is_row:
        return True
    own = {cell.header for cell in read_cells(sentence.text)}
    return any(
        len(own & {cell.header for cell in read_cells(other.text)}) >= SHARED_HEADERS
        for other in reading.sentences
        if other.chunk == sentence.chunk and other.position != sentence.position
    )
