"""The passages that an answer of a language model stands on, sentence by sentence, both ways: a
sentence that its marks do not bear out loses them, and one that is borne out gets its marks.
"""

from __future__ import annotations

from collections.abc import Sequence

from language import word_lists
from language.detection import detect_language
from language.words import WORD, Language, fold, function_words
from query.answering.checking.marks import Marked
from query.answering.checking.support import CheckedPassage, find_support
from query.search.candidates import RetrievedChunk

PASSAGE_MAX_CHARS = 4_000  # that a sentence is held against
# Words of a sentence that agrees or greets and says nothing that could be checked. Folded.
COURTESY = word_lists.words("small_talk.courtesy")
MORE_WORDS = 2  # that such a sentence may take from the question or the persona


class Citations:
    """The passages that an answer stands on, in the order in which it cites them first.

    `company`: its name, which needs no passage. `asked`: the question, of which a short sentence is
    said. A sentence that only agrees may take a word or two of it and of the persona.
    """

    def __init__(
        self,
        passages: Sequence[RetrievedChunk],
        language: Language,
        *,
        company: str,
        asked: str,
        persona: str,
    ) -> None:
        self._passages = [to_checked(passage, company) for passage in passages]
        self._language = language
        self._asked = asked
        self._familiar = {word for text in (asked, persona) for word in WORD.findall(fold(text))}
        self._order: list[int] = []

    @property
    def sources(self) -> tuple[int, ...]:
        """Indexes into the passages."""
        return tuple(self._order)

    def support(self, sentence: Marked) -> tuple[int, ...]:
        """Indexes of the passages that the sentence stands on, first those it cites if they bear it
        out; () when none supports it."""
        cited = [number - 1 for number in sentence.cited if 1 <= number <= len(self._passages)]
        language = detect_language(sentence.text, self._language)
        return find_support(sentence.text, language, cited, self._passages, asked=self._asked)

    def number(self, indexes: Sequence[int]) -> str:
        """The marks of these passages in our own numbering: "[1][2]"."""
        for index in indexes:
            if index not in self._order:
                self._order.append(index)
        return "".join(f"[{self._order.index(index) + 1}]" for index in indexes)

    def says_little(self, text: str) -> bool:
        """Tells whether a text is only agreement, a greeting or the beginning of a list. It may
        then stand before a sentence that says something, whoever made the model write it."""
        words = set(WORD.findall(fold(text))) - COURTESY
        words -= function_words("es") | function_words("en")
        if any(char.isdigit() for char in text) or not any(char.isalpha() for char in text):
            return False
        return len(words) <= MORE_WORDS and words <= self._familiar


def to_checked(passage: RetrievedChunk, company: str) -> CheckedPassage:
    heading = (company, passage.document_title, passage.section_title)
    return CheckedPassage("\n".join(heading), passage.text[:PASSAGE_MAX_CHARS], passage.language)
