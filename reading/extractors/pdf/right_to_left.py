"""Words of lines in Hebrew, Arabic and other scripts that run from right to left.

A PDF says where each sign stands, and programs store the signs in any order. The order in which
they are read is found from their places, by the bidirectional algorithm (Unicode annex 9) turned
round: it tells how a text is shown, and here the text is sought that is shown so.

A page of such a script is mirrored, so that its lines and the columns of its tables begin on the
left as everywhere else.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby

from reading.extractors.pdf.places import Box

RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
FORMS = re.compile("[\ufb1d-\ufdff\ufe70-\ufefc]")  # letters as they look within a word
LETTER = re.compile(r"[^\W\d_]")
LAM, ALEFS = "\u0644", frozenset("\u0622\u0623\u0625\u0627")  # one sign where they meet
SAME_LINE_SHARE = 0.35  # of the height: how far baselines of one line lie apart
SPACE_SHARE = 0.15  # of the height: a wider gap parts words
CELL_GAP_SHARE = 0.9  # of the height: a wider gap parts cells
BRACKETS = {"(": ")", ")": "(", "[": "]", "]": "[", "«": "»", "»": "«"}
OPENING = frozenset("([«")
SPACE = " "
# By the bidirectional class of a sign; the others are neutral
KINDS = {"R": "r", "AL": "r", "L": "l", "EN": "n", "AN": "a", "CS": ",", "ES": "-", "ET": "%"}
NEUTRAL = " "
# What runs from left to right by itself: digits with the signs that belong to them, Latin letters.
# After Arabic letters ("a") fewer signs do than after Hebrew ones ("n").
FORWARD = re.compile(r"[%]*n(?:n|[,-](?=n))*%*|a(?:a|,(?=a))*|l+")
ARABIC_LETTER = "AL"


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of a page, and its place; `number`: its place in the file's own order."""

    text: str
    left: float
    right: float
    baseline: float
    height: float
    number: int

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def is_space(self) -> bool:
        return self.text.isspace()


@dataclass(frozen=True, slots=True)
class Phrase:
    """A word; or several that run against the direction of their line, and stand in it as one.
    `first`: the sign whose type they have."""

    text: str
    left: float
    right: float
    first: Sign

    def mirrored(self) -> Phrase:
        return replace(self, left=-self.right, right=-self.left)


def mirror(box: Box) -> Box:
    left, right, bottom, top = box
    return -right, -left, bottom, top


def is_right_to_left(text: str) -> bool:
    """True if most of the words run from right to left."""
    # Words, not letters: a line may name a Latin address that is longer than the rest
    letters = filter(None, map(LETTER.search, text.split()))
    classes = [unicodedata.bidirectional(letter.group()) for letter in letters]
    return 2 * sum(kind in ("R", "AL") for kind in classes) > len(classes)


def find_phrases(lines: Iterable[Sequence[Sign]], *, is_mirrored: bool) -> Iterator[Phrase]:
    """Yields the phrases of each line in turn. Of a mirrored page their places are mirrored."""
    for cell in split_cells(lines):
        text = "".join(sign.text for sign in with_spaces(cell))
        runs_back = is_right_to_left(text) if any(map(str.isalpha, text)) else is_mirrored
        phrases = list(backward_phrases(cell) if runs_back else forward_phrases(cell))
        # A text that runs against its page is one phrase, whose words keep their order
        if runs_back != is_mirrored:
            phrases = [joined(phrases)] if phrases else []
        yield from (phrase.mirrored() if is_mirrored else phrase for phrase in phrases)


def joined(phrases: Sequence[Phrase]) -> Phrase:
    return Phrase(
        SPACE.join(phrase.text for phrase in phrases),
        min(phrase.left for phrase in phrases),
        max(phrase.right for phrase in phrases),
        phrases[0].first,
    )


# --- Which signs stand together -------------------------------------------------------------------


def split_cells(lines: Iterable[Sequence[Sign]]) -> Iterator[list[Sign]]:
    """Yields the signs of each line or cell, from left to right."""
    for line in map(with_one_height, join_neighbours(lines)):
        cell: list[Sign] = []
        right = 0.0
        for sign in sorted(line, key=lambda sign: sign.middle):
            # Spaces may reach up to the next cell
            if not sign.is_space:
                if cell and sign.left - right > CELL_GAP_SHARE * sign.height:
                    yield cell
                    cell = []
                right = max(right, sign.right) if cell else sign.right
            if cell or not sign.is_space:
                cell.append(sign)
        if cell:
            yield cell


