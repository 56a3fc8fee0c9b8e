"""Which passages a sentence of a language model stands on: its marks, checked, or else its words.

A mark is [2], [1, 2], [1-3], [^1], 【1】 or [source 1]; (1) is none, people number things so. What
was not given cannot be cited, and a passage that shares no word with a sentence does not say it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from query.retrieval import RetrievedChunk
from sources.language.terms import content_words, coverage
from sources.language.words import WORD, Language, fold, function_words

_NOUN = r"(?:(?:passages?|sources?|documents?|pasajes?|fuentes?|documentos?|ref)\.?\s{0,2})?"
_NUMBERS = r"\^?\d{1,3}(?:\s{0,2}(?:[,;–—-]|\by\b|\band\b)\s{0,2}\^?\d{1,3}){0,20}"
MARK = re.compile(
    rf"[ \t]*[\[【]\s{{0,2}}{_NOUN}({_NUMBERS})\s{{0,2}}(?:†[^\]】]{{0,80}})?[\]】]", re.IGNORECASE
)
MARKS = re.compile(rf"(?:{MARK.pattern})+", re.IGNORECASE)
RANGE = re.compile(r"(\d{1,3})\s*[–—-]\s*\^?(\d{1,3})")
NUMBER = re.compile(r"\d{1,3}")

# The share of an unmarked sentence's information that its passage must hold. Not fitted: thirteen
# sentences of ours, within a language and across, had 0.48 to 1, or at most 0.37 when the passage
# did not say them.
SUPPORT_MIN_SHARE = 0.45
# Of a marked one that is long enough to tell: below, the passage is about something else. A short
# one in words of its own may share none with a passage that says it.
CITED_MIN_SHARE = 0.15
TELLING_WORDS = 4
# Words of a sentence that agrees or greets and says nothing that could be checked. Folded.
COURTESY = frozenset(
    WORD.findall(
        "si no claro por supuesto cierto correcto exacto exactamente efectivamente asi es hola"
        " buenos buenas dias tardes noches gracias encantado encantada gusto ayudo ayudarte"
        " ayudarle perfecto desde luego vale bien"
        " yes sure of course certainly correct right exactly absolutely indeed hello hi good"
        " morning afternoon evening thanks thank happy glad help great question welcome okay ok"
    )
)
MORE_WORDS = 2  # that such a sentence may take from the question or the persona


@dataclass(frozen=True)
class Sentence:
    """`text` without marks; `cited`: numbers from 1 as the model wrote them, each once, also of
    passages that do not exist."""

    text: str
    cited: tuple[int, ...]


def read_sentence(written: str) -> Sentence:
    numbers = [number for mark in MARK.finditer(written) for number in expand(mark.group(1))]
    return Sentence(MARK.sub("", written).strip(), tuple(dict.fromkeys(numbers)))


def expand(numbers: str) -> list[int]:
    """ "1, 3-5" is 1, 3, 4, 5."""
    spread = RANGE.sub(lambda ends: spell_out(int(ends.group(1)), int(ends.group(2))), numbers)
    return [int(number) for number in NUMBER.findall(spread)]


def spell_out(first: int, last: int) -> str:
    return ", ".join(str(number) for number in range(first, last + 1))


class Citations:
    """The passages that an answer stands on, in the order in which it cites them first.

    `familiar`: texts whose words need no passage, the question's and the persona's.
    """

    def __init__(
        self, passages: Sequence[RetrievedChunk], language: Language, *, familiar: Sequence[str]
    ) -> None:
        self._passages = [
            (f"{passage.document_title}\n{passage.section_title}\n{passage.text}", passage.language)
            for passage in passages
        ]
        self._language = language
        self._familiar = {word for text in familiar for word in WORD.findall(fold(text))}
        self._order: list[int] = []

    @property
    def sources(self) -> tuple[int, ...]:
        """Indexes into the passages."""
        return tuple(self._order)

    def support(self, sentence: Sentence) -> tuple[int, ...]:
        """Indexes of the passages that the sentence stands on; none: nothing supports it."""
        given = [number - 1 for number in sentence.cited if 1 <= number <= len(self._passages)]
        shares = [self._share(sentence.text, index) for index in range(len(self._passages))]
        is_short = len(content_words(sentence.text, self._language)) < TELLING_WORDS
        cited = tuple(index for index in given if is_short or shares[index] >= CITED_MIN_SHARE)
        if cited or not shares:
            return cited
        best = max(range(len(shares)), key=shares.__getitem__)
        return (best,) if shares[best] >= SUPPORT_MIN_SHARE else ()

    def _share(self, text: str, index: int) -> float:
        passage, language = self._passages[index]
        return coverage(text, self._language, passage, language).share

    def number(self, indexes: Sequence[int]) -> str:
        """ "[1][2]": the marks of these passages in our own count."""
        for index in indexes:
            if index not in self._order:
                self._order.append(index)
        return "".join(f"[{self._order.index(index) + 1}]" for index in indexes)

    def says_little(self, text: str) -> bool:
        """Agreement, a greeting, the beginning of a list: fit to stand before a sentence that says
        something, whoever made the model write it."""
        words = set(WORD.findall(fold(text))) - COURTESY
        words -= function_words("es") | function_words("en")
        has_number = any(char.isdigit() for char in text)
        return not has_number and len(words) <= MORE_WORDS and words <= self._familiar
