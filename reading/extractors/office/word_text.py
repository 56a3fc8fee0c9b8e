"""The text of a Word paragraph: runs, fields, forms, symbols and formulas (ECMA-376 part 1, 17.3,
17.16 and 22.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from types import MappingProxyType

from lxml import etree

from reading.extractors.office.package import attribute, child, local_name

# Subtrees that are no text of the document, and what stands in them is read elsewhere or not at
# all.
SKIPPED = frozenset(
    {"Fallback", "txbxContent", "moveFrom", "del", "rPr", "pPr", "instrText", "delText", "tbl"}
)
CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "ptab": "\t"}
OFF = ("0", "false", "off", "none")
CHECKED, UNCHECKED = "☒", "☐"
STRIKES = ("strike", "dstrike")
WRITTEN_IN_RUNS = frozenset({"t", "sym", "tab", "br", "cr", "noBreakHyphen", "ptab"})
PAGE_NUMBER = "\ue000"  # stands for one until its line has been judged
PAGE_FIELDS = ("PAGE", "NUMPAGES", "SECTIONPAGES")
# w:sym writes characters of fonts without a standard code at U+F000 and above
SYMBOL_FONT_FIRST = 0xF000
GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"  # where Symbol has A to Z
SMALL_GREEK = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
SYMBOLS: Mapping[str, Mapping[int, str]] = MappingProxyType(
    {
        "Symbol": {
            **dict(enumerate(GREEK, start=ord("A"))),
            **dict(enumerate(SMALL_GREEK, start=ord("a"))),
            0xA3: "≤",
            0xB0: "°",
            0xB1: "±",
            0xB3: "≥",
            0xB4: "×",
            0xB8: "÷",
            0xB9: "≠",
            0xBB: "≈",
            0xAC: "←",
            0xAE: "→",
            0xA5: "∞",
            0xB7: "·",
            0xE5: "∑",
            0xD6: "√",
        },
        "Wingdings": {0xFC: "✓", 0xFE: "☑", 0xFB: "✗", 0xFD: CHECKED, 0xA8: UNCHECKED, 0x6F: "☐"},
        "Wingdings 2": {0x50: "✓", 0x4F: "✗", 0x52: "☑", 0x54: CHECKED, 0xA3: UNCHECKED},
    }
)


def paragraph_text(element: etree._Element) -> str:
    """All text below the element but that of SKIPPED subtrees."""
    parts: list[str] = []
    for node in element:
        name = local_name(node)
        if name == "t":
            parts.append(node.text or "")
        elif name in CHARACTERS:
            parts.append(CHARACTERS[name])
        elif name in WRITTEN:
            parts.append(WRITTEN[name](node))
        elif name not in SKIPPED and not (name == "r" and is_hidden(node)):
            parts.append(paragraph_text(node))
    return "".join(parts)


def is_hidden(run: etree._Element) -> bool:
    return is_on(child(run, "rPr", "vanish"))


def drop_struck(root: etree._Element, struck: Set[str]) -> None:
    """Drops text that is struck out; `struck`: the ids of the styles that do it."""
    for run in root.iter("{*}r"):
        if is_struck(run, struck):
            for node in [each for each in run if local_name(each) in WRITTEN_IN_RUNS]:
                run.remove(node)


def is_struck(run: etree._Element, struck: Set[str]) -> bool:
    properties = child(run, "rPr")
    if properties is not None:
        toggles = [node for node in properties if local_name(node) in STRIKES]
        if toggles:
            return any(map(is_on, toggles))
    if not struck:
        return False
    paragraph = next(run.iterancestors("{*}p"), None)
    named = (
        child(run, "rPr", "rStyle"),
        child(paragraph, "pPr", "pStyle") if paragraph is not None else None,
    )
    return any(attribute(name, "val") in struck for name in named if name is not None)


def is_on(toggle: etree._Element | None) -> bool:
    return toggle is not None and attribute(toggle, "val", "1").lower() not in OFF


def whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


# --- What is not stored as text -------------------------------------------------------------------


def symbol(node: etree._Element) -> str:
    """w:sym; "" for a character that its font alone can draw."""
    try:
        code = int(attribute(node, "char"), 16)
    except ValueError:
        return ""
    if code < SYMBOL_FONT_FIRST:
        return chr(code)
    return SYMBOLS.get(attribute(node, "font"), {}).get(code - SYMBOL_FONT_FIRST, "")


def form_field(node: etree._Element) -> str:
    """w:ffData of a form that is older than content controls: a box to tick, a list to choose from.
    What is typed into a field stands beside it.
    """
    box, choices = child(node, "checkBox"), child(node, "ddList")
    if box is not None:
        state = child(box, "checked")
        return CHECKED if is_on(child(box, "default") if state is None else state) else UNCHECKED
    if choices is None:
        return ""
    chosen = child(choices, "result")
    entries = [attribute(entry, "val") for entry in choices.iterchildren("{*}listEntry")]
    index = whole_number(attribute(chosen, "val")) if chosen is not None else 0
    return entries[index] if index < len(entries) else ""


def word_art(node: etree._Element) -> str:
    return attribute(node, "string")


def fraction(node: etree._Element) -> str:
    """ "(a+b)/2"; what VML calls f is none."""
    return "/".join(grouped(child(node, name)) for name in ("num", "den"))


def power(node: etree._Element) -> str:
    return f"{part_text(node, 'e')}^{grouped(child(node, 'sup'))}"


def index(node: etree._Element) -> str:
    return f"{part_text(node, 'e')}_{grouped(child(node, 'sub'))}"


def root(node: etree._Element) -> str:
    degree = part_text(node, "deg")
    return f"{degree}√({part_text(node, 'e')})"


def part_text(node: etree._Element, name: str) -> str:
    part = child(node, name)
    return paragraph_text(part) if part is not None else ""


def grouped(part: etree._Element | None) -> str:
    text = paragraph_text(part) if part is not None else ""
    return text if len(text) < 2 or text.isalnum() else f"({text})"


WRITTEN: Mapping[str, Callable[[etree._Element], str]] = MappingProxyType(
    {
        "sym": symbol,
        "ffData": form_field,
        "textpath": word_art,
        "f": fraction,
        "sSup": power,
        "sSub": index,
        "rad": root,
    }
)


# --- Page numbers ---------------------------------------------------------------------------------


def mark_page_numbers(root: etree._Element) -> None:
    """The results of the fields that count pages become PAGE_NUMBER."""
    for field in root.iter("{*}fldSimple"):
        if counts_pages(attribute(field, "instr")):
            for text in field.iter("{*}t"):
                text.text = PAGE_NUMBER
    for paragraph in root.iter("{*}p"):
        mark_complex_fields(paragraph)


def mark_complex_fields(paragraph: etree._Element) -> None:
    """A field runs from one w:fldChar over its instruction and another one to a third."""
    instruction: list[str] = []
    is_result = False
    for node in paragraph.iter("{*}fldChar", "{*}instrText", "{*}t"):
        match local_name(node), attribute(node, "fldCharType"):
            case "fldChar", "begin":
                instruction, is_result = [], False
            case "fldChar", "separate":
                is_result = counts_pages("".join(instruction))
            case "fldChar", "end":
                is_result = False
            case "instrText", _:
                instruction.append(node.text or "")
            case "t", _ if is_result:
                node.text = PAGE_NUMBER


def counts_pages(instruction: str) -> bool:
    words = instruction.split()
    return bool(words) and words[0].upper() in PAGE_FIELDS
