"""Versions side by side: documents or headings whose names differ in a year alone, such as
"Tarifas 2026.pdf" and "Tarifas 2027.pdf", or "Prices 2026" and "Prices 2027".

The year that is asked about is taken, or else the one that is valid today, and the answer names it.
What only another year's version says is answered from there.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from language.words import fold
from query.search.candidates import Question, RetrievedChunk
from query.search.wordings import Pair, Wording, best_pairs, fold_passages, read_passage
from reading.extractors.prose import SECTION_SEPARATOR

COMPARED = 12  # of the candidates, the first in order
SHARED_WORDS = 0.5  # the least share of the words of each that the other version says
YEAR = re.compile(r"(?<!\d)(20\d\d)(?:\s?[-–/_]\s?(?:20)?(\d\d))?(?!\d)")
# Words that tell versions apart beside the year: "deposit-policy-2023-OLD"
VERSION_WORDS = re.compile(
    r"\b(?:old|antigu[oa]s?|new|nuev[oa]s?|current|actual(?:es)?|vigentes?|cop(?:y|ia)|version)\b"
)
WORD = re.compile(r"[^\W_]+")
LETTER = re.compile(r"[^\W\d_]")
SPOKEN_YEARS = (
    (re.compile(r"\b(?:este ano|ano actual|this year|current year)\b"), 0),
    (re.compile(r"\b(?:ano que viene|(?:proximo|siguiente) ano|next year)\b"), 1),
    (re.compile(r"\b(?:ano pasado|ano anterior|last year|previous year)\b"), -1),
)

Years = tuple[int, ...]  # one, or two of a season: 2025-26
Key = tuple[object, ...]


@dataclass(frozen=True)
class Version:
    """The version that a passage belongs to. `key` is the same for all versions of one thing;
    `name` names this one."""

    key: Key
    years: Years
    name: str


def fold_versions(
    question: Question, chunks: Sequence[RetrievedChunk], *, today: int
) -> list[RetrievedChunk]:
    """Return `chunks`, best first, without the passages of other years that the version asked for
    says too, or the one that is valid in the year `today`; its passages have the version's name
    (`apart`)."""
    compared = list(chunks[:COMPARED])
    told = [list(versions_of(chunk)) for chunk in compared]
    meant = choose_versions(
        chain.from_iterable(told), asked_years(question.message.text, today), today
    )
    if not meant:
        return list(chunks)
    versions = [next((one for one in found if one.key in meant), None) for found in told]
    for place, version in enumerate(versions):
        if version and meant.get(version.key) == version.years:
            compared[place] = replace(compared[place], apart=version.name)
    superseded = find_superseded(question, compared, versions, meant)
    return fold_passages([*compared, *chunks[COMPARED:]], superseded)


def choose_versions(
    versions: Iterable[Version], asked: Collection[int], today: int
) -> dict[Key, Years]:
    """Return the years that are meant of each thing that has several versions."""
    held: dict[Key, set[Years]] = defaultdict(set)
    for version in versions:
        held[version.key].add(version.years)
    chosen = {
        key: choose_years(years, asked, today) for key, years in held.items() if len(years) > 1
    }
    return {key: years for key, years in chosen.items() if years}


def choose_years(years: Collection[Years], asked: Collection[int], today: int) -> Years | None:
    """Return the years that are asked about, or else those that are valid: the latest that have
    begun. None where several are, or none."""
    if asked:
        fitting = [one for one in years if not set(one).isdisjoint(asked)]
        return fitting[0] if len(fitting) == 1 else None
    begun = [one for one in years if one[0] <= today]
    # In 2026 both the season 2025-26 and 2026-27 may be meant
    running = [one for one in begun if today in one]
    return max(begun, default=None) if len(running) < 2 else None


def asked_years(text: str, today: int) -> set[int]:
    folded = fold(text).replace("ñ", "n")
    spoken = {today + ahead for pattern, ahead in SPOKEN_YEARS if pattern.search(folded)}
    return spoken.union(*(read_years(match) for match in YEAR.finditer(folded)))


def versions_of(chunk: RetrievedChunk) -> Iterator[Version]:
    """Yield the versions that the passage is of by its document's title or file name, and by its
    headings."""
    file = chunk.source_file.rstrip("/").rpartition("/")[2]
    for name in (chunk.document_title, file):
        if version := read_version(name):
            yield replace(version, name=replace(chunk, document_title=name).name)
    levels = chunk.section_title.split(SECTION_SEPARATOR)
    for place in reversed(range(len(levels))):
        beside = (*levels[:place], *levels[place + 1 :])
        if version := read_version(levels[place], (chunk.source_id, chunk.source_file, *beside)):
            yield version


def read_version(name: str, beside: Key = ()) -> Version | None:
    """Return the version that a name tells; None where it tells no year, or nothing else. `beside`:
    what is the same for all versions, beside the name."""
    match = YEAR.search(name)
    key = plain_name(name)
    if match is None or not LETTER.search(key):
        return None
    return Version((*beside, key), read_years(match), name.strip())


def read_years(match: re.Match[str]) -> Years:
    """Return the year, or both of a season. "2026-11" is a month."""
    first = int(match[1])
    is_season = match[2] is not None and int(match[2]) == (first + 1) % 100
    return (first, first + 1) if is_season else (first,)


def plain_name(name: str) -> str:
    """Return the words of a name without its years, its file's ending and what tells versions
    apart: "tarifas" for "Tarifas_2026 (nueva).pdf"."""
    stem = re.sub(r"\.[A-Za-z][A-Za-z0-9]{1,4}$", "", name)

    def without_years(match: re.Match[str]) -> str:
        return " " if match[2] is None or len(read_years(match)) > 1 else match[0][len(match[1]) :]

    words = WORD.findall(fold(YEAR.sub(without_years, stem)))
    return " ".join(VERSION_WORDS.sub(" ", " ".join(words)).split())


def find_superseded(
    question: Question,
    chunks: Sequence[RetrievedChunk],
    versions: Sequence[Version | None],
    meant: dict[Key, Years],
) -> dict[int, int]:
    """Return the places of the passages of other versions, each with the place of the one in the
    version that is meant which says the same: under the same heading, or in the same words."""
    wordings = [read_passage(chunk) for chunk in chunks]
    same_heading: dict[int, int] = {}
    pairs: list[Pair] = []
    for kept, folded in pairs_of_versions(versions, meant):
        headings = [plain_name(chunks[place].section_title) for place in (kept, folded)]
        if headings[0] and headings[0] == headings[1] and not wordings[folded].is_row:
            same_heading.setdefault(folded, kept)
        elif share := shared(question, wordings[kept], wordings[folded]):
            pairs.append((share, folded, kept))
    return best_pairs(pairs, chunks) | same_heading


def pairs_of_versions(
    versions: Sequence[Version | None], meant: dict[Key, Years]
) -> Iterator[tuple[int, int]]:
    """Yield the places of a passage of the version that is meant, and of one of another year."""
    for kept, version in enumerate(versions):
        if version is None or meant.get(version.key) != version.years:
            continue
        for folded, other in enumerate(versions):
            if other and other.key == version.key and other.years != version.years:
                yield kept, folded


def shared(question: Question, kept: Wording, folded: Wording) -> float:
    """Return how much two versions of a passage share (0 … 1); 0 where they do not say the same, or
    the one to fold says more of what is asked."""
    shares = kept.share_in(folded), folded.share_in(kept)
    says_more = folded.says_more(question.message.content.words, kept)
    return sum(shares) / 2 if min(shares) >= SHARED_WORDS and not says_more else 0.0
