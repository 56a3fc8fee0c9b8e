"""Parts of Open XML packages that no library writes: charts, strict namespaces, odd names."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRICT = {
    b"http://schemas.openxmlformats.org/wordprocessingml/2006/main": b"http://purl.oclc.org/ooxml/wordprocessingml/main",
    b"http://schemas.openxmlformats.org/spreadsheetml/2006/main": b"http://purl.oclc.org/ooxml/spreadsheetml/main",
    b"http://schemas.openxmlformats.org/presentationml/2006/main": b"http://purl.oclc.org/ooxml/presentationml/main",
    b"http://schemas.openxmlformats.org/drawingml/2006/main": b"http://purl.oclc.org/ooxml/drawingml/main",
    b"http://schemas.openxmlformats.org/officeDocument/2006/relationships": b"http://purl.oclc.org/ooxml/officeDocument/relationships",
}
Members = dict[str, bytes]


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


def unpack(package: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(members: Mapping[str, bytes], *, stored: tuple[str, ...] = ()) -> bytes:
    """`stored`: members that are not compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            kind = zipfile.ZIP_STORED if name in stored else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, kind)
    return buffer.getvalue()


def changed(package: bytes, **parts: bytes | None) -> bytes:
    """`parts`: by the end of their name before the ending ("styles"); None takes one away."""
    members = unpack(package)
    for ending, content in parts.items():
        (name,) = (name for name in members if name.endswith(f"/{ending}.xml"))
        if content is None:
            del members[name]
        else:
            members[name] = content
    return pack(members)


def with_part(
    package: bytes, owner: str, name: str, content: bytes, *, kind: str, content_type: str
) -> bytes:
    """Adds a part that `owner` ("word/document.xml") refers to as rIdMade."""
    members = unpack(package)
    folder, _, file = owner.rpartition("/")
    relations = f"{folder}/_rels/{file}.rels"
    entry = f'<Relationship Id="rIdMade" Type="{RELATIONS}/{kind}" Target="/{name}"/>'
    members[relations] = members[relations].replace(
        b"</Relationships>", entry.encode() + b"</Relationships>"
    )
    override = f'<Override PartName="/{name}" ContentType="{content_type}"/></Types>'
    types = "[Content_Types].xml"
    members[types] = members[types].replace(b"</Types>", override.encode())
    members[name] = content
    return pack(members)


def strict(package: bytes) -> bytes:
    members = unpack(package)
    for name, content in members.items():
        for transitional, iso in STRICT.items():
            content = content.replace(transitional, iso)
        members[name] = content
    return pack(members)


CHART_TITLE, CHART_AXES = "Overnight stays", ("Season", "Guests")
CHART_CATEGORIES, CHART_SERIES = ("Spring", "Summer"), {"Lisbon": (417, 862), "Porto": (239, 744)}
CHART_SAYS = "Overnight stays Season Guests Spring Summer Lisbon 417 862 Porto 239 744"
CHART_ROWS = ("Spring Lisbon 417 Porto 239", "Summer Lisbon 862 Porto 744")


def chart_xml() -> bytes:
    """A bar chart with a title, names of axes, categories and two series, its values cached."""

    def rich(text: str) -> str:
        return f"<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>"

    def points(values: tuple[object, ...]) -> str:
        return f'<c:ptCount val="{len(values)}"/>' + "".join(
            f'<c:pt idx="{number}"><c:v>{value}</c:v></c:pt>' for number, value in enumerate(values)
        )

    series = "".join(
        f'<c:ser><c:idx val="{number}"/><c:order val="{number}"/>'
        f"<c:tx><c:strRef><c:f>S!A1</c:f><c:strCache>{points((name,))}</c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:f>S!A2</c:f><c:strCache>{points(CHART_CATEGORIES)}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:f>S!B2</c:f><c:numCache><c:formatCode>General</c:formatCode>{points(values)}</c:numCache>"
        "</c:numRef></c:val></c:ser>"
        for number, (name, values) in enumerate(CHART_SERIES.items())
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><c:chartSpace'
        ' xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
        ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>'
        f'{rich(CHART_TITLE)}<c:plotArea><c:layout/><c:barChart><c:barDir val="col"/>{series}<c:axId val="1"/>'
        f'<c:axId val="2"/></c:barChart><c:catAx><c:axId val="1"/>{rich(CHART_AXES[0])}<c:crossAx val="2"/></c:catAx>'
        f'<c:valAx><c:axId val="2"/>{rich(CHART_AXES[1])}<c:crossAx val="1"/></c:valAx></c:plotArea></c:chart></c:chartSpace>'
    ).encode()
