"""Turns utterances into blocks that can be read alone and tell their time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reading.extractors.prose import clean, has_content
from reading.passages import Block

BLOCK_SECONDS = 30  # from here on, a block ends with a sentence
BLOCK_MAX_SECONDS = 60
BLOCK_MAX_WORDS = 80
PAUSE_SECONDS = 4  # a pause that ends a block: another subject, or another speaker
REST_MAX_WORDS = 8  # what is left over in the end joins the block before it
SENTENCE_ENDS = (".", "?", "!", "…", ".»", '."', "?»", '?"')


@dataclass(frozen=True)
class Utterance:
    """A sentence or a part of one. `is_doubtful`: the model itself does not believe it."""

    start_seconds: float
    end_seconds: float
    text: str
    is_doubtful: bool = False

    @property
    def words(self) -> int:
        return len(self.text.split())

    def later(self, seconds: float) -> Utterance:
        start, end = self.start_seconds + seconds, self.end_seconds + seconds
        return Utterance(start, end, self.text, self.is_doubtful)


def blocks_of(utterances: Iterable[Utterance]) -> list[Block]:
    groups: list[list[Utterance]] = []
    for utterance in utterances:
        if not has_content(utterance.text):
            continue
        if groups and not begins_block(groups[-1], utterance):
            groups[-1].append(utterance)
        else:
            groups.append([utterance])
    return [make_block(group) for group in join_rest(groups)]


def begins_block(group: Sequence[Utterance], following: Utterance) -> bool:
    first, last = group[0], group[-1]
    is_long = last.end_seconds - first.start_seconds >= BLOCK_SECONDS
    return (
        is_pause(last, following)
        or following.end_seconds - first.start_seconds > BLOCK_MAX_SECONDS
        or sum(each.words for each in group) + following.words > BLOCK_MAX_WORDS
        or (is_long and last.text.rstrip().endswith(SENTENCE_ENDS))
    )


def is_pause(before: Utterance, after: Utterance) -> bool:
    return after.start_seconds - before.end_seconds >= PAUSE_SECONDS


def join_rest(groups: list[list[Utterance]]) -> list[list[Utterance]]:
    if len(groups) < 2 or sum(each.words for each in groups[-1]) > REST_MAX_WORDS:
        return groups
    if is_pause(groups[-2][-1], groups[-1][0]):
        return groups
    return [*groups[:-2], groups[-2] + groups[-1]]


def make_block(group: Sequence[Utterance]) -> Block:
    text = clean(" ".join(each.text for each in group))
    return Block(text, location=clock(group[0].start_seconds), is_recognised=True)


def clock(seconds: float) -> str:
    """`00:01:05`: the second in which it begins."""
    whole = int(max(seconds, 0))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
