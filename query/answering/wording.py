"""Words of words.toml, compiled once: how a question is put, beside what it is about."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from language.words import Language, fold

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
LISTS: dict[Language, re.Pattern[str]] = {
    language: re.compile(rf"\b(?:{'|'.join(WORDS['lists'][language])})\b")
    for language in ("es", "en")
}


def asks_for_list(text: str, language: Language) -> bool:
    """Tells whether several things are asked for: «¿qué cursos hay?», "all your services"."""
    return bool(LISTS[language].search(fold(text)))
