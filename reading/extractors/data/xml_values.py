"""Elements of XML as the nested names and values that values.py writes."""

from __future__ import annotations

from lxml import etree

from reading.errors import UnreadableFile
from reading.extractors.data.values import Value
from reading.extractors.data.xml_document import PARAGRAPHS
from reading.extractors.data.xml_tree import XmlTree, name_of_tag
from reading.extractors.interface import TOO_LARGE

ATTRIBUTES_MAX = 2_000  # of an element: lxml takes quadratic time to give all of them
# xsi:schemaLocation, xml:space: they speak to programs
TECHNICAL = (
    "{http://www.w3.org/2001/XMLSchema-instance}",
    "{http://www.w3.org/XML/1998/namespace}",
)


def value_of(tree: XmlTree, element: etree._Element) -> Value:
    """Attributes first, then what stands in it: a text, or its elements, where several of one name
    are a list. Raises UnreadableFile.
    """
    if len(element.attrib) > ATTRIBUTES_MAX:
        raise UnreadableFile(TOO_LARGE)
    entries: dict[str, Value] = {
        str(key).rpartition("}")[2]: str(value)
        for key, value in element.attrib.items()
        if not str(key).startswith(TECHNICAL)
    }
    if is_text(tree, element):
        text = tree.text(element, separator=" ")
        return (("", text), *entries.items()) if entries else text
    children: dict[str, list[Value]] = {}
    for node in element:
        name = str(node.tag).rpartition("}")[2]
        children.setdefault(name, []).append(value_of(tree, node))
    below = ((name, each[0] if len(each) == 1 else each) for name, each in children.items())
    return (*entries.items(), *below)


def is_text(tree: XmlTree, element: etree._Element) -> bool:
    """A leaf, or prose with its marks."""
    return (
        not len(element)
        or tree.has_text(element)
        or any(name_of_tag(node) in PARAGRAPHS for node in element)
    )
