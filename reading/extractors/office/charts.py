"""Charts and diagrams of DOCX, PPTX and XLSX: each category with each series' value, from what the
file keeps of its last drawing (ECMA-376 part 1, 21.2; [MS-ODRAWXML] 2.24.3 for the kinds of
2016: waterfalls, funnels, maps).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from reading.extractors.office.drawings import paragraphs_of
from reading.extractors.office.format_codes import GENERAL, NumberFormat, read_format
from reading.extractors.office.number_formats import shown_number
from reading.extractors.office.package import (
    OfficePackage,
    attribute,
    child,
    local_name,
    relation_id,
)
from reading.extractors.prose import clean, has_content, row_text

# Of relationships
CHART_KINDS = ("chart", "chartEx")
DIAGRAM_KIND = "diagramData"
LEVELS_MAX = 50  # of categories within each other; a chart that people read has three
Points = dict[int, str]  # by their number in the series


@dataclass(frozen=True)
class Graphic:
    """A chart or a diagram. `texts`: of a chart, what stands at its axes and in its labels, then a
    text for each category. `is_whole`: false when values are not stored, or a part is damaged.
    """

    title: str
    texts: tuple[str, ...]
    is_whole: bool


@dataclass(frozen=True)
class Series:
    name: str
    categories: Points
    values: Points
    sizes: Points
    axis_title: str  # of its categories


def read_graphics(
    package: OfficePackage, related: Mapping[str, tuple[str, str]], element: etree._Element
) -> Iterator[Graphic]:
    """The charts and diagrams that stand below `element`; `related` of the part that it is from."""
    for node in element.iter("{*}chart", "{*}relIds"):
        kind, part = related.get(relation_id(node) or attribute(node, "dm"), ("", ""))
        if kind in CHART_KINDS:
            yield read_chart(package, part)
        elif kind == DIAGRAM_KIND:
            data = package.read(part)
            texts = paragraphs_of(data.root) if data.root is not None else ()
            yield Graphic("", tuple(texts), data.is_whole)
        else:
            yield Graphic("", (), is_whole=False)


def read_chart(package: OfficePackage, part: str) -> Graphic:
    data = package.read(part)
    if data.root is None:
        return Graphic("", (), is_whole=False)
    is_new = child(data.root, "chartData") is not None
    series = list(read_new_series(data.root) if is_new else read_series(data.root))
    texts = [*labels_of(data.root, series), *rows_of(series)]
    for shapes in package.related_kinds(part).get("chartUserShapes", ()):
        texts += paragraphs_of(package.parse(shapes))
    return Graphic(
        title_of(child(data.root, "chart")),
        tuple(text for text in texts if has_content(text)),
        data.is_whole and (not series or any(each.values for each in series)),
    )


def rows_of(series: list[Series]) -> Iterator[str]:
    """ "Year: 2024; Spain: 12; France: 9": what all series say of one category."""
    rows: dict[tuple[int, str], tuple[list[str], list[str]]] = {}
    for each in series:
        for index, value in each.values.items():
            category = each.categories.get(index, "")
            names, values = rows.setdefault((index, category), ([each.axis_title], [category]))
            names += [each.name, ""]
            values += [value, each.sizes.get(index, "")]
    for names, values in rows.values():
        yield row_text(names, values)


def labels_of(root: etree._Element, series: list[Series]) -> Iterator[str]:
    """Titles of axes that name no category, and labels that somebody wrote."""
    used = {each.axis_title for each in series if each.categories and each.values}
    for axis in root.iter("{*}valAx", "{*}catAx", "{*}dateAx", "{*}serAx", "{*}axis"):
        if (title := title_of(axis)) not in used:
            used.add(title)
            yield title
    for label in root.iter("{*}dLbl"):
        yield " ".join(paragraphs_of(label))


def title_of(element: etree._Element | None) -> str:
    title = child(element, "title") if element is not None else None
    if title is None:
        return ""
    written = " ".join(paragraphs_of(title))
    stored = (node.text or "" for node in title.iter("{*}v"))
    return clean(written or " ".join(stored))


# --- Charts since 2007 ----------------------------------------------------------------------------


def read_series(root: etree._Element) -> Iterator[Series]:
    plots = child(root, "chart", "plotArea")
    if plots is None:
        return
    titles = {
        attribute(axis_id, "val"): title_of(axis)
        for axis in plots
        if (axis_id := child(axis, "axId")) is not None
    }
    for plot in plots:
        axes = [attribute(node, "val") for node in plot if local_name(node) == "axId"]
        axis_title = titles.get(axes[0], "") if axes else ""
        for node in plot:
            if local_name(node) == "ser":
                yield Series(
                    name=" ".join(points_of(child(node, "tx")).values()),
                    categories=points_of(first_child(node, "cat", "xVal")),
                    values=points_of(first_child(node, "val", "yVal")),
                    sizes=points_of(child(node, "bubbleSize")),
                    axis_title=axis_title,
                )


def first_child(element: etree._Element, *names: str) -> etree._Element | None:
    return next((node for name in names if (node := child(element, name)) is not None), None)


def points_of(element: etree._Element | None) -> Points:
    """The points of a reference's store, or written out. Categories of several levels stand one
    behind the other: "2024 March"."""
    if element is None:
        return {}
    levels = list(element.iter("{*}lvl"))
    if not levels:
        direct = child(element, "v")
        return stored_points(element) if direct is None else {0: clean(direct.text or "")}
    inner, *outer = map(stored_points, levels[:LEVELS_MAX])
    points = dict(inner)
    for level in outer:
        group = ""
        for index in sorted(points):
            group = level.get(index, group)
            points[index] = f"{group} {points[index]}".strip()
    return points


def stored_points(element: etree._Element) -> Points:
    form = next(element.iter("{*}formatCode"), None)
    shown = read_format(form.text or "") if form is not None else GENERAL
    is_number = next(element.iter("{*}numCache", "{*}numLit", "{*}numDim"), None) is not None
    points: Points = {}
    for point in element.iter("{*}pt"):
        value = child(point, "v")
        text = (value.text if value is not None else point.text) or ""
        code = attribute(point, "formatCode")
        index = attribute(point, "idx", str(len(points)))
        if index.isascii() and index.isdigit() and len(index) < 10:
            points[int(index)] = (
                number_of(text, read_format(code) if code else shown) if is_number else clean(text)
            )
    return points


def number_of(text: str, form: NumberFormat) -> str:
    try:
        return shown_number(float(text), form)
    except ValueError:
        return clean(text)


# --- Charts since 2016 ----------------------------------------------------------------------------


def read_new_series(root: etree._Element) -> Iterator[Series]:
    data = {attribute(each, "id"): each for each in root.iter("{*}data")}
    for series in root.iter("{*}series"):
        source = child(series, "dataId")
        dimensions = data.get(attribute(source, "val")) if source is not None else None
        if dimensions is not None:
            name = child(series, "tx", "txData", "v")
            yield Series(
                name=clean(name.text or "") if name is not None else "",
                categories=points_of(child(dimensions, "strDim")),
                values=points_of(child(dimensions, "numDim")),
                sizes={},
                axis_title="",
            )
