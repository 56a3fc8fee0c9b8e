"""A bare value, in the sentence that says what it is.

Asked for a price, a small model writes "12,65 [1]": right, and no answer to read. What it points at
is a sentence, or a row, of what it was told; that is shown in its place, in the document's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from language.words import WORD, Language, fold
from query.answering.checking.clauses import LIST_MARKER, join_clauses, read_clauses
from query.answering.checking.facts import Fact, FactKind
from query.answering.citations import COURTESY
from query.answering.cleaning import make_harmless
from query.answering.prompts import ToldPassage
from query.answering.rows import tell_row
from query.answering.weighing import Sentence
from query.search.candidates import Question

VALUE_MAX_WORDS = 5  # «de 9:00 a 14:00 h»
COUNT_DIGITS = 2
# The value of a sentence that is much less likely to answer than the best one says something else.
BEHIND_MAX = 2.0
ANSWER_IS = re.compile(r"^\s*(?:the answer is|la respuesta es)\b:?\s*", re.IGNORECASE)


def spell_out(
    text: str,
    language: Language,
    cited: Sequence[int],
    told: Sequence[ToldPassage],
    asked: Question,
) -> tuple[str, int] | None:
    """The sentence to show in place of `text`, and the index in `told` of the passage it stands in;
    None when `text` is not a bare value, or no passage states it. `cited`: indexes into `told`,
    which are looked at first."""
    text = ANSWER_IS.sub("", LIST_MARKER.sub("", text))
    words = WORD.findall(fold(text))
    if not 0 < len(words) <= VALUE_MAX_WORDS or set(words) <= COURTESY or text.endswith(("?", ":")):
        return None
    order = [*cited, *(index for index in range(len(told)) if index not in cited)]
    best = max((next(likeliest_first(item)).score for item in told), default=0.0)
    for index in order:
        passage = told[index].passage
        for sentence in likeliest_first(told[index]):
            if sentence.score < best - BEHIND_MAX:
                break
            stated = sentence.told(told[index].hidden)
            if not is_value_of(text, language, stated, passage.language):
                continue
            if sentence.before:
                return make_harmless(stated), index
            whole = tell_row(sentence.text, asked.asked, passage.language, told[index].hidden)
            return make_harmless(whole), index
    return None


def likeliest_first(told: ToldPassage) -> Iterator[Sentence]:
    sentences = [sentence for window in told.windows for sentence in window.sentences]
    yield from sorted(sentences, key=lambda sentence: -sentence.score)


def is_value_of(text: str, language: Language, sentence: str, its_language: Language) -> bool:
    """Tells whether the text is a part of the sentence, word for word, or nothing but facts that it
    states."""
    part, whole = (" ".join(WORD.findall(fold(one))) for one in (text, sentence))
    if part == whole or sentence.endswith("?"):
        return False
    value = join_clauses(read_clauses(text, language), language)
    if value.words:
        return f" {part} " in f" {whole} "
    if not any(tells(fact) for fact in value.facts):
        return False
    stated = join_clauses(read_clauses(sentence, its_language), its_language)
    return all(stated.bears_out(fact, language) for fact in value.facts)


def tells(fact: Fact) -> bool:
    """Tells whether a fact says something by itself. A bare "2" may be a count, which is not
    written anywhere, and as something else it is written everywhere."""
    return fact.kind is not FactKind.NUMBER or bool(fact.unit) or len(fact.value) > COUNT_DIGITS
