"""The lines of a document, and their roles where its program does not state them."""

import re
from dataclasses import dataclass

from reading.extractors.prose import clean
from reasons import Reason

BULLET = "- "
CUT_OFF = Reason("end_of_file_lost")
HEADING_MAX_WORDS = 12
SENTENCE_ENDS = (".", ",", ";")
PAGE_NUMBER = re.compile(
    r"^[\W_]*(?:p[aá]g(?:ina|e|\.)?|page|seite)?[\W_]*\d*[\W_]*(?:of|de|von|sur|di)?[\W\d_]*$",
    re.IGNORECASE,
)
PAGE_NUMBER_MAX_CHARS = 40  # the pattern above takes long for long texts


@dataclass(frozen=True)
class TextLine:
    """A paragraph or a table's row; `depth` of a heading from 1, 0 for other text. `is_margin`: of
    a header or a footer.
    """

    text: str
    depth: int = 0
    is_margin: bool = False


def reads_as_heading(text: str) -> bool:
    """True if a line that is bold from end to end reads as a heading: short, and neither a sentence
    nor an entry ("Price: 25 euros")."""
    return (
        0 < len(text.split()) <= HEADING_MAX_WORDS
        and "\n" not in text
        and not text.endswith(SENTENCE_ENDS)
        and ":" not in text[:-1]
    )


class Margins:
    """Headers and footers: each is told once, and none that only numbers the pages."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def is_news(self, text: str) -> bool:
        key = clean(text).casefold()
        is_page_number = len(key) <= PAGE_NUMBER_MAX_CHARS and PAGE_NUMBER.match(key)
        if key in self._told or is_page_number:
            return False
        self._told.add(key)
        return True
