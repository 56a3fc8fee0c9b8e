"""Text that WhatsApp shows as it stands."""

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.surfaces.whatsapp.markup import ADDRESS, LOOK_ALIKES, QUOTE_LOOK_ALIKE, without_markup
from language.tests.processor_time import processor_seconds


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("*gratis*", "∗gratis∗"),
        ("**gratis**", "∗∗gratis∗∗"),
        ("Es *muy* _muy_ ~caro~", "Es ∗muy∗ ˍmuyˍ ∼caro∼"),
        ("(*sí*), ¿_no_?", "(∗sí∗), ¿ˍnoˍ?"),
        ("*_~todo~_*", "∗ˍ∼todo∼ˍ∗"),
        ("un *precio final* hoy", "un ∗precio final∗ hoy"),
        ("`código` y ```bloque\nlargo```", "ˋcódigoˋ y ˋˋˋbloque\nlargoˋˋˋ"),
        ("Categoría: ***", "Categoría: ∗∗∗"),
        ("_1__1", "ˍ1ˍˍ1"),
        ("> una cita\n  > otra", "＞ una cita\n  ＞ otra"),
        ("*https://a.example/b_c*", "∗https://a.example/b_c∗"),
        ("_lee www.a.example/_b_ ya_", "ˍlee www.a.example/_bˍ yaˍ"),
    ],
)
def test_markup_becomes_characters_that_look_like_it(text: str, plain: str):
    assert without_markup(text) == plain


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 = 24",
        "2 * 3 * 4 = 24",
        "Marca *123# o *456#",
        "snake_case_name, snake__case y a_b@c.example",
        "de 5~6 a 7~8",
        "https://a.example/*b*/_c_/~d~?e=_f_&g=*h*",
        "Mira https://a.example/_b_c_ y www.a.example/*d*/e.",
        "- uno\n- dos\n1. tres",
        "5 > 3, >5",
        "a *\nb* c",
        "",
    ],
)
def test_what_marks_nothing_stays_and_can_be_copied(text: str):
    assert without_markup(text) == text


texts = st.text(st.sampled_from("*_~`> ab1.(\n")) | st.text()
MARKED = re.compile(r"(?<![^\W_])([*_~])(?=\S)[^\n]*?\S\1(?![^\W_])|`|(?:^|\n)\s*> ")


@given(texts)
def test_nothing_that_is_left_opens_and_closes_markup(text: str):
    plain = without_markup(text)
    if not ADDRESS.search(text):
        for line in plain.split("\n"):
            assert not MARKED.search(line), line


@given(texts | st.from_regex(r"[a*_ ]*https?://[a*_.]+[a*_ ]*"))
def test_each_character_stays_or_becomes_its_look_alike(text: str):
    plain = without_markup(text)
    assert len(plain) == len(text)
    changes = set(zip(text, plain, strict=True)) - {(each, each) for each in text}
    assert changes <= {*LOOK_ALIKES.items(), (">", QUOTE_LOOK_ALIKE)}
    assert without_markup(plain) == plain


def test_a_long_text_of_markers_takes_no_time():
    for text in ("*a " * 1400, "*_~`" * 1000, "http://" + "*" * 4000, "http://a* " * 400):
        assert len(without_markup(text)) == len(text)
        assert processor_seconds(partial(without_markup, text)) < 3
