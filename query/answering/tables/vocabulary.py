"""The words of words.toml, compiled once: by which people compare, count and choose."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from language.words import Language

WORDS: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)
LANGUAGES: tuple[Language, ...] = ("es", "en")


@dataclass(frozen=True)
class Dimension:
    """A scale that things are compared on. `aside`: words of columns that are compared only when
    named."""

    name: str
    units: frozenset[str]
    headers: frozenset[str]
    aside: frozenset[str]


@dataclass(frozen=True)
class Superlative:
    is_largest: bool
    dimensions: tuple[str, ...]  # the likeliest first
    patterns: dict[Language, re.Pattern[str]]
    told: dict[Language, str]


def split(text: str) -> frozenset[str]:
    return frozenset(text.split())


def bounded(patterns: list[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b")


def read_said(lines: list[str]) -> dict[str, frozenset[str]]:
    """The words of headers that each word of a question stands for."""
    said: dict[str, frozenset[str]] = {}
    for line in lines:
        headers, _, more = line.partition(":")
        for word in split(headers) | split(more):
            said[word] = said.get(word, frozenset()) | split(headers)
    return said


DIMENSIONS = {
    name: Dimension(
        name, split(told["units"]), split(told["headers"]), split(told.get("aside", ""))
    )
    for name, told in WORDS["dimensions"].items()
}
SUPERLATIVES = tuple(
    Superlative(
        told["want"] == "largest",
        tuple(told["dimensions"].split()),
        {language: bounded(told[language]) for language in LANGUAGES},
        {language: told[f"told_{language}"] for language in LANGUAGES},
    )
    for told in WORDS["superlatives"]
)
TELLING: dict[Language, dict[str, str]] = WORDS["telling"]
NAMED, ASKING, COLUMNS = WORDS["named"], WORDS["asking"], WORDS["columns"]
OF_ANY = split(NAMED["of_any"])
WHICH = {language: bounded([ASKING[f"which_{language}"]]) for language in LANGUAGES}
THEN = {
    language: re.compile(rf"\W*(?:{'|'.join(ASKING[f'then_{language}'])})\b")
    for language in LANGUAGES
}
OF_THE = r"(?:(?:of|de)? ?(?:the|your|los|las|vuestr\w+)? ?)?"  # before what is counted
COUNT = {
    language: re.compile(rf"\b{ASKING[f'count_{language}']} {OF_THE}(?P<noun>\w+)")
    for language in LANGUAGES
}
FITS = {language: bounded([ASKING[f"fits_{language}"]]) for language in LANGUAGES}
COLUMN_ASKED = {
    language: re.compile(
        rf"{ASKING['clause']}(?P<asking>{ASKING[f'column_{language}']}) (?P<noun>[^\W\d]\w+)"
    )
    for language in LANGUAGES
}
WHO = {
    language: re.compile(rf"{ASKING['clause']}(?P<noun>{ASKING[f'who_{language}']}) ")
    for language in LANGUAGES
}
OF_COLUMN = {language: re.compile(ASKING[f"of_column_{language}"]) for language in LANGUAGES}
FRAGMENT = {
    language: re.compile(
        rf"\W*(?P<asking>{ASKING[f'fragment_{language}']})"
        rf"(?P<noun>[^\W\d]\w+)(?= {ASKING[f'fragment_after_{language}']} )"
    )
    for language in LANGUAGES
}
WITHOUT = re.compile(r"\b(?:sin|without|with no) (?:an? |any |un[ao]? )?(?P<word>\w+)")
LISTED = {language: bounded([ASKING[f"list_{language}"]]) for language in LANGUAGES}
# Before the bound, at most four words, which do not ask
WITHIN = {
    language: re.compile(
        rf"\W*{ASKING[f'fragment_{language}']}(?:\w+ ){{1,4}}?{ASKING[f'within_{language}']}\b"
    )
    for language in LANGUAGES
}
HAS = re.compile(ASKING["has_es"])
HOLDS = bounded([ASKING["holds"]])
SPELLED = {language: split(WORDS["spelled"][language]) for language in LANGUAGES}
HEIGHT, SEATED, AGED = (
    {language: re.compile(ASKING[f"{name}_{language}"]) for language in LANGUAGES}
    for name in ("height", "person", "age")
)
ROOM_FOR = bounded(ASKING["room_for"])
NO_NOUNS = split(ASKING["no_nouns"])
NEGATED = bounded([ASKING["negations"]])
NOT_COUNTED, THINGS, FILLERS, BOUND_WORDS = (
    split(ASKING[name]) for name in ("not_counted", "things", "fillers", "bounds")
)
CONDITION = rf"\b(?:{'|'.join(ASKING['conditions'])})(?: \w+){{0,2}} "  # before what is demanded
LIMIT, LIMIT_OF_TABLE = (
    rf"\b(?:{'|'.join(ASKING[name])})(?: (?:el|la|los|las|un|una|the|an?|my|mi|your))? "
    for name in ("limits", "limits_of_table")
)
SAME = {word: tuple(line.split()) for line in ASKING["same"] for word in line.split()}
PEOPLE_HEADERS = split(WORDS["headers"]["people"])
SAID_OF_HEADERS = read_said(WORDS["headers"]["said"])
NAME_HEADERS, CODE_HEADERS, MODEL_HEADERS, BRAND_HEADERS = (
    split(COLUMNS[name]) for name in ("names", "codes", "models", "brands")
)
BEGINNINGS, ENDS = split(COLUMNS["beginnings"]), split(COLUMNS["ends"])
HOURS_HEADERS = split(COLUMNS["hours"])
PLAIN_PRICE = DIMENSIONS["money"].headers | split(COLUMNS["beside_price"])
MONTH_NAMES: dict[Language, list[str]] = {
    language: WORDS["months"][language].split() for language in LANGUAGES
}
WITHOUT_TAX, SAYS_WITHOUT = re.compile(COLUMNS["without_tax"]), re.compile(COLUMNS["says_without"])
YES, NO, FREE = split(COLUMNS["yes"]), split(COLUMNS["no"]), split(COLUMNS["free"])
