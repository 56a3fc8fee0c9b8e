"""The word lists of the service: es.toml, en.toml, and both.toml for what people say half in one
language and half in the other. They are read once.

A list is told by its table and its key, "follow_ups.asking". It is the list of all three files, or
of those languages alone that are named.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

FILES = ("es", "en", "both")


@cache
def read_file(name: str) -> Mapping[str, Mapping[str, Any]]:
    """The tables of a file, which nobody can change."""
    text = Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8")
    tables = tomllib.loads(text).items()
    return MappingProxyType({table: MappingProxyType(lists) for table, lists in tables})


def read(place: str, languages: tuple[str, ...]) -> list[Any]:
    """The lists at this place, one a file. Raises KeyError where no file has one."""
    table, _, key = place.partition(".")
    tables = (read_file(name).get(table, {}) for name in languages or FILES)
    if found := [lists[key] for lists in tables if key in lists]:
        return found
    raise KeyError(place)


def words(place: str, *languages: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(word for text in read(place, languages) for word in text.split())


def lines(place: str, *languages: str) -> list[str]:
    """The lines of a list, in their order; in each a line break stands for nothing."""
    return [line.replace("\n", "") for text in read(place, languages) for line in text]


def groups(place: str, *languages: str) -> list[tuple[str, list[str]]]:
    """The lines of a list that begin with what their words stand for: "12: doce"."""
    parted = (line.partition(": ") for text in read(place, languages) for line in text)
    return [(name, told.split()) for name, _, told in parted]


def pattern(place: str, *languages: str) -> str:
    """A regular expression: the alternatives of a list. A line break in it stands for nothing."""
    return "|".join(text.replace("\n", "") for text in read(place, languages))


def patterns(table: str, language: str) -> dict[str, str]:
    """All patterns of a language's table, by their keys."""
    return {key: pattern(f"{table}.{key}", language) for key in read_file(language)[table]}
