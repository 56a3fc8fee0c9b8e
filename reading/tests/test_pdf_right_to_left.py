"""PDF: lines of Hebrew and Arabic are read in the order in which people read them, with the numbers
and the Latin words in them.

`back` turns a text round: so it stands on the page, seen from left to right.
"""

from collections.abc import Sequence

import pytest

from reading.extractors.pdf.document import extract
from reading.extractors.pdf.right_to_left import Sign, find_phrases
from reading.passages import Block
from reading.tests.files.corpus.pages import SCRIPT_SIGN_WIDTH, in_any_script

RIGHT = 535
Placed = tuple[float, float, str]  # left, baseline, as it looks from left to right


def back(text: str) -> str:
    return text[::-1]


def right_line(bottom: float, text: str, right: float = RIGHT) -> Placed:
    return right - SCRIPT_SIGN_WIDTH * len(text), bottom, text


def blocks(*texts: Placed, extra: bytes = b"") -> list[Block]:
    return list(extract(in_any_script(*texts, extra=extra)).blocks)


def texts(*placed: Placed, extra: bytes = b"") -> list[str]:
    return [block.text for block in blocks(*placed, extra=extra)]


LINE = "המרפאה פתוחה בימים ראשון עד חמישי"


# --- However the program stored them --------------------------------------------------------------


def test_a_line_that_is_stored_as_it_looks():
    assert texts(right_line(700, back(LINE))) == [LINE]


def test_a_line_whose_words_are_stored_one_by_one():
    placed, right = [], float(RIGHT)
    for word in LINE.split():
        placed.append(right_line(700, back(word), right))
        right -= SCRIPT_SIGN_WIDTH * (len(word) + 1)
    assert texts(*placed) == [LINE]
    assert texts(*placed[::-1]) == [LINE]


def test_a_line_whose_letters_are_stored_one_by_one():
    letters = [
        right_line(700, sign, RIGHT - SCRIPT_SIGN_WIDTH * place) for place, sign in enumerate(LINE)
    ]
    assert texts(*letters) == [LINE]


def test_an_arabic_line_whose_letters_are_stored_from_left_to_right():
    line = "تفتح العيادة أبوابها من الساعة التاسعة"
    signs = [
        right_line(700, sign, RIGHT - SCRIPT_SIGN_WIDTH * place) for place, sign in enumerate(line)
    ]
    assert texts(*signs[::-1]) == [line]


# --- Numbers and Latin words ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "meant"),
    [
        (f"17:00{back('ל-')} 8:30 {back('בין השעות')}", "בין השעות 8:30 ל-17:00"),
        (f"03-5551234 {back('טלפון:')}", "טלפון: 03-5551234"),
        (f".1,200 {back('מעל')} 15% {back('הנחה של')}", "הנחה של 15% מעל 1,200."),
        (f"{back('לחודש')} $5 {back('מחיר')}", "מחיר $5 לחודש"),
        (
            f"{back('ש״ח')} 450 {back('עולה')} Microsoft Windows 11 {back('התקנת')}",
            "התקנת Microsoft Windows 11 עולה 450 ש״ח",
        ),
        (f"{back('לפרטים')} www.example.com {back('ראו')}", "ראו www.example.com לפרטים"),
        (f".0791234567 {back('ورقم الهاتف')} 45 {back('سعر')}", "سعر 45 ورقم الهاتف 0791234567."),
        (f"%15 {back('الخصم')}", "الخصم 15%"),
        (
            f"12/03/2027 {back('منذ')} Office 365 {back('برنامج')}",
            "برنامج Office 365 منذ 12/03/2027",
        ),
        (f"{back('دينارا')} ٤٥ {back('سعر')}", "سعر ٤٥ دينارا"),
    ],
)
def test_numbers_and_latin_words_run_from_left_to_right(seen: str, meant: str):
    assert texts(right_line(700, seen)) == [meant]


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), (")", "(")])
def test_brackets_open_before_they_close_however_they_are_stored(opening: str, closing: str):
    seen = back(f"מחיר {opening}כולל מע״מ{closing} לחודש")
    assert texts(right_line(700, seen)) == ["מחיר (כולל מע״מ) לחודש"]


def test_letters_that_look_otherwise_within_a_word_are_the_usual_ones():
    assert texts(right_line(700, back("\ufefb \ufef3\ufecc\ufee4\ufede"))) == ["لا يعمل"]