def with_one_height(line: Sequence[Sign]) -> list[Sign]:
    """Some fonts give each sign the height of its own shape: the tallest tells that of the type."""
    height = max(sign.height for sign in line)
    return [replace(sign, height=height) for sign in line]


def join_neighbours(lines: Iterable[Sequence[Sign]]) -> list[list[Sign]]:
    """Lines of PDFium that lie side by side and touch are one: it begins another where a text goes
    back."""
    joined: list[list[Sign]] = []
    left = right = 0.0
    for line in chain.from_iterable(map(split_baselines, lines)):
        start, end = min(sign.left for sign in line), max(sign.right for sign in line)
        reach = CELL_GAP_SHARE * line[0].height
        if (
            joined
            and is_level(joined[-1][0], line[0])
            and start - right <= reach
            and left - end <= reach
        ):
            joined[-1] += line
            left, right = min(left, start), max(right, end)
        else:
            joined.append(list(line))
            left, right = start, end
    return joined


def split_baselines(line: Sequence[Sign]) -> Iterator[list[Sign]]:
    part: list[Sign] = []
    for sign in line:
        if part and not is_level(part[0], sign):
            yield part
            part = []
        part.append(sign)
    if part:
        yield part


def is_level(sign: Sign, other: Sign) -> bool:
    height = max(sign.height, other.height)
    return abs(sign.baseline - other.baseline) <= SAME_LINE_SHARE * height


def with_spaces(signs: Sequence[Sign]) -> list[Sign]:
    """`signs` from left to right or from right to left. Adds a space where a gap parts two, and
    leaves one where several follow each other."""
    spaced: list[Sign] = []
    letter: Sign | None = None
    for sign in signs:
        if letter and spaced and not sign.is_space and not spaced[-1].is_space:
            gap = max(sign.left - letter.right, letter.left - sign.right)
            if gap > SPACE_SHARE * sign.height:
                spaced.append(replace(letter, text=SPACE))
        if not (sign.is_space and (not spaced or spaced[-1].is_space)):
            spaced.append(sign)
        # A vowel point stands somewhere over its letter, and says nothing of where that ends
        letter = letter if is_point(sign) else sign
    while spaced and spaced[-1].is_space:
        spaced.pop()
    return spaced


# --- In which order they are read -----------------------------------------------------------------


def backward_phrases(cell: Sequence[Sign]) -> Iterator[Phrase]:
    """Yields the phrases of a line that runs from right to left, in which numbers and words of
    Latin letters run from left to right."""
    signs = with_spaces(order_backward(cell))
    runs = forward_runs(signs)
    logical: list[Sign] = []
    within: set[int] = set()  # the spaces that part no phrase
    position = 0
    for start, end in runs:
        logical += signs[position:start]
        within.update(range(len(logical), len(logical) + end - start))
        logical += signs[start:end][::-1]
        position = end
    logical += signs[position:]
    yield from split_phrases(with_right_brackets(logical), within)


def forward_phrases(cell: Sequence[Sign]) -> Iterator[Phrase]:
    """Yields the phrases of a line that runs from left to right; words of the other direction that
    follow one another are one."""
    signs = with_spaces(sorted(cell, key=lambda sign: (sign.middle, sign.number)))
    logical: list[Sign] = []
    within: set[int] = set()
    position = 0
    for start, end in spans(kinds_of(signs), "r"):
        logical += signs[position:start]
        text = joined(list(backward_phrases(signs[start:end]))).text
        within.add(len(logical))
        logical.append(replace(signs[start], text=text, right=signs[end - 1].right))
        position = end
    logical += signs[position:]
    yield from split_phrases(with_right_brackets(logical), within)


def split_phrases(signs: Sequence[Sign], within: set[int]) -> Iterator[Phrase]:
    """Cuts at the spaces, but for those at the places `within`."""

    def is_gap(each: tuple[int, Sign]) -> bool:
        return each[1].is_space and each[0] not in within

    for is_between, group in groupby(enumerate(signs), key=is_gap):
        if not is_between:
            members = [sign for _, sign in group]
            yield Phrase(
                "".join(sign.text for sign in members),
                min(sign.left for sign in members),
                max(sign.right for sign in members),
                members[0],
            )


