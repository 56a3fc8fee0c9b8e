"""Small OpenDocument files, written part by part so that a test shows the XML that it is about."""

import io
import zipfile
from collections.abc import Mapping

NAMES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "presentation": "urn:oasis:names:tc:opendocument:xmlns:presentation:1.0",
    "chart": "urn:oasis:names:tc:opendocument:xmlns:chart:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "fo": "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0",
    "manifest": "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xlink": "http://www.w3.org/1999/xlink",
}
DECLARED = " ".join(f'xmlns:{prefix}="{name}"' for prefix, name in NAMES.items())
TYPE = "application/vnd.oasis.opendocument."


def make_odf(
    kind: str,
    body: str,
    *,
    styles: str = "",
    common: str = "",
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """`kind`: text, spreadsheet, presentation. `styles`: of the content; `common`: what is in
    styles.xml; `parts`: other members.
    """
    members = {
        "content.xml": root("document-content", automatic(styles) + content(kind, body)),
        "styles.xml": root("document-styles", common),
        **(parts or {}),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", TYPE + kind, zipfile.ZIP_STORED)
        for name, part in members.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def make_flat(kind: str, body: str, *, styles: str = "") -> bytes:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document {DECLARED} '
        f'office:mimetype="{TYPE}{kind}">{automatic(styles)}{content(kind, body)}</office:document>'
    ).encode()


def automatic(styles: str) -> str:
    return f"<office:automatic-styles>{styles}</office:automatic-styles>"


def content(kind: str, body: str) -> str:
    return f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"


def root(name: str, inside: str) -> str:
    return f"<office:{name} {DECLARED}>{inside}</office:{name}>"


def p(text: str, style: str = "Standard") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def h(text: str, depth: int = 1) -> str:
    return f'<text:h text:outline-level="{depth}">{text}</text:h>'


def row(*cells: str) -> str:
    """Of a table; a cell that is not XML yet is a text."""
    inside = (each if each.startswith("<") else cell(each) for each in cells)
    return f"<table:table-row>{''.join(inside)}</table:table-row>"


def cell(text: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}>{p(text) if text else ''}</table:table-cell>"


def table(*rows: str, attributes: str = 'table:name="Datos"') -> str:
    return f"<table:table {attributes}>{''.join(rows)}</table:table>"


def chart(title: str, *rows: str) -> str:
    """The content.xml of an embedded chart."""
    return root(
        "document-content",
        content(
            "chart",
            f"<chart:chart><chart:title>{p(title)}</chart:title>{table(*rows)}</chart:chart>",
        ),
    )


def framed(inside: str, attributes: str = "") -> str:
    return f"<draw:frame {attributes}>{inside}</draw:frame>"