# --- Pages ----------------------------------------------------------------------------------------


def test_lines_of_a_paragraph_and_the_points_of_a_list_begin_on_the_right():
    first, second = "האחריות לשלדה היא שש שנים למי", "שעבר את הטיפול הראשון אצלנו."
    assert texts(
        right_line(740, back(first)),
        right_line(726, back(second)),
        right_line(690, back("• בלמים")),
        right_line(676, back("• הילוכים")),
    ) == [f"{first} {second}", "• בלמים", "• הילוכים"]


def test_a_table_has_its_first_column_on_the_right():
    rows = (("דגם", "מחיר", "אחריות"), ("שחף", "320", "שנה אחת"), ("סנונית", "470", "שנתיים"))
    placed = [
        right_line(700 - 14 * row, text if text.isdigit() else back(text), RIGHT - 150 * column)
        for row, cells in enumerate(rows)
        for column, text in enumerate(cells)
    ]
    assert texts(*placed) == [
        "דגם",
        "שחף — מחיר: 320; אחריות: שנה אחת",
        "סנונית — מחיר: 470; אחריות: שנתיים",
    ]


def test_hebrew_words_in_an_english_line():
    page = (60.0, 700.0, f"The sign says ({back('שלום לכולם')}) above the door")
    assert texts(page) == ["The sign says (שלום לכולם) above the door"]


def test_a_hebrew_line_on_an_english_page():
    english = "The clinic is open on weekdays from nine to one in winter."
    assert texts((60.0, 740.0, english), right_line(700, back(LINE))) == [english, LINE]


def test_an_english_line_on_a_hebrew_page():
    english = "Open on weekdays, closed in August"
    placed = [right_line(740 - 14 * row, back(LINE)) for row in range(3)]
    assert texts(*placed, (60.0, 650.0, english))[-1] == english


def test_what_is_struck_out_on_a_hebrew_page_is_left_out():
    width = SCRIPT_SIGN_WIDTH * len("320 שקלים")
    rule = b"0.7 w %.2f 703.5 m %.2f 703.5 l S\n" % (RIGHT - width, RIGHT)
    placed = (right_line(700, f"{back('שקלים')} 320"), right_line(680, f"{back('שקלים')} 290"))
    assert texts(*placed, extra=rule) == ["290 שקלים"]


# --- Single lines ---------------------------------------------------------------------------------


def signs(*stored: tuple[float, float, str]) -> list[Sign]:
    return [
        Sign(text, left, right, 700, 10, number)
        for number, (left, right, text) in enumerate(stored)
    ]


def told(line: Sequence[Sign]) -> str:
    return " ".join(phrase.text for phrase in find_phrases([line], is_mirrored=True))


def test_two_letters_of_one_sign_keep_their_order():
    assert told(signs((20, 26, "ا"), (20, 26, "ل"), (14, 20, "م"))) == "لام"


def test_points_follow_the_letter_over_which_they_stand():
    line = signs((20, 26, "ש"), (21, 22, "\u05c1"), (14, 19, "ל"), (17, 18, "\u05b8"))
    assert told(line) == "ש\u05c1ל\u05b8"


def test_brackets_that_are_stored_both_ways_open_and_close_in_turns():
    line = signs(*((100 - 6 * place, 106 - 6 * place, sign) for place, sign in enumerate("(אב(")))
    assert told(line) == "(אב)"


def test_a_bracket_without_its_other_half_stays():
    line = signs(*((100 - 6 * place, 106 - 6 * place, sign) for place, sign in enumerate("אב (גד")))
    assert told(line) == "אב (גד"


@pytest.mark.parametrize("stored", [" אב", "אב ", " 1", "  "])
def test_spaces_at_an_end_are_no_words(stored: str):
    line = signs(*((100 - 6 * place, 106 - 6 * place, sign) for place, sign in enumerate(stored)))
    assert told(line) == stored.strip()


@pytest.mark.parametrize("pattern", ["אב1( ", "א\u05b8\u05b8", "1 a ", "א))(("])
def test_a_line_of_any_length_is_read_at_once(pattern: str):
    stored = pattern * 5_000
    line = signs(*((6 * place, 6 * place + 6, sign) for place, sign in enumerate(stored)))
    assert len("".join(told(line).split())) == len("".join(stored.split()))
