"""An answer by a language model, from the passages alone, with its citations checked.

It is written sentence by sentence, also in a stream: only of a whole sentence can be told what it
cites, whether a passage says it, and what an address or a tag in it is.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from django.conf import settings

from config.language_model import READY, read_state
from language.detection import detect_language
from language.words import WORD, fold
from query.answering.checking.marks import MARKS_PATTERN, Marked, read_marks
from query.answering.citations import Citations
from query.answering.cleaning import clean, find_addresses, has_open_markup
from query.answering.drafts import Draft, DraftWriter
from query.answering.extraction import draft_closest, extract_answer
from query.answering.hidden import hidden_of
from query.answering.llm import Ending, LanguageModelFailed, chat
from query.answering.model_slots import model_slot
from query.answering.prompts import RULES, Prompt, write_prompt
from query.answering.values import is_value_of, spell_out
from query.answering.weighing import Reading, read_passages
from query.search.candidates import Question, RetrievedChunk
from query.understanding.inquiries import Inquiry
from query.understanding.turns import Turn
from reading.sentences import BREAK, is_sentence_end

logger = logging.getLogger(__name__)

ANSWER_MAX_CHARS = 6_000  # that are read, without thoughts: a server may not keep to max_tokens
LEAK_WORDS = 7  # in a row as they stand in our rules
SAID_MAX = 3  # times that one thing is read: a small model goes round in circles
DECLINES = re.compile(r"\bNO\\?[ _-]ANSWER\b|\bno\\?_answer\b")
THINKING_BEGINS = re.compile(r"<(think|thinking|reasoning)>")
THINKING_ENDS = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL)
THINKING_TAIL_CHARS = 20  # kept of a thought, for the tag that ends it may come in two pieces
LIST_MARKER = re.compile(r"\s*(?:\d{1,2}[.)]|[-*•–])\s*")
SOURCES_HEADING = re.compile(
    r"[\s#*_]*(?:sources?|references?|citations?|fuentes?|referencias?|citas?)[\s*_]*+(?::[\s*_]*+)?",
    re.IGNORECASE,
)
MARKS_AND_SPACE = re.compile(MARKS_PATTERN + r"\s*", re.IGNORECASE)
GLUED_MARK = re.compile(r"(?<=[.!?…])(?=[\[【]\^?\d)")
MARK_MAX_CHARS = 100
CUT_MARK = re.compile(r"(?<!\s)\s*+[\[【][^\]】]{0,100}\Z")
# What our own marks look like (prompts.fenced), whoever writes them.
OWN_MARK = re.compile(r"<<<[A-Z ]{3,60}>>>")
# A sentence without its marks, where it says nothing but them.
ONLY_NAMES_PASSAGES = re.compile(
    r"[\W_]*(?:(?:the|los?|las?|el|and|y|see|ver|v[eé]ase|answer|respuesta|passages?|pasajes?)[\W_]*)*",
    re.IGNORECASE,
)
LEFTOVERS = " \t\n.,;:"  # where a mark stood between two sentences


def generate_answer(
    inquiry: Inquiry,
    question: Question,
    passages: Sequence[RetrievedChunk],
    turns: Sequence[Turn],
    *,
    streams: bool,
) -> DraftWriter:
    """Writes an answer with the language model. `streams`: yield the sentences as the model ends
    them; else all in one piece. Answers by extraction while the model has enough to do, and where a
    model of our own fails.

    Where the model breaks off, the sentences that were written stay: each is whole and stands on a
    passage. Where it declines, the draft has the closest words; where it has only named passages,
    theirs.
    """
    reading = read_passages(question, passages)
    with model_slot(inquiry.tenant.pk) as has_slot:
        has_slot = has_slot and is_there()
        if has_slot:
            said = yield from ask_model(
                inquiry, question, passages, reading, turns, streams=streams
            )
    if has_slot and said.text:
        return Draft(said.text, said.sources, settings.LLM_MODEL)
    if not has_slot or (said.has_failed and settings.LLM_IS_OWN):
        return (
            yield from extract_answer(
                question,
                passages,
                marks_sources=inquiry.marks_sources,
                hidden=hidden_of(inquiry.tenant),
            )
        )
    if said.has_failed:
        return Draft("", tuple(range(len(passages))), settings.LLM_MODEL, has_failed=True)
    return draft_closest(
        question,
        passages,
        reading,
        settings.LLM_MODEL,
        marks_sources=inquiry.marks_sources,
        hidden=hidden_of(inquiry.tenant),
        chosen=said.chosen,
    )


def look_closer(
    inquiry: Inquiry,
    question: Question,
    passages: Sequence[RetrievedChunk],
    turns: Sequence[Turn],
    *,
    streams: bool,
) -> DraftWriter:
    """Does as `generate_answer` with passages that may be about something else. Returns what the
    model says of them, or an empty draft."""
    reading = read_passages(question, passages)
    with model_slot(inquiry.tenant.pk) as has_slot:
        has_slot = has_slot and is_there()
        if has_slot:
            said = yield from ask_model(
                inquiry, question, passages, reading, turns, streams=streams
            )
            return Draft(said.text, said.sources, settings.LLM_MODEL)
    return Draft("", (), settings.LLM_MODEL)


def is_there() -> bool:
    """Tells whether the model can be asked. A model of our own may still be loading; of any other,
    nothing is known until it is asked."""
    return not settings.LLM_IS_OWN or read_state(settings.DATA_DIR) == READY


@dataclass(frozen=True)
class Said:
    """The part of a model's answer that is shown. `sources`: indexes into the passages, [1] in
    `text` is the first of them. `chosen`: the passages that it named without saying a word of them.
    `has_failed`: nothing can be shown, and the model did not decline."""

    text: str
    sources: tuple[int, ...]
    chosen: frozenset[int]
    has_failed: bool


def ask_model(
    inquiry: Inquiry,
    question: Question,
    passages: Sequence[RetrievedChunk],
    reading: Reading,
    turns: Sequence[Turn],
    *,
    streams: bool,
) -> Generator[str, None, Said]:
    prompt = write_prompt(inquiry, question, passages, reading, turns)
    citations = Citations(
        [told.passage for told in prompt.told],
        question.language,
        company=inquiry.tenant.name,
        asked=question.text,
        persona=inquiry.persona,
    )
    writing = Writing(prompt, question, citations, marks_sources=inquiry.marks_sources)
    written: list[str] = []
    has_failed = False
    with closing(read_answer(prompt, writing, streams=streams)) as sentences:
        try:
            for sentence in sentences:
                written.append(sentence)
                if streams:
                    yield sentence
        except LanguageModelFailed as error:
            logger.warning("the language model failed: %s", error)
            has_failed = True
    text = "".join(written)
    if text and not streams:
        yield text
    return Said(
        text,
        tuple(prompt.told[number].index for number in citations.sources),
        frozenset(prompt.told[number].index for number in writing.chosen),
        not text and (has_failed or writing.said_nothing),
    )


def read_answer(prompt: Prompt, writing: Writing, *, streams: bool) -> Generator[str, None, None]:
    """Yields the model's sentences. Closing the generator stops the model. Raises
    LanguageModelFailed."""
    with closing(chat(prompt.messages, streams=streams)) as pieces:
        while not writing.is_over:
            try:
                piece = next(pieces)
            except StopIteration as end:
                yield from writing.finish(is_whole=end.value is Ending.WHOLE)
                return
            yield from writing.feed(piece)


class Writing:
    """Joins pieces of any length into sentences that may be shown."""

    def __init__(
        self, prompt: Prompt, question: Question, citations: Citations, *, marks_sources: bool
    ) -> None:
        self.citations = citations
        self.chosen: set[int] = set()  # of what was told, named without a word
        self.is_over = False  # what else comes is not read
        self.said_nothing = True
        self._marks_sources = marks_sources
        self._told = prompt.told
        self._question = question
        self._given = find_addresses(told.passage.text for told in prompt.told)
        self._held = ""  # what may go on
        self._waiting = ""  # sentences that say little, until one that stands on a passage
        self._separator = ""
        self._shown: list[str] = []
        self._said: Counter[str] = Counter()
        self._chars_left = ANSWER_MAX_CHARS

    def feed(self, piece: str) -> Iterator[str]:
        held = without_thoughts(self._held + piece)
        is_too_long = len(held) > self._chars_left
        self._held = GLUED_MARK.sub(" ", held[: self._chars_left])
        while not self.is_over and (end := sentence_end(self._held)) is not None:
            sentence, self._held = self._held[:end], self._held[end:]
            self._chars_left -= end
            yield from self._take(sentence)
        self.is_over = self.is_over or is_too_long

    def finish(self, *, is_whole: bool) -> Iterator[str]:
        """The last sentence, unless the model was cut off in it."""
        begin = THINKING_BEGINS.search(self._held)
        rest = self._held[: begin.start() if begin else None].rstrip()
        if not is_whole:
            rest = CUT_MARK.sub("", rest)
        if is_whole or rest.endswith((".", "!", "?", "…", "]", "】")):
            yield from self._take(rest)

    def _take(self, written: str) -> Iterator[str]:
        if not written.strip():
            return
        self.said_nothing = False
        shown = "" if self._repeats(written) else self._check(written.lstrip(LEFTOVERS))
        after = separator_after(written)
        if shown:
            yield f"{self._separator}{shown}"
            self._shown.append(shown)
            self._separator = after
        elif self._shown:
            self._separator = max(self._separator, after, key=lambda space: space.count("\n"))

    def _check(self, written: str) -> str:
        """The sentence as it is shown, with those that waited for it; "" when it is not shown, or
        not yet."""
        if DECLINES.search(written):
            self.is_over = not self._shown
            return ""
        if OWN_MARK.search(written):
            return ""
        sentence = self._read(written)
        if SOURCES_HEADING.fullmatch(sentence.text):
            self.is_over = True
            return ""
        if ONLY_NAMES_PASSAGES.fullmatch(sentence.text):
            self.chosen.update(number - 1 for number in self._numbers(sentence))
            return ""
        if self._leaks(sentence.text):
            return ""
        if value := self._spell_out(sentence):
            whole, index = value
            return "" if self._has_said(sentence.text, whole) else self._mark(whole, [index])
        supporting = self.citations.support(sentence)
        is_opening = sentence.text.endswith(":") and not sentence.cited
        if is_opening if supporting else self.citations.says_little(sentence.text):
            self._waiting += sentence.text + separator_after(written)
            return ""
        waited, self._waiting = self._waiting, ""
        return waited + self._mark(sentence.text, supporting) if supporting else ""

    def _has_said(self, value: str, whole: str) -> bool:
        language = self._question.language
        return any(
            whole in shown or is_value_of(value, language, shown, language) for shown in self._shown
        )

    def _spell_out(self, sentence: Marked) -> tuple[str, int] | None:
        language = detect_language(sentence.text, self._question.language)
        cited = [number - 1 for number in self._numbers(sentence)]
        return spell_out(sentence.text, language, cited, self._told, self._question)

    def _mark(self, text: str, supporting: Sequence[int]) -> str:
        marks = self.citations.number(supporting)
        return f"{text}{' ' + marks if self._marks_sources else ''}"

    def _numbers(self, sentence: Marked) -> list[int]:
        """The numbers in the sentence's marks that belong to passages the model was given."""
        return [number for number in sentence.cited if 1 <= number <= len(self._told)]

    def _repeats(self, written: str) -> bool:
        said = read_marks(written).text
        self._said[said] += 1
        self.is_over = self.is_over or self._said[said] == SAID_MAX
        return self._said[said] > 1

    def _read(self, written: str) -> Marked:
        """Reads the marks and cleans the text again without them: <[1]img> becomes a tag only when
        the mark in it is gone."""
        sentence = read_marks(clean(written, self._given))
        return replace(sentence, text=clean(sentence.text, self._given))

    def _leaks(self, text: str) -> bool:
        return not RULES_SAID.isdisjoint(runs_of_words(text))


