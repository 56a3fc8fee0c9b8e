"""Presentations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.oxml import parse_xml
from pptx.presentation import Presentation as Deck
from pptx.util import Cm

from reading.tests.files.corpus.made import MadeFile
from reading.tests.files.corpus.packages import (
    CHART_AXES,
    CHART_CATEGORIES,
    CHART_ROWS,
    CHART_SAYS,
    CHART_SERIES,
    CHART_TITLE,
    changed,
    pack,
    saved,
    strict,
    unpack,
    with_part,
)

TITLE_AND_CONTENT, TITLE_ONLY, BLANK = 1, 5, 6
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
Write = Callable[[Deck], object]


def make(write: Write) -> bytes:
    deck = Presentation()
    write(deck)
    return saved(deck.save)


def titled(deck: Deck, title: str = "Season report"):  # python-pptx has no types
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_ONLY])
    slide.shapes.title.text = title
    return slide


def box(slide, text: str, *, left: int = 1, top: int = 5) -> None:
    slide.shapes.add_textbox(Cm(left), Cm(top), Cm(8), Cm(2)).text_frame.text = text


def chart(deck: Deck) -> None:
    data = CategoryChartData()
    data.categories = CHART_CATEGORIES
    for name, values in CHART_SERIES.items():
        data.add_series(name, values)
    frame = titled(deck).shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Cm(1), Cm(5), Cm(18), Cm(10), data
    )
    frame.chart.has_title = True
    frame.chart.chart_title.text_frame.text = CHART_TITLE
    axes = (frame.chart.category_axis, frame.chart.value_axis)
    for axis, title in zip(axes, CHART_AXES, strict=True):
        axis.has_title = True
        axis.axis_title.text_frame.text = title


def chart_with_stored_workbook() -> bytes:
    """As PowerPoint writes it: a ZIP is not compressed again."""
    members = unpack(make(chart))
    (workbook,) = (name for name in members if name.endswith(".xlsx"))
    inner = unpack(members[workbook])
    members[workbook] = pack(inner, stored=tuple(inner))
    return pack({workbook: members.pop(workbook), **members}, stored=(workbook,))


def bullets(deck: Deck) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE_AND_CONTENT])
    slide.shapes.title.text = "Bookings"
    slide.placeholders[1].text = "Groups book by phone\nFamilies book online"


def notes(deck: Deck) -> None:
    titled(deck).notes_slide.notes_text_frame.text = "Mention the ferry strike of March"


def groups(deck: Deck) -> None:
    group = titled(deck).shapes.add_group_shape()
    inner = group.shapes.add_group_shape()
    for shapes, text in ((group.shapes, "Outer ring road"), (inner.shapes, "Inner canal path")):
        shapes.add_textbox(Cm(1), Cm(5), Cm(5), Cm(2)).text_frame.text = text


def table(deck: Deck) -> None:
    grid = titled(deck).shapes.add_table(3, 3, Cm(1), Cm(5), Cm(20), Cm(3)).table
    rows = (("Route", "Length", "Climb"), ("Coast", "41 km", "180 m"), ("Ridge", "27 km", "940 m"))
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            grid.cell(row, column).text = text


def hidden_slide(deck: Deck) -> None:
    box(titled(deck), "Shown to everybody")
    slide = titled(deck, "Secret margins")
    slide._element.set("show", "0")


def footer(deck: Deck) -> None:
    slide = titled(deck)
    slide.shapes._spTree.append(
        parse_xml(
            '<p:sp xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="'
            f'{DRAWING}"><p:nvSpPr><p:cNvPr id="90" name="Footer"/><p:cNvSpPr/><p:nvPr><p:ph type="ftr" idx="11"/></p:nvPr>'
            "</p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>Prices valid until October</a:t></a:r></a:p></p:txBody></p:sp>"
        )
    )


def columns(deck: Deck) -> None:
    """Drawn in another order than they are read."""
    slide = titled(deck)
    for left, top, text in (
        (13, 9, "delta ends"),
        (1, 5, "alpha begins"),
        (13, 5, "gamma third"),
        (1, 9, "beta second"),
    ):
        box(slide, text, left=left, top=top)


def plans(deck: Deck) -> None:
    """Two columns under headings of their own."""
    slide = titled(deck)
    for left, top, text in (
        (13, 7, "Thirty-eight euros\nTwo helmets"),
        (1, 7, "Twelve euros\nOne helmet"),
        (13, 5, "Plan Heron"),
        (1, 5, "Plan Kestrel"),
    ):
        box(slide, text, left=left, top=top)


def alternative_text(deck: Deck) -> None:
    slide = titled(deck)
    slide.shapes.add_shape(1, Cm(1), Cm(5), Cm(3), Cm(3))
    slide.shapes[-1]._element.nvSpPr.cNvPr.set(
        "descr", "Map of the cycle lanes between both stations"
    )


def line_breaks(deck: Deck) -> None:
    frame = titled(deck).shapes.add_textbox(Cm(1), Cm(5), Cm(8), Cm(2)).text_frame
    for number, text in enumerate(("Ferry", "Train", "Tram")):
        if number:
            frame.paragraphs[0].add_line_break()
        frame.paragraphs[0].add_run().text = text


def field(deck: Deck) -> None:
    frame = titled(deck).shapes.add_textbox(Cm(1), Cm(5), Cm(8), Cm(2)).text_frame
    frame.paragraphs[0]._p.append(
        etree.fromstring(
            f'<a:fld xmlns:a="{DRAWING}" id="{{1}}" type="datetime1"><a:t>Printed in Vigo</a:t></a:fld>'
        )
    )


def comment() -> bytes:
    xml = (
        '<p:cmLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"><p:cm authorId="0" idx="1"><p:pos x="1"'
        ' y="1"/><p:text>Legal wants a disclaimer here</p:text></p:cm></p:cmLst>'
    )
    return with_part(
        make(bullets),
        "ppt/slides/slide1.xml",
        "ppt/comments/comment1.xml",
        xml.encode(),
        kind="comments",
        content_type="application/vnd.openxmlformats-officedocument.presentationml.comments+xml",
    )


def damaged_slide() -> bytes:
    def write(deck: Deck) -> None:
        box(titled(deck, "Readable opening"), "It stands on the first slide")
        box(titled(deck, "Damaged middle"), "Nobody can read this one")
        box(titled(deck, "Readable ending"), "It stands on the last slide")

    return changed(make(write), slide2=b"<p:sld><broken")


def damaged_chart() -> bytes:
    members = unpack(make(chart))
    (name,) = (name for name in members if "/charts/chart" in name and name.endswith(".xml"))
    return pack({**members, name: b"<c:chartSpace><broken"})


FILES = (
    MadeFile(
        "chart.pptx",
        "a chart: title, axes, categories, values; its workbook stored uncompressed",
        chart_with_stored_workbook,
        f"Season report {CHART_SAYS}",
        rows=CHART_ROWS,
        is_of_issue=True,
    ),
    MadeFile(
        "strict.pptx",
        "strict Open XML (ISO 29500-1)",
        lambda: strict(make(bullets)),
        "Bookings Groups book by phone Families book online",
        headings=("Bookings",),
        is_of_issue=True,
    ),
    MadeFile(
        "bullets.pptx",
        "a title and its list",
        partial(make, bullets),
        "Bookings Groups book by phone Families book online",
        headings=("Bookings",),
    ),
    MadeFile(
        "notes.pptx",
        "a speaker's notes",
        partial(make, notes),
        "Season report Mention the ferry strike of March",
    ),
    MadeFile(
        "groups.pptx",
        "groups within groups",
        partial(make, groups),
        "Season report Outer ring road Inner canal path",
    ),
    MadeFile(
        "table.pptx",
        "a table",
        partial(make, table),
        "Season report Route Length Climb Coast 41 km 180 m Ridge 27 km 940 m",
        rows=("Route Coast Length 41 km Climb 180 m", "Route Ridge Length 27 km Climb 940 m"),
    ),
    MadeFile(
        "hidden-slide.pptx",
        "a hidden slide: left out, and said",
        partial(make, hidden_slide),
        "Season report Shown to everybody",
        hides="Secret margins",
    ),
    MadeFile(
        "footer.pptx",
        "a footer that says something",
        partial(make, footer),
        "Season report Prices valid until October",
    ),
    MadeFile(
        "columns.pptx",
        "boxes drawn in another order than they are read",
        partial(make, columns),
        "Season report alpha begins gamma third beta second delta ends",
    ),
    MadeFile(
        "plans.pptx",
        "two plans as columns under their headings",
        partial(make, plans),
        "Season report Plan Kestrel Twelve euros One helmet Plan Heron Thirty-eight euros Two helmets",
        headings=("Plan Kestrel", "Plan Heron"),
        rows=("Plan Kestrel Twelve euros One helmet", "Plan Heron Thirty-eight euros Two helmets"),
        is_of_issue=True,
    ),
    MadeFile(
        "alternative-text.pptx",
        "a picture's description",
        partial(make, alternative_text),
        "Season report Map of the cycle lanes between both stations",
    ),
    MadeFile(
        "line-breaks.pptx",
        "breaks between words that are elements",
        partial(make, line_breaks),
        "Season report Ferry Train Tram",
    ),
    MadeFile("field.pptx", "a field's text", partial(make, field), "Season report Printed in Vigo"),
    MadeFile(
        "comment.pptx",
        "a comment",
        comment,
        "Bookings Groups book by phone Families book online Legal wants a disclaimer here",
    ),
    MadeFile(
        "damaged-slide.pptx",
        "one slide of three is damaged: it costs itself, and that is said",
        damaged_slide,
        "Readable opening It stands on the first slide Readable ending It stands on the last slide",
    ),
    MadeFile(
        "damaged-chart.pptx",
        "a damaged chart costs itself, and that is said",
        damaged_chart,
        f"Season report {CHART_SAYS}",
        is_told=True,
    ),
)
