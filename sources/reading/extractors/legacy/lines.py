"""The lines of a document, and what they are where its program does not say."""

import re
from dataclasses import dataclass

from sources.reading.extractors.prose import clean

BULLET = "- "
CUT_OFF = "The end of this file was not read: it is damaged."
HEADING_MAX_WORDS = 12
SENTENCE_ENDS = (".", ",", ";")
PAGE_NUMBER = re.compile(
    r"^[\W_]*(?:p[aá]g(?:ina|e|\.)?|page|seite)?[\W_]*\d*[\W_]*(?:of|de|von|sur|di)?[\W\d_]*$",
    re.IGNORECASE,
)
MARGIN_MAX_CHARS = 2000  # what is longer is no header, and PAGE_NUMBER need not look at it


@dataclass(frozen=True)
class TextLine:
    """A paragraph or a table's row; `depth` of a heading from 1, 0 for other text. `is_margin`: of
    a header or a footer.
    """

    text: str
    depth: int = 0
    is_margin: bool = False


def reads_as_heading(text: str) -> bool:
    """Whether a line that is bold from end to end is a heading: short, and neither a sentence nor
    an entry ("Price: 25 euros").
    """
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
        key = clean(text)[:MARGIN_MAX_CHARS].casefold()
        if key in self._told or PAGE_NUMBER.match(key):
            return False
        self._told.add(key)
        return True
