"""OpenDocument presentations: slide by slide, with tables, charts and the speaker's notes."""

import pytest

from reading.errors import UnreadableFile
from reading.extractors.interface import TOO_LARGE
from reading.extractors.opendocument import odp
from reading.extractors.opendocument.odp import extract
from reading.passages import Block
from reading.tests.open_documents import chart, framed, make_flat, make_odf, p, row, table
from reasons import Reason

HIDDEN = (
    '<style:style style:name="Hid">'
    '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)


def slide(*shapes: str, attributes: str = "", notes: str = "") -> str:
    shown = framed(f"<draw:text-box>{p(notes)}</draw:text-box>", 'presentation:class="notes"')
    number = framed(f"<draw:text-box>{p('7')}</draw:text-box>", 'presentation:class="page-number"')
    below = f"<presentation:notes>{shown if notes else ''}{number}</presentation:notes>"
    return f"<draw:page {attributes}>{''.join(shapes)}{number}{below}</draw:page>"


def box(text: str, attributes: str = "") -> str:
    return framed(f"<draw:text-box>{p(text)}</draw:text-box>", attributes)


def title(text: str) -> str:
    return box(text, 'presentation:class="title"')


def texts(*slides: str) -> list[str]:
    return [block.text for block in extract(make_odf("presentation", "".join(slides))).blocks]


def test_texts_stand_on_their_slide_under_its_title():
    found = extract(
        make_odf("presentation", slide(box("Hola."), title("Visita")) + slide(box("Fin.")))
    )
    assert list(found.blocks) == [
        Block("Visita", "slide 1", "Visita", is_heading=True),
        Block("Hola.", "slide 1", "Visita"),
        Block("Fin.", "slide 2"),
    ]
    assert found.pages == 2


def test_notes_of_the_speaker_come_last():
    assert texts(slide(title("Visita"), box("Hola."), notes="Saludar.")) == [
        "Visita",
        "Hola.",
        "Saludar.",
    ]


def test_shapes_are_read_from_top_to_bottom_then_left_to_right():
    low = box("abajo", 'svg:x="1cm" svg:y="9cm"')
    right = box("derecha", 'svg:x="70mm" svg:y="2.1cm"')
    left = box("izquierda", 'svg:x="1cm" svg:y="2cm"')
    assert texts(slide(low, right, left)) == ["izquierda", "derecha", "abajo"]


def test_shapes_of_groups_are_read():
    assert texts(slide(f"<draw:g><draw:g>{box('dentro')}</draw:g></draw:g>")) == ["dentro"]


def test_placeholders_that_nobody_filled_are_left_out():
    assert texts(slide(box("Pulse", 'presentation:placeholder="true"'), box("Hola."))) == ["Hola."]


def test_tables_and_charts_are_read_by_row():
    rows = table(row("Modelo", "Precio"), row("Xaloc", "899"))
    shown = chart("Ventas", row("", "2024"), row("Enero", "12"))
    body = slide(framed(rows), framed('<draw:object xlink:href="./Object 1"/>'))
    found = extract(make_odf("presentation", body, parts={"Object 1/content.xml": shown}))
    assert [block.text for block in found.blocks] == [
        "Modelo: Xaloc; Precio: 899",
        "Ventas",
        "Enero; 2024: 12",
    ]


def test_footers_are_read_once():
    footer = box("Velomar S.L.", 'presentation:class="footer"')
    declared = (
        '<presentation:footer-decl presentation:name="f">Velomar S.L.</presentation:footer-decl>'
    )
    assert texts(declared, slide(box("a"), footer), slide(box("b"), footer)) == [
        "Velomar S.L.",
        "a",
        "b",
    ]


def test_hidden_slides_are_left_out_and_named():
    hidden = 'draw:style-name="Hid"'
    body = slide(box("a")) + slide(box("b"), attributes=hidden) + slide(box("c"))
    found = extract(make_odf("presentation", body, styles=HIDDEN))
    assert [(block.text, block.location) for block in found.blocks] == [
        ("a", "slide 1"),
        ("c", "slide 3"),
    ]
    assert (found.warnings, found.pages) == ([Reason("hidden_slides_left_out", names="2")], 3)


def test_flat_file_is_read_alike():
    found = extract(make_flat("presentation", slide(title("Visita"))))
    assert [block.text for block in found.blocks] == ["Visita"]


def test_more_slides_than_anybody_shows_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(odp, "SLIDES_MAX", 2)
    with pytest.raises(UnreadableFile) as caught:
        texts(slide() * 3)
    assert caught.value.reason == TOO_LARGE
