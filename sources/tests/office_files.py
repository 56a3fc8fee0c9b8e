"""Small office files, written part by part so that a test shows the XML that it is about."""

import io
import zipfile
from collections.abc import Mapping

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def make_docx(body: str, **parts: str) -> bytes:
    """`parts`: styles, numbering, footnotes: the XML inside the part's root element."""
    members = {"word/document.xml": word_root("document", f"<w:body>{body}</w:body>")}
    for name, content in parts.items():
        members[f"word/{name}.xml"] = word_root(name, content)
    relations = [(name, f"{name}.xml") for name in parts]
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
