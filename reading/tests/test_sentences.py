"""Sentences and where they stand: one and the same cut. How text is cut is in
test_chunk_sentences.py."""

import random

from reading.sentences import sentence_spans, split_sentences

PIECES = [
    *"ab Zñé1.!?…,;:()[]«»\"'“”¿¡-–—•\n\t\r\u00a0\u2028\x1c",
    " ",
    ". ",
    ".\n",
    "Sr. ",
    "etc. ",
    "U.S. ",
    "J. ",
    "p. ",
    "3.5",
    "...",
    "?! ",
    "The boat",
    "El día",
]


def random_text(seed: int) -> str:
    chosen = random.Random(seed)  # noqa: S311 - no secret
    return "".join(chosen.choices(PIECES, k=chosen.randrange(60)))


def test_spans_hold_the_sentences_in_order_and_leave_only_white_space_out():
    for text in map(random_text, range(500)):
        spans = list(sentence_spans(text))

        assert [text[start:end] for start, end in spans] == split_sentences(text)
        assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
        ends = [0, *(place for span in spans for place in span), len(text)]
        assert ends == sorted(ends)
        between = zip(ends[::2], ends[1::2], strict=True)
        assert "".join(text[end:start] for end, start in between).strip() == ""
