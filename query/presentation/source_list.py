"""An answer's sources as a list behind its text, for who shows text alone."""

from __future__ import annotations

import re
from collections import defaultdict

from language.words import Language
from query.answers import Answer
from query.search.candidates import RetrievedChunk

SOURCES_TITLES: dict[Language, str] = {"es": "Fuentes:", "en": "Sources:"}
MARK = re.compile(r"\[(\d{1,2})\]")  # ours: a document's own [7] reads (7)
UNMARKED_SOURCES_MAX = 3
# Of a text without white space at its end: one that began with it would be read again and again.
LISTED = re.compile(
    rf"\n(?:{'|'.join(SOURCES_TITLES.values())})[ \t\r]*\n(?:(?:\[\d{{1,2}}\])+ .*(?:\n|\Z))+\Z"
)
# The words of locations (reading/passages.py): at their beginning, and a sheet's row.
PLACE_WORD = re.compile(
    r"^(?:page|slide|paragraphs?|rows?|item|line)(?= [\d–-]+$)"
    r"|^page (?:header|footer)$|^earlier message(?= \d+$)|^(?:signature|legal notice)$"
    r"|^(?:sheet|section)(?= )|\brows?(?= [\d–-]+$)"
)
SPANISH_PLACES = {
    "page header": "encabezado de página",
    "page footer": "pie de página",
    "earlier message": "mensaje anterior",
    "signature": "firma",
    "legal notice": "aviso legal",
    "page": "página",
    "slide": "diapositiva",
    "paragraph": "párrafo",
    "paragraphs": "párrafos",
    "row": "fila",
    "rows": "filas",
    "sheet": "hoja",
    "section": "apartado",
    "item": "elemento",
    "line": "línea",
}


def write_source_list(answer: Answer, language: Language) -> str:
    """The list that follows the text: an empty line, a title, a line for each place; "" without
    sources."""
    if not answer.sources:
        return ""
    return f"\n\n{SOURCES_TITLES[language]}\n{list_sources(answer, language)}"


def without_source_list(text: str) -> str:
    """Removes the list of `write_source_list`, where a client shows us our own answer again."""
    return LISTED.sub("", text.rstrip()).rstrip()


def list_sources(answer: Answer, language: Language) -> str:
    """Lines such as "[1] prices.pdf, page 3" for the sources that the text marks; where it marks
    none, for the first few. A place that has two passages is one line with both numbers."""
    marked = {int(number) for number in MARK.findall(answer.text)}
    first = range(1, UNMARKED_SOURCES_MAX + 1)
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, source in enumerate(answer.sources, start=1):
        if number in (marked or first):
            numbers[name_source(source, language)].append(number)
    marks = {name: "".join(f"[{number}]" for number in of_it) for name, of_it in numbers.items()}
    return "\n".join(f"{mark} {name}" for name, mark in marks.items())


def name_source(source: RetrievedChunk, language: Language) -> str:
    """The name of a source: a web page's title and address, or else the file and the place
    in it."""
    is_page = source.source_file.startswith(("http://", "https://"))
    places = (source.document_title, source.source_file) if is_page else ()
    names = places or (source.source_file, name_place(source.location, language))
    return ", ".join(dict.fromkeys(" ".join(name.split()) for name in names if name.strip()))


def name_place(location: str, language: Language) -> str:
    """The place, "page 3", in the reader's language; names of sheets and sections stay as
    they are."""
    if language == "en":
        return location
    return PLACE_WORD.sub(lambda word: SPANISH_PLACES[word.group()], location)
