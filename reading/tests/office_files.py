"""Small office files, written part by part so that a test shows the XML that it is about."""

import io
import zipfile
from collections.abc import Mapping

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def make_docx(body: str, **parts: str) -> bytes:
    """`parts`: styles, numbering, footnotes, header1: the XML inside the part's root element, or
    all of a part that is no WordprocessingML (chart1, diagramData1). Their relationships are rId1,
    rId2, … in that order, and their kinds are the names without numbers.
    """
    members = {"word/document.xml": word_root("document", f"<w:body>{body}</w:body>")}
    for name, content in parts.items():
        kind = name.rstrip("0123456789")
        is_whole = kind in ("chart", "diagramData")
        members[f"word/{name}.xml"] = content if is_whole else word_root(kind, content)
    relations = [(name.rstrip("0123456789"), f"{name}.xml") for name in parts]
    members["word/_rels/document.xml.rels"] = relationships(relations)
    return make_package("word/document.xml", members)


def make_package(main: str, members: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", relationships([("officeDocument", main)]))
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def relationships(targets: list[tuple[str, str]]) -> str:
    entries = "".join(
        f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    return f'<Relationships xmlns="{PACKAGE}">{entries}</Relationships>'


def replace_member(data: bytes, name: str, content: str | bytes | None) -> bytes:
    """The package with another content of one part, or without it (None)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(buffer, "w") as changed:
        for member in archive.namelist():
            if member != name:
                changed.writestr(member, archive.read(member))
        if content is not None:
            changed.writestr(name, content)
    return buffer.getvalue()


def read_member(data: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(name).decode()


def strict(data: bytes) -> bytes:
    """The package in the namespaces and relationship types of strict Open XML (ISO/IEC 29500)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(buffer, "w") as changed:
        for member in archive.namelist():
            content = archive.read(member)
            for transitional, replacement in STRICT_NAMES:
                content = content.replace(transitional, replacement)
            changed.writestr(member, content)
    return buffer.getvalue()


STRICT_NAMES = (
    (
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        b"http://purl.oclc.org/ooxml/officeDocument/relationships",
    ),
    *(
        (
            f"http://schemas.openxmlformats.org/{kind}/2006/main".encode(),
            f"http://purl.oclc.org/ooxml/{kind}/main".encode(),
        )
        for kind in ("wordprocessingml", "spreadsheetml", "presentationml", "drawingml")
    ),
)


def chart(*, title: str = "Ventas", with_values: bool = True) -> str:
    """A bar chart of two series, with the values that a program keeps beside the references."""
    values = {"2023": ("12", "7"), "2024": ("15", "9")}
    series = "".join(
        f"<c:ser><c:tx><c:strRef><c:f>S!A1</c:f><c:strCache>{points([name])}</c:strCache>"
        "</c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points(['España', 'Francia'])}</c:strCache></c:strRef>"
        "</c:cat><c:val><c:numRef><c:f>S!B1</c:f><c:numCache><c:formatCode>0%</c:formatCode>"
        f"{points(cells) if with_values else ''}</c:numCache></c:numRef></c:val></c:ser>"
        for name, cells in values.items()
    )
    return (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
        f' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>'
        f"{chart_title(title)}<c:plotArea><c:barChart>{series}"
        '<c:axId val="1"/><c:axId val="2"/></c:barChart>'
        f'<c:catAx><c:axId val="1"/>{chart_title("País")}</c:catAx>'
        f'<c:valAx><c:axId val="2"/>{chart_title("Cuota")}</c:valAx>'
        "</c:plotArea></c:chart></c:chartSpace>"
    )


CHART_TEXTS = [
    "Ventas",
    "Cuota",
    "País: España; 2023: 1200%; 2024: 1500%",
    "País: Francia; 2023: 700%; 2024: 900%",
]


def points(texts: list[str] | tuple[str, ...]) -> str:
    return "".join(
        f'<c:pt idx="{index}"><c:v>{text}</c:v></c:pt>' for index, text in enumerate(texts)
    )


def chart_title(text: str) -> str:
    return (
        f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    )


def drawing(reference: str, *, description: str = "") -> str:
    """A paragraph with a drawing; `reference`: the XML that leads to a chart or a diagram."""
    return (
        f'<w:p><w:r><w:drawing><wp:inline xmlns:wp="w"><wp:docPr id="1" descr="{description}"/>'
        f'<a:graphic xmlns:a="a"><a:graphicData>{reference}</a:graphicData></a:graphic>'
        "</wp:inline></w:drawing></w:r></w:p>"
    )


def chart_reference(relation: str) -> str:
    return f'<c:chart xmlns:c="c" xmlns:r="{OFFICE}" r:id="{relation}"/>'


def diagram_reference(relation: str) -> str:
    return f'<dgm:relIds xmlns:dgm="d" xmlns:r="{OFFICE}" r:dm="{relation}"/>'


DIAGRAM = (
    '<dgm:dataModel xmlns:dgm="d" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
    "<a:p><a:r><a:t>Pedido</a:t></a:r></a:p><a:p><a:r><a:t>Entrega</a:t></a:r></a:p>"
    "</dgm:dataModel>"
)


def word_root(name: str, content: str) -> str:
    return (
        f'<w:{name} xmlns:w="{WORD}"'
        ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        f' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">'
        f"{content}</w:{name}>"
    )


def paragraph(text: str, *, properties: str = "", run: str = "") -> str:
    """`properties` and `run`: the XML inside w:pPr and w:rPr."""
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


def heading(text: str, depth: int = 1) -> str:
    return paragraph(text, properties=f'<w:pStyle w:val="Ttulo{depth}"/>')


def table(rows: list[list[str]]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(text)}</w:tc>" for text in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


# As Word writes them in Spanish: the id is translated, the name is not.
STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="Ttulo{depth}">'
    f'<w:name w:val="heading {depth}"/></w:style>'
    for depth in (1, 2, 3)
)
