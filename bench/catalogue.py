"""Workbooks of made-up products, half in Spanish and half in English."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator
from pathlib import Path

import openpyxl

WORDS = json.loads(Path(__file__).with_name("catalogue_words.json").read_text(encoding="utf-8"))
SEED = 18

Row = tuple[str | int | float, ...]


def make_workbook(rows: int) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for language, count in (("es", rows - rows // 2), ("en", rows // 2)):
        sheet = book.create_sheet(WORDS[language]["sheet"])
        for row in (tuple(WORDS[language]["header"]), *make_rows(chance, language, count)):
            sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def make_rows(chance: random.Random, language: str, count: int) -> Iterator[Row]:
    words = WORDS[language]
    for number in range(count):
        thing, kind = chance.choice(words["things"]), chance.choice(words["kinds"])
        sentence = words["sentence"].format(
            thing=thing,
            Thing=thing.capitalize(),
            kind=kind,
            Kind=kind.capitalize(),
            material=chance.choice(words["materials"]),
            use=chance.choice(words["uses"]),
        )
        yield (
            f"{chance.choice('ABCDEFGH')}{chance.randint(100, 999)}-{number:05}",
            f"{thing.capitalize()} {kind} {chance.randint(10, 99)}",
            chance.choice(words["category"]),
            " ".join([sentence, *chance.sample(words["notes"], chance.randint(1, 3))]),
            chance.choice(WORDS["suppliers"]),
            round(chance.uniform(1, 900), 2),
            chance.randint(0, 5000),
            str(chance.randint(10**12, 10**13 - 1)),
            round(chance.uniform(0.05, 40), 3),
            f"2026-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}",
        )
