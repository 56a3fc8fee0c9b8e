"""Four invented companies in the format of bench/companies, small enough to be fitted on in a
test."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Plainer than the data's score.py: the texts here are our own.
SCORER = """
def chunk_hits(chunk, gold):
    return gold in chunk
def contains(answer, golds, lang=None):
    return any(gold in answer for gold in golds)
"""


@dataclass(frozen=True)
class SmallCompany:
    """`texts`: a file each, by name; those in Spanish end in "_es". `answerable`: language,
    question, file, gold string. `near`: on its topic, without an answer."""

    name: str
    texts: dict[str, str]
    answerable: Sequence[tuple[str, str, str, str]]
    near: Sequence[tuple[str, str]]


OFF_TOPIC = (
    ("en", "Who painted the Mona Lisa?"),
    ("es", "¿Quién ganó el mundial de fútbol de 2010?"),
)
COMPANIES = (
    SmallCompany(
        "bread",
        {
            "oven": "The oven is lit at four in the morning. Rye bread comes out first.",
            "rye": "A loaf of rye weighs one kilogram and costs 4 euros.",
            "bodas_es": "Los encargos para bodas se hacen con dos semanas de antelación.",
        },
        (
            ("en", "When is the oven lit?", "oven", "four in the morning"),
            ("en", "How much is a loaf of rye?", "rye", "4 euros"),
            ("es", "¿Con cuánta antelación encargo el pan de una boda?", "bodas_es", "dos semanas"),
        ),
        (
            ("en", "Does the rye bread contain walnuts?"),
            ("es", "¿Los encargos para bodas se pagan a plazos?"),
        ),
    ),
    SmallCompany(
        "clay",
        {
            "kiln": "The kiln is fired every second Thursday and reaches 1,240 degrees.",
            "glaze": "Glazing a bowl costs 9 euros, and the clay for it is included in the price.",
            "torno_es": "El torno que está junto a la ventana es para principiantes.",
        },
        (
            ("en", "How hot is the kiln?", "kiln", "1,240 degrees"),
            ("en", "How much does it cost to glaze a bowl?", "glaze", "9 euros"),
            ("es", "¿Qué torno es para principiantes?", "torno_es", "junto a la ventana"),
        ),
        (
            ("en", "Is the kiln heated with gas or with wood?"),
            ("es", "¿El torno para principiantes es eléctrico?"),
        ),
    ),
    SmallCompany(
        "coast",
        {
            "hours": "The lighthouse opens to visitors from Tuesday to Sunday, from 10:00 on.",
            "visit": "A guided visit costs 7 euros. Children under ten come in for free.",
            "farera_es": "La farera, Aldara Quintáns, vive en la torre desde 1998.",
        },
        (
            ("en", "When does the lighthouse open?", "hours", "from Tuesday to Sunday"),
            ("en", "How much is a guided visit?", "visit", "7 euros"),
            ("es", "¿Desde cuándo vive la farera en la torre?", "farera_es", "1998"),
        ),
        (
            ("en", "Is the guided visit of the lighthouse suitable for wheelchairs?"),
            ("es", "¿Cuántos escalones tiene la torre de la farera?"),
        ),
    ),
    SmallCompany(
        "wheels",
        {
            "rent": "Renting a tandem costs 18 euros a day. Helmets are lent with it.",
            "brakes": "Brakes are adjusted while you wait, in about twenty minutes.",
            "ruta_es": "La ruta del río tiene 32 kilómetros y ninguna cuesta.",
        },
        (
            ("en", "How much is it to rent a tandem?", "rent", "18 euros"),
            ("en", "How long does it take to adjust the brakes?", "brakes", "twenty minutes"),
            ("es", "¿Cuántos kilómetros tiene la ruta del río?", "ruta_es", "32 kilómetros"),
        ),
        (
            ("en", "Can a tandem be rented with a child seat?"),
            ("es", "¿La ruta del río está asfaltada?"),
        ),
    ),
)
QUESTIONS = 7  # of each


def write_companies(folder: Path) -> Path:
    for company in COMPANIES:
        place = folder / company.name
        place.mkdir(parents=True)
        for name, text in company.texts.items():
            (place / f"{name}.txt").write_text(text, encoding="utf-8")
        write_rows(place / "questions.jsonl", rows_of(company))
    return folder


def write_rows(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines), encoding="utf-8")


def rows_of(company: SmallCompany) -> list[dict[str, Any]]:
    rows = [
        a_row(language, text, kind="answerable", expect="answer")
        | {"gold": [{"file": f"{file}.txt", "page_or_row": ""}], "answers": [answer]}
        for language, text, file, answer in company.answerable
    ]
    rows += [a_row(*item, kind="near_topic", expect="no_invention") for item in company.near]
    rows += [a_row(*item, kind="off_topic", expect="no_sources") for item in OFF_TOPIC]
    return [{"qid": f"{company.name}-{number}", **row} for number, row in enumerate(rows)]


def a_row(language: str, text: str, *, kind: str, expect: str) -> dict[str, Any]:
    row = {"kind": kind, "expect": expect, "lang": language, "doc_lang": language}
    return row | {"question": text, "gold": [], "answers": []}
