"""Lines that tell how a company is reached: «Tel. 955 010 203», the address in a signature, a mail
address under «Contacto». They answer a question that asks for nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain

from language.calendar import WEEKDAYS
from language.message import plain_words
from language.word_lists import pattern
from query.search.candidates import Question, RetrievedChunk
from query.understanding.contact import Way, is_about_reaching, meant, ways_of
from reading.extractors.prose import SECTION_SEPARATOR

EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}\.\w")
# Nine to fourteen digits: no year, price or postcode has so many, an account's number has more
PHONE = re.compile(
    r"(?<![\w€$£.,])(?<!\d[ .-])(?!\d{4}-\d\d-\d\d)\+?\d(?:[ ().-]{0,2}\d){8,13}(?![ .-]?\d)"
)
WHATSAPP = re.compile(r"wh?ats ?app", re.IGNORECASE)
POSTCODE = re.compile(
    r"\b[A-Z]{1,2}\d[\dA-Z]? ?\d[A-Z]{2}\b|\b(?:0[1-9]|[1-4]\d|5[0-2])\d{3},? [A-ZÁÉÍÓÚ]"
)
STREET = re.compile(rf"\b(?:{pattern('contact_lines.streets')})\b|\bc/", re.IGNORECASE)
STREET_NUMBER = re.compile(r"\d|\bs/n\b", re.IGNORECASE)
WAYS_THERE = re.compile(rf"\b(?:{pattern('contact_lines.ways_there')})\b", re.IGNORECASE)
TIME = r"\d{1,2}(?:[:.]\d\d)?(?: ?(?:am|pm|h)\b)?"
TIMES = re.compile(rf"\b{TIME} ?(?:-|–|—|a|y|to) ?(?:las )?{TIME}", re.IGNORECASE)
# What comes right behind a label, or it is one of something else: «Teléfono de urgencias»
DAY = "|".join((*chain(*WEEKDAYS.values()), pattern("contact_lines.every_day"), r"\d"))
BEHIND_LABEL = {
    Way.ADDRESS: r"\s?:",
    Way.HOURS: rf"\s?:|\s(?:de |from |on |los )?(?:{DAY})",
    Way.PHONE: r"\.?\s?:?\s?\(?\+?\d",
    Way.EMAIL: r"\s?:?\s?[\w.+-]{1,64}@",
}
LABEL = {
    way: re.compile(
        rf"(?:^|[;|·,(–-] ?)(?:{pattern(f'contact_lines.{way.value}')})(?:{behind})", re.IGNORECASE
    )
    for way, behind in BEHIND_LABEL.items()
}
STAYS = re.compile(rf"\b(?:{pattern('contact_lines.stays')})\b", re.IGNORECASE)
BLOCK_WAYS = (Way.ADDRESS, Way.PHONE, Way.EMAIL)
BLOCK_MIN = 2  # of these in one passage: a signature, the foot of a page


class Mark(IntEnum):
    """What shows that a line is the company's own: it stands beside other such lines, in a section
    or a document for them, or says itself what it is."""

    BLOCK = 1
    PLACE = 2
    LABEL = 3


@dataclass(frozen=True)
class ContactLines:
    """The lines of a passage that answer, as places among its sentences."""

    mark: Mark
    positions: tuple[int, ...]


def contact_lines(
    question: Question, chunks: Sequence[RetrievedChunk]
) -> Mapping[int, ContactLines]:
    """Return the lines that answer how the company is reached, by the passage's id: those with the
    best mark, in the question's language where there are some."""
    way = meant(question.ways)
    if way is None:
        return {}
    found = [(chunk, lines) for chunk in chunks if (lines := lines_of(way, chunk))]
    found = [item for item in found if item[0].language == question.language] or found
    best = max((lines.mark for _, lines in found), default=None)
    return {chunk.chunk_id: lines for chunk, lines in found if lines.mark == best}


def lines_of(way: Way, chunk: RetrievedChunk) -> ContactLines | None:
    telling = [at for at, text in enumerate(chunk.sentences) if tells(way, text)]
    labelled = tuple(at for at in telling if is_labelled(way, chunk.sentences[at]))
    if labelled:
        return ContactLines(Mark.LABEL, labelled)
    if not telling:
        return None
    if is_in_place(way, chunk):
        return ContactLines(Mark.PLACE, tuple(telling))
    is_block = sum(tells(one, chunk.text) for one in BLOCK_WAYS) >= BLOCK_MIN
    if is_block and way is not Way.HOURS:
        return ContactLines(Mark.BLOCK, tuple(telling))
    return None


def tells(way: Way, text: str) -> bool:
    """Tells whether the text holds such a thing, whoever's it is."""
    match way:
        case Way.EMAIL:
            return bool(EMAIL.search(text))
        case Way.PHONE:
            return bool(PHONE.search(text))
        case Way.WHATSAPP:
            return bool(PHONE.search(text) and WHATSAPP.search(text))
        case Way.PERSON:
            return bool(PHONE.search(text) or EMAIL.search(text))
        case Way.HOURS:
            return bool(TIMES.search(text))
        case Way.DIRECTIONS:
            return tells(Way.ADDRESS, text) or bool(WAYS_THERE.search(text))
        case Way.ADDRESS:
            is_street = bool(STREET.search(text) and STREET_NUMBER.search(text))
            return is_street or bool(POSTCODE.search(text))


def is_labelled(way: Way, text: str) -> bool:
    match way:
        case Way.WHATSAPP:
            return True
        case Way.PERSON:
            return is_labelled(Way.PHONE, text) or is_labelled(Way.EMAIL, text)
        case Way.ADDRESS | Way.DIRECTIONS:
            return bool(LABEL[Way.ADDRESS].search(text) or STAYS.search(text))
        case _:
            return bool(LABEL[way].search(text))


def is_in_place(way: Way, chunk: RetrievedChunk) -> bool:
    """Tells whether the passage's section or document is for telling how the company is reached."""
    section = chunk.section_title.rpartition(SECTION_SEPARATOR)[2]
    names = [plain_words(name) for name in (section, chunk.name) if name]
    if way is Way.HOURS:  # a phone's hours stand under «Contacto» too
        return any(way in ways_of(name) for name in names)
    return any(map(is_about_reaching, names))
