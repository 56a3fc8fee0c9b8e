"""XML of any vocabulary: documents (DocBook, DITA, JATS, TEI, …) by their sections, data and feeds
by their records, workbooks and flat OpenDocument files as what they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from reading.extractors.data import spreadsheet_xml
from reading.extractors.data.values import ValueWriter
from reading.extractors.data.xml_document import DocumentWalker, is_document
from reading.extractors.data.xml_tree import XmlTree, name_of_tag
from reading.extractors.data.xml_values import value_of
from reading.extractors.html import document
from reading.extractors.interface import Extraction, Extractor
from reading.extractors.office.package import attribute
from reading.extractors.opendocument import odp, ods, odt
from reading.passages import Block
from reasons import Reason

OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
OPEN_DOCUMENTS: Mapping[str, Extractor] = MappingProxyType(
    {"text": odt.extract, "spreadsheet": ods.extract, "presentation": odp.extract}
)


def extract(data: bytes) -> Extraction:
    tree = XmlTree(data)
    if name_of_tag(tree.root) == "html":
        return document.extract(data)
    kind = attribute(tree.root, "mimetype").removeprefix(f"{OPEN_DOCUMENT}.")
    if kind in OPEN_DOCUMENTS:
        return OPEN_DOCUMENTS[kind](data)
    warnings: list[Reason] = []
    if tree.damaged_line:
        warnings.append(Reason("xml_damaged_from_line", line=tree.damaged_line))
    return Extraction(blocks=read_tree(tree, warnings), warnings=warnings)


def read_tree(tree: XmlTree, warnings: list[Reason]) -> Iterator[Block]:
    if spreadsheet_xml.is_workbook(tree.root):
        yield from spreadsheet_xml.read_workbook(tree, warnings)
    elif is_document(tree):
        yield from DocumentWalker(tree).walk(tree.root)
    else:
        yield from ValueWriter(warnings).write(value_of(tree, tree.root))