def without_thoughts(text: str) -> str:
    """Removes what a reasoning model thinks in tags. Some templates begin the thought themselves:
    then only its end comes. Of a thought that has not ended, the opening tag and the last
    characters are kept: its closing tag may come in two pieces."""
    kept, at = "", 0
    while begin := THINKING_BEGINS.search(text, at):
        kept += text[at : begin.start()]
        closing_tag = f"</{begin.group(1)}>"
        end = text.find(closing_tag, begin.end())
        if end < 0:
            return kept + begin.group() + text[begin.end() :][-THINKING_TAIL_CHARS:]
        at = end + len(closing_tag)
    return THINKING_ENDS.sub("", kept + text[at:])


def sentence_end(text: str) -> int | None:
    """The end of the first sentence, behind its marks and white space; None while more may belong
    to it."""
    begin = THINKING_BEGINS.search(text)
    for found in BREAK.finditer(text, 0, begin.start() if begin else len(text)):
        end = found.end()
        if not is_sentence_end(text, found) or LIST_MARKER.fullmatch(text, 0, end):
            continue
        if marks := MARKS_AND_SPACE.match(text, end):
            end = marks.end()
        if may_be_mark(text[end:]):
            return None
        if not has_open_markup(text[:end]):
            return end
    return None


def may_be_mark(rest: str) -> bool:
    """Tells whether more must be read before it is certain that no mark follows."""
    rest = rest.lstrip()
    return not rest or (rest[0] in "[【" and not re.search(r"[\]】]", rest[:MARK_MAX_CHARS]))


def separator_after(written: str) -> str:
    """The separator behind a sentence, as the model wrote it: a list stays a list."""
    breaks = written[len(written.rstrip()) :].count("\n")
    return "\n" * min(breaks, 2) or " "


def runs_of_words(text: str) -> set[tuple[str, ...]]:
    words = WORD.findall(fold(text))
    return {tuple(words[at : at + LEAK_WORDS]) for at in range(len(words) - LEAK_WORDS + 1)}


RULES_SAID = runs_of_words(RULES)
