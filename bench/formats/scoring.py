"""How much of a file a reading keeps, against a reference: what a file made here is known to say,
or what independent readers agree on.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from bench.formats.environments import Seen
from bench.formats.words import (
    agreed,
    lost_numbers,
    lost_words,
    order_kept,
    without_running_lines,
    words_of,
)
from reading.extractors.prose import SECTION_SEPARATOR
from reading.passages import Passage

LOSS_MAX = 0.02  # of a file's words: more is a loss that must be told
LABELLED_MIN_ROWS = 2  # a label of that many rows is a column's name, which each row repeats
EXAMPLES = 12


@dataclass(frozen=True)
class Reference:
    """`rows`: each its words and figures, which one passage must hold together. `known`: every
    word that any reader sees, as often as the one who sees it most often; words beyond it are ours.
    """

    words: Sequence[str]
    counts: Counter[str]
    known: Counter[str]
    numbers: Sequence[float] = ()
    rows: Sequence[Sequence[str]] = ()
    headings: Sequence[str] = ()

    @property
    def size(self) -> int:
        return self.counts.total() + len(self.numbers)


@dataclass(frozen=True)
class Score:
    """Shares from 0 to 1; None where the reference has nothing of the kind. `lost`: examples."""

    recall: float
    precision: float
    order: float
    headings: float | None
    rows: float | None
    lost_count: int
    lost: Sequence[str] = field(default=())

    @property
    def has_loss(self) -> bool:
        return self.recall < 1 - LOSS_MAX


def agree(seen: Collection[Seen]) -> Reference | None:
    """None where no reader read it."""
    read = [each for each in seen if not each.error]
    if not read:
        return None
    texts = [without_running_lines(each.pages) for each in read]
    counts = [Counter(words_of(text)) for text in texts]
    known: Counter[str] = Counter()
    for count in counts:
        known |= count
    numbers = agreed([Counter(str(round(number, 9)) for number in each.numbers) for each in read])
    with_rows = next((each for each in read if each.rows), Seen())
    with_headings = next((each for each in read if each.headings), Seen())
    return Reference(
        words_of(texts[0]),
        agreed(counts),
        known,
        [float(number) for number in numbers.elements()],
        with_rows.rows,
        with_headings.headings,
    )


def score_passages(reference: Reference, passages: Sequence[Passage]) -> Score:
    text = text_of(passages)
    return score(
        reference,
        text,
        precise=without_labels(passages),
        headings=headings_kept(reference.headings, passages),
        rows=rows_kept(reference.rows, [f"{each.section_title} {each.text}" for each in passages]),
    )


def score(
    reference: Reference,
    text: str,
    *,
    precise: str = "",
    headings: float | None = None,
    rows: float | None = None,
) -> Score:
    """`precise`: the text as its precision is judged, where that differs."""
    words = lost_words(reference.counts, text)
    numbers = lost_numbers(reference.numbers, text)
    lost_count = words.total() + len(numbers)
    # Figures are written in more ways than one, and their readers write them in none of ours
    is_judged = (lambda word: not word.isdigit()) if reference.numbers else bool
    ours = Counter(filter(is_judged, words_of(precise or text)))
    own = (ours - reference.known).total()
    return Score(
        recall=1 - lost_count / reference.size if reference.size else 1.0,
        precision=1 - own / ours.total() if ours else 1.0,
        order=order_kept(reference.words, words_of(text)),
        headings=headings,
        rows=rows,
        lost_count=lost_count,
        lost=[*list(words)[:EXAMPLES], *(f"{number:g}" for number in numbers[:EXAMPLES])],
    )


def text_of(passages: Sequence[Passage]) -> str:
    """What is stored of a document: texts, and each title where it begins."""
    lines: list[str] = []
    before: list[str] = []
    for passage in passages:
        titles = passage.section_title.split(SECTION_SEPARATOR) if passage.section_title else []
        lines += [title for title in titles if title not in before]
        lines.append(passage.text)
        before = titles
    return "\n".join(lines)


def without_labels(passages: Sequence[Passage]) -> str:
    """The passages' texts, each column's name once: that a row repeats it is meant so."""
    lines = (line for passage in passages for line in passage.text.splitlines())
    cells = [[cell.partition(": ") for cell in line.split("; ")] for line in lines]
    labels = Counter(label for row in cells for label in {label for label, mark, _ in row if mark})
    said: set[str] = set()
    words = []
    for row in cells:
        for label, mark, value in row:
            is_repeated = mark and labels[label] >= LABELLED_MIN_ROWS and label in said
            said.add(label)
            words.append(value if is_repeated else f"{label}{mark}{value}")
    return "\n".join(words)


def headings_kept(headings: Sequence[str], passages: Sequence[Passage]) -> float | None:
    """Share that is a title, or at least stands in the text: a question leads its passage."""
    if not headings:
        return None
    titles = {
        tuple(words_of(title))
        for passage in passages
        for title in passage.section_title.split(SECTION_SEPARATOR)
    }
    text = f" {' '.join(word for passage in passages for word in words_of(passage.text))} "
    wanted = [tuple(words_of(heading)) for heading in headings]
    kept = [words in titles or f" {' '.join(words)} " in text for words in wanted]
    return sum(kept) / len(kept)


def rows_kept(rows: Sequence[Sequence[str]], texts: Iterable[str]) -> float | None:
    """Share of rows whose words all stand in one passage."""
    if not rows:
        return None
    passages = [Counter(words_of(text)) for text in texts]
    holding: dict[str, list[int]] = defaultdict(list)
    for number, passage in enumerate(passages):
        for word in passage:
            holding[word].append(number)
    return sum(is_row_kept(row, passages, holding) for row in rows) / len(rows)


def is_row_kept(
    row: Sequence[str], passages: Sequence[Counter[str]], holding: dict[str, list[int]]
) -> bool:
    wanted = Counter(word for cell in row for word in words_of(cell))
    if not wanted:
        return True
    rarest = min(wanted, key=lambda word: len(holding.get(word, ())))
    return any(not set(wanted) - set(passages[number]) for number in holding.get(rarest, ()))