def order_backward(cell: Sequence[Sign]) -> list[Sign]:
    """From right to left. Vowel points follow the letter over which they stand; of signs at one
    place, those of Latin letters are turned round with their word later."""
    letters = [sign for sign in cell if not is_point(sign)]
    middles = sorted(sign.middle for sign in letters)
    order: list[tuple[float, int, int, Sign]] = []
    for sign in cell:
        if is_point(sign) and middles:
            place = bisect_left(middles, sign.middle)
            around = middles[max(place - 1, 0) : place + 1]
            nearest = min(around, key=lambda middle: abs(middle - sign.middle))
            order.append((-nearest, 1, sign.number, sign))
        else:
            rank = sign.number if RIGHT_TO_LEFT.match(sign.text) else -sign.number
            order.append((-sign.middle, 0, rank, sign))
    placed = [sign for *_, sign in sorted(order, key=lambda each: each[:3])]
    for index in range(1, len(placed)):
        first, second = placed[index - 1 : index + 1]
        if second.text == LAM and first.text in ALEFS and first.middle == second.middle:
            placed[index - 1 : index + 1] = [second, first]
    return placed


def is_point(sign: Sign) -> bool:
    return unicodedata.category(sign.text[0]) == "Mn"


def forward_runs(signs: Sequence[Sign]) -> list[tuple[int, int]]:
    """(start, end) of what runs from left to right within a line from right to left: numbers, and
    words of Latin letters with the numbers and signs between them."""
    kinds = kinds_of(signs)
    runs: list[tuple[int, int]] = []
    for match in FORWARD.finditer(kinds):
        start, end = match.span()
        if runs:
            first, last = runs[-1]
            has_word = kinds.find("l", first, last) >= 0 or "l" in match.group()
            if kinds.find("r", last, start) < 0 and (has_word or last == start):
                runs[-1] = (first, end)
                continue
        runs.append((start, end))
    return runs


def kinds_of(signs: Sequence[Sign]) -> str:
    """A letter for each sign: what the bidirectional algorithm sees in it."""
    kinds: list[str] = []
    is_arabic = False
    for sign in signs:
        found = unicodedata.bidirectional(sign.text[0])
        kind = KINDS.get(found, NEUTRAL)
        if found == "NSM" and kinds:
            kind = kinds[-1]
        if kind in "rl":
            is_arabic = found == ARABIC_LETTER
        kinds.append("a" if kind == "n" and is_arabic else kind)
    return "".join(kinds)


def spans(kinds: str, kind: str) -> Iterator[tuple[int, int]]:
    """Yields (start, end) from the first to the last of a kind, where no letter of the other
    direction is between."""
    start = end = -1
    for index, each in enumerate(kinds):
        if each == kind:
            start = index if start < 0 else start
            end = index + 1
        elif each == "l" and start >= 0:
            yield start, end
            start = -1
    if start >= 0:
        yield start, end


# --- Single signs ---------------------------------------------------------------------------------


def with_right_brackets(signs: list[Sign]) -> list[Sign]:
    """Brackets are drawn turned round in a text from right to left, and stored as they look or as
    they are meant, now and then both ways in one line."""
    text = "".join(sign.text for sign in signs)
    if is_balanced(text):
        return signs
    turned = [replace(sign, text=BRACKETS.get(sign.text, sign.text)) for sign in signs]
    if is_balanced("".join(sign.text for sign in turned)):
        return turned
    return in_turns(signs)


def in_turns(signs: Sequence[Sign]) -> list[Sign]:
    """Makes the brackets of each kind open and close in turns; an odd number of them stays."""
    counts = Counter(sign.text for sign in signs)
    is_open: dict[str, bool] = {}
    turned: list[Sign] = []
    for sign in signs:
        other = BRACKETS.get(sign.text, "")
        if other and (counts[sign.text] + counts[other]) % 2 == 0:
            opening, closing = sorted((sign.text, other))
            text = closing if is_open.get(opening) else opening
            is_open[opening] = text == opening
            sign = replace(sign, text=text)
        turned.append(sign)
    return turned


def is_balanced(text: str) -> bool:
    open_ones: list[str] = []
    for sign in text:
        if sign in OPENING:
            open_ones.append(BRACKETS[sign])
        elif sign in BRACKETS and (not open_ones or open_ones.pop() != sign):
            return False
    return not open_ones


def plain_form(text: str) -> str:
    """The letters of a sign; those that look otherwise within a word are the usual ones."""
    return unicodedata.normalize("NFKC", text) if FORMS.match(text) else text
