"""The written lessons: companies' passages with questions, a text file a company.

# es | taller de bicicletas           the passages' language, and the trade
## Tarifas 2026 > Reparaciones        a passage: its document and heading, then a line a sentence
? he pinchado, cuanto me clavais => 1            which of its lines answer, the best one first
? en: how long for new brakes => 3,4             asked in the other language
? ¿lo hacéis a domicilio? => -                   no passage of the company answers
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from language.words import Language

TEXTS = Path(__file__).with_name("texts")
QUESTION = re.compile(r"\? (?:(es|en): ?)?(.+?) => (-|\d+(?: ?, ?\d+)*)")


class BadText(ValueError):
    """The message says which line of which file is not as the format wants it."""


@dataclass(frozen=True)
class WrittenQuestion:
    """`lines`: of its passage, from 0; none where nothing answers."""

    text: str
    language: Language
    lines: tuple[int, ...]


@dataclass(frozen=True)
class WrittenPassage:
    title: str
    lines: list[str] = field(default_factory=list)
    questions: list[WrittenQuestion] = field(default_factory=list)


@dataclass(frozen=True)
class WrittenCompany:
    name: str
    language: Language
    passages: tuple[WrittenPassage, ...]


def read_companies(folder: Path = TEXTS) -> list[WrittenCompany]:
    """Raises BadText."""
    return [read_company(path) for path in sorted(folder.glob("*.txt"))]


def read_company(path: Path) -> WrittenCompany:
    language: Language = "en"
    passages: list[WrittenPassage] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        text = line.strip()
        if text.startswith("## "):
            passages.append(WrittenPassage(text[3:]))
        elif text.startswith("# "):
            language = cast(Language, text[2:4])
        elif text and not passages:
            raise BadText(f"{path.name}:{number} stands before any passage")
        elif text.startswith("? "):
            passages[-1].questions.append(read_question(text, language, f"{path.name}:{number}"))
        elif text:
            passages[-1].lines.append(text)
    for passage in passages:
        size = len(passage.lines)
        if any(not 0 <= at < size for one in passage.questions for at in one.lines):
            raise BadText(f"{path.name}: a question of «{passage.title}» names a line beyond it")
    return WrittenCompany(path.stem, language, tuple(passages))


def read_question(text: str, language: Language, place: str) -> WrittenQuestion:
    match = QUESTION.fullmatch(text)
    if match is None:
        raise BadText(f'{place} is not a question of the form "? text => 1,2": {text}')
    lines = () if match[3] == "-" else tuple(int(one) - 1 for one in match[3].split(","))
    return WrittenQuestion(match[2], cast(Language, match[1] or language), lines)
