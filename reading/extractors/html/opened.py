"""Finds what a click shows on a page: accordions, tabs, "read more". It is hidden in the markup,
and text to everybody who reads the page.

A hidden part counts as opened when a control that can be seen names it (`aria-controls`,
`data-target`, a link to its id), when it is the panel of a tab, or when a heading or a button
stands directly before it. Menus, banners, messages of programs and traps for robots stay hidden.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field

from lxml import etree

from reading.extractors.html.losses import MENU, HiddenPart, as_seen, count_lost_chars
from reading.extractors.prose import clean, has_content

HIDING_STYLE = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.I)
NEVER_HIDDEN = frozenset({"html", "body", "main"})  # scripts show them once the page has loaded
UNREAD = frozenset({"head", "script", "style", "template", "noscript", "svg"})
TITLES = frozenset({"h2", "h3", "h4", "h5", "h6", "summary", "dt"})
FIELDS = frozenset({"input", "select", "textarea"})
# What belongs to the page and not to its text, with all that is in it
FURNITURE = frozenset({"nav", "header", "footer", "dialog", "search", "menu"})
FURNITURE_ROLES = frozenset({
    "navigation", "search", "menu", "menubar", "toolbar", "dialog", "alertdialog", "banner",
    "contentinfo", "listbox", "tooltip", "alert", "status",
})  # fmt: skip
FURNITURE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:cookies?|gdpr|rgpd|consent|nav(?:bar|igation)?|offcanvas"
    r"|dropdown|search|honeypot)(?=$|[\s_-])|onetrust|cybot|didomi|usercentrics",
    re.I,
)
MESSAGE_NAMES = re.compile(
    r"(?:^|[\s_-])(?:errors?|success|alert|warning|message|loading|loader|spinner|toast|tooltip"
    r"|popup|modal|template)(?=$|[\s_-])",
    re.I,
)
CONTROL_NAMES = re.compile(
    r"(?:^|[\s_-])(?:accordion|acordeon|expand(?:er)?|collapsible|toggle|trigger|spoiler|question"
    r"|pregunta)(?=$|[\s_-])",
    re.I,
)
POP_UPS = frozenset({"modal", "dropdown", "offcanvas", "popover", "tooltip"})
# Says that there is more, and not what
NO_LABEL = re.compile(
    r"(?:(?:read|show|see|view|learn|load)\s+(?:more|all|less|details)|more(?:\s+info\w*)?|details"
    r"|expand|open|(?:leer|ver|mostrar|saber|cargar)\s+(?:m[áa]s|todo|detalles)|m[áa]s"
    r"|m[áa]s\s+info\w*|detalles|abrir|desplegar)\W*",
    re.I,
)
LABEL_MAX_CHARS = 200
LINKS_SHARE = 0.5  # of its characters: from there on it is a menu
WITHIN_MAX = 4  # elements around a control, or around a panel
MAINS = ("main", "div", "section", "article")  # what may be the main part, by name or by role
NO_TEXT = frozenset({"a", "button", "select", "textarea", "label"})  # of what is lost
ROUNDS_MAX = 10  # panels within each other


@dataclass(frozen=True)
class Opened:
    """`shown`: hidden elements that a click shows. `labels`: the text of the control that opens a
    panel, where no heading says it. `controls`: whose text stands as a label. `left_out_chars`:
    how much text is lost, by hidden element (losses.py)."""

    shown: Set[etree._Element]
    labels: Mapping[etree._Element, str]
    controls: Set[etree._Element]
    left_out_chars: Mapping[etree._Element, int]


@dataclass
class Hidden(HiddenPart):
    """A hidden element, which may turn out to be opened."""

    def is_menu(self) -> bool:
        is_links = self.link_chars > LINKS_SHARE * self.chars
        return self.is_furniture or is_links or (self.is_called_menu and not self.is_of_food)


@dataclass
class Scan:
    """What was found on a page, in its order. `around`: by control, the hidden element around."""

    hidden: dict[etree._Element, Hidden] = field(default_factory=dict)
    around: dict[etree._Element, etree._Element | None] = field(default_factory=dict)
    openers: dict[str, list[etree._Element]] = field(default_factory=dict)
    by_id: dict[str, etree._Element] = field(default_factory=dict)
    panels: list[etree._Element] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


def find_opened(root: etree._Element, *, tells_outside_main: bool) -> Opened:
    """`tells_outside_main`: what is hidden outside of the page's <main> is told too. Of a crawled
    page nothing is read there anyway."""
    scan = scan_page(root, has_main=not tells_outside_main and has_main(root))
    opened_by = find_shown(scan)
    labels, controls = find_labels(scan, opened_by)
    seen = scan.seen.union(*(map(as_seen, scan.hidden[each].texts) for each in opened_by))
    hidden = [each for each in scan.hidden.values() if each.element not in opened_by]
    for each in hidden:
        each.is_furniture = each.is_menu()
    return Opened(opened_by.keys(), labels, controls, count_lost_chars(hidden, seen=seen))


def has_main(root: etree._Element) -> bool:
    return any(is_main(each) and len(each) for each in root.iter(*MAINS))


def is_main(element: etree._Element) -> bool:
    return bool(element.tag == "main" or element.get("role") == "main")


def is_hidden(element: etree._Element, *, by_aria: bool = True) -> bool:
    """`by_aria`: also what is seen but not read aloud, as icons are."""
    attributes = element.attrib
    return (
        len(attributes) > 0
        and element.tag not in NEVER_HIDDEN
        and (
            attributes.get("hidden", "until-found").lower() != "until-found"
            or (by_aria and attributes.get("aria-hidden", "").lower() == "true")
            or HIDING_STYLE.search(attributes.get("style", "")) is not None
        )
    )


# --- One walk over the page -----------------------------------------------------------------------


def scan_page(root: etree._Element, *, has_main: bool) -> Scan:
    scan = Scan()
    scanner = Scanner(scan.seen, has_main=has_main)
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if element.tag in UNREAD:
            if event == "start":
                walk.skip_subtree()
            else:
                scanner.add_text(element.tail)
        elif event == "start":
            scanner.enter(element, scan)
            note_control(element, scanner.within, scan)
        else:
            scanner.leave(element)
    return scan


class Scanner:
    """The hidden elements around the place that is read, and what else stands around it."""

    def __init__(self, seen: set[str], *, has_main: bool) -> None:
        self._around: list[Hidden] = []
        self._open: Counter[str] = Counter()
        self._seen = seen
        self._has_main = has_main

    @property
    def within(self) -> etree._Element | None:
        return self._around[-1].element if self._around else None

    def enter(self, element: etree._Element, scan: Scan) -> None:
        self._open["furniture"] += is_furniture(element)
        self._open["menu"] += is_called_menu(element)
        self._open["form"] += element.tag == "form"
        self._open["a"] += element.tag == "a"
        self._open["main"] += is_main(element)
        self._open["no text"] += element.tag in NO_TEXT
        if is_hidden(element):
            found = Hidden(
                element,
                self.within,
                is_furniture=self._open["furniture"] > 0,
                is_called_menu=self._open["menu"] > 0,
                is_in_form=self._open["form"] > 0,
                is_seen=not is_hidden(element, by_aria=False),
                is_outside=self._has_main and not self._open["main"],
            )
            scan.hidden[element] = found
            self._around.append(found)
        if self._around and element.tag in FIELDS:
            self._around[-1].has_fields = True
        self.add_text(element.text)

    def leave(self, element: etree._Element) -> None:
        self._open["furniture"] -= is_furniture(element)
        self._open["menu"] -= is_called_menu(element)
        self._open["form"] -= element.tag == "form"
        self._open["a"] -= element.tag == "a"
        self._open["main"] -= is_main(element)
        self._open["no text"] -= element.tag in NO_TEXT
        if self._around and self._around[-1].element is element:
            inner = self._around.pop()
            if self._around:
                outer = self._around[-1]
                outer.chars += inner.chars
                outer.link_chars += inner.link_chars
                outer.has_fields |= inner.has_fields
        self.add_text(element.tail)

    def add_text(self, text: str | None) -> None:
        if not text or not (text := text.strip()):
            return
        if not self._around:
            self._seen.add(as_seen(text))
            return
        hidden = self._around[-1]
        hidden.chars += len(text)
        hidden.link_chars += len(text) if self._open["a"] else 0
        if not self._open["no text"]:
            hidden.texts.append(text)


def is_furniture(element: etree._Element) -> bool:
    return (
        element.tag in FURNITURE
        or element.get("role", "").lower() in FURNITURE_ROLES
        or (element.tag != "body" and FURNITURE_NAMES.search(names_in(element)) is not None)
    )


def is_called_menu(element: etree._Element) -> bool:
    return element.tag != "body" and MENU.search(names_in(element)) is not None


def names_in(element: etree._Element) -> str:
    return f"{element.get('id', '')} {element.get('class', '')}".strip()[:500]


def note_control(element: etree._Element, within: etree._Element | None, scan: Scan) -> None:
    if name := element.get("id"):
        scan.by_id.setdefault(name, element)
    if element.get("role") == "tabpanel":
        scan.panels.append(element)
    for target in targets_of(element):
        scan.openers.setdefault(target, []).append(element)
        scan.around[element] = within
    if is_control(element):
        scan.around[element] = within


def targets_of(element: etree._Element) -> Iterator[str]:
    """Yields the ids that a control names; nothing of what opens a menu or a dialog."""
    if len(element.attrib) == 0 or element.tag in FIELDS:
        return
    if is_pop_up(element):
        return
    yield from element.get("aria-controls", "").split()[:WITHIN_MAX]
    written = [element.get("data-bs-target", ""), element.get("data-target", "")]
    if element.tag == "a":
        written.append(element.get("href", ""))
    for target in written:
        if target.startswith("#") and len(target) > 1:
            yield target[1:]


def is_pop_up(control: etree._Element) -> bool:
    """True if it opens a menu or a dialog."""
    kind = control.get("data-bs-toggle") or control.get("data-toggle", "")
    return control.get("aria-haspopup", "false").lower() != "false" or kind in POP_UPS


def is_control(element: etree._Element) -> bool:
    """True for what may open the text directly after it. The title of a page opens nothing."""
    if is_pop_up(element):
        return False
    if element.tag == "button":
        return element.get("type", "").lower() not in ("submit", "reset")
    return (
        element.tag in TITLES
        or element.get("role", "") in ("button", "tab", "heading")
        or CONTROL_NAMES.search(element.get("class", "")) is not None
    )


# --- What opens what ------------------------------------------------------------------------------


def find_shown(scan: Scan) -> dict[etree._Element, etree._Element | None]:
    """Hidden elements that are opened, each with its control; None where it has none to be found
    (the panel of a tab)."""
    shown: dict[etree._Element, etree._Element | None] = {}

    def is_seen(within: etree._Element | None) -> bool:
        return within is None or within in shown

    waiting = [each for each in scan.hidden.values() if not each.is_menu()]
    for _ in range(ROUNDS_MAX):
        left = []
        for each in waiting:
            controls = [c for c in controls_of(each, scan) if is_seen(scan.around.get(c))]
            is_panel = each.element.get("role") == "tabpanel"
            if is_seen(each.within) and (controls or is_panel):
                shown[each.element] = next(iter(controls), None)
            else:
                left.append(each)
        if len(left) == len(waiting):
            break
        waiting = left
    return shown


def controls_of(hidden: Hidden, scan: Scan) -> Iterator[etree._Element]:
    """Yields what may open it, seen or not, the surest first."""
    for name in ids_around(hidden.element):
        yield from scan.openers.get(name, ())
    tab = scan.by_id.get(hidden.element.get("aria-labelledby", ""))
    if tab is not None and tab.get("role") == "tab":
        yield tab
    is_trap = hidden.is_in_form or hidden.has_fields
    if not is_trap and not MESSAGE_NAMES.search(names_in(hidden.element)):
        before = control_before(hidden.element)
        if before is not None and before in scan.around:
            yield before


def ids_around(element: etree._Element) -> Iterator[str]:
    """Yields its id, and those of the elements that hold it alone or that it holds alone."""
    outer: etree._Element | None = element
    for _ in range(WITHIN_MAX):
        if outer is None:
            break
        yield outer.get("id", "")
        outer = outer.getparent() if is_alone(outer) else None
    inner = element
    for _ in range(WITHIN_MAX):
        if len(inner) != 1:
            break
        inner = inner[0]
        yield inner.get("id", "")


def is_alone(element: etree._Element) -> bool:
    parent = element.getparent()
    return parent is not None and len(parent) == 1 and parent.tag not in NEVER_HIDDEN


def control_before(element: etree._Element) -> etree._Element | None:
    """The heading or control directly before it, however wrapped."""
    before = element.getprevious()
    for _ in range(WITHIN_MAX):
        if before is None or (before.tail or "").strip():
            return None
        if is_control(before):
            return before
        before = before[0] if len(before) == 1 else None
    return None


# --- Labels ---------------------------------------------------------------------------------------


def find_labels(
    scan: Scan, opened_by: Mapping[etree._Element, etree._Element | None]
) -> tuple[dict[etree._Element, str], set[etree._Element]]:
    """(the label of each panel that needs one, the controls that it is taken from)."""
    openers = dict(opened_by)
    for panel in scan.panels:
        if openers.get(panel) is None:
            openers[panel] = next(tabs_of(panel, scan), None)
    labels, controls = dict[etree._Element, str](), set[etree._Element]()
    for panel, control in openers.items():
        if control is not None and (label := label_of(control)):
            labels[panel] = label
            controls.add(control)
    return labels, controls


def tabs_of(panel: etree._Element, scan: Scan) -> Iterator[etree._Element]:
    yield from scan.openers.get(panel.get("id", ""), ())
    tab = scan.by_id.get(panel.get("aria-labelledby", ""))
    if tab is not None and tab.get("role") == "tab":
        yield tab


def label_of(control: etree._Element) -> str:
    """The text of a button or tab; "" of a heading, which stands above its panel anyway, and of a
    link in a sentence."""
    parent = control.getparent()
    is_title = control.tag in TITLES or (parent is not None and parent.tag in TITLES)
    role = control.get("role", "")
    if role != "tab" and (is_title or role == "heading" or is_plain_link(control)):
        return ""
    text = clean(" ".join(control.itertext()))
    is_label = has_content(text) and len(text) <= LABEL_MAX_CHARS
    return text if is_label and not NO_LABEL.fullmatch(text) else ""


def is_plain_link(control: etree._Element) -> bool:
    return control.tag == "a" and control.get("role", "") not in ("tab", "button")
