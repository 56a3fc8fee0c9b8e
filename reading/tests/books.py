"""Small electronic books, written part by part."""

import io
import zipfile
from collections.abc import Mapping

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/>'
    "</rootfiles></container>"
)
XHTML = "application/xhtml+xml"
DOCTYPE = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/xhtml11.dtd">'


def chapter(body: str, head: str = "<title>x</title>") -> str:
    return (
        f'<?xml version="1.0"?>{DOCTYPE}<html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head>{head}</head><body>{body}</body></html>"
    )


def make_epub(
    chapters: Mapping[str, str | None],
    *,
    metadata: str = "",
    items: str = "",
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """`chapters`: file → content, None for one that is named and not there; `items`: other entries
    of the manifest; `parts`: other members.
    """
    manifest = "".join(
        f'<item id="{name}" href="{name}" media-type="{XHTML}"/>' for name in chapters
    )
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{metadata}</metadata><manifest>{manifest}{items}</manifest>"
        f'<spine toc="ncx">{spine}</spine></package>'
    )
    members = {f"OEBPS/{name}": text for name, text in chapters.items() if text is not None}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr("META-INF/container.xml", CONTAINER)
        for name, text in {"OEBPS/book.opf": package, **members, **(parts or {})}.items():
            archive.writestr(name, text)
    return buffer.getvalue()
