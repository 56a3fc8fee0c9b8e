"""Tells how much text is lost with a hidden part of a page that no click opens.

Most of what websites hide is none of their text: menus, cookie dialogs, sign-in forms, messages for
later, templates, icons, copies for small screens. To tell it as left out would put a warning on
every second website, and nobody would read the true ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from lxml import etree

CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
NAMES_MAX_CHARS = 500
# What is made for the website and never for what it says, in English and Spanish
NEVER_TEXT = re.compile(
    r"(?:^|[\s_-])(?:drawer|off-?canvas|slide-?out|side-?(?:bar|panel|nav|menu)|hamburger|burger"
    r"|nav|search|buscador|busqueda|log-?in|sign-?(?:in|up)|subscribe|boletin|carrito|cesta"
    r"|(?:mini-?|side-?|shopping-?)?(?:cart|basket)(?:[_-]?(?:drawer|panel|sidebar|modal))?"
    r"|wishlist|(?:social|share|sharing)[_-]?(?:box|bar|buttons?|icons?|links?|media|modal|panel)"
    r"|compartir|chat[_-]?(?:widget|box|window|bubble|popup)|tracking|analytics|pixel|gtm|honeypot"
    r"|cloned?|duplicate|(?:country|region|language|lang|locale|currency|idiomas?)[_-]?(?:select\w*"
    r"|switch\w*|picker|list|menu)|privacy[_-]?(?:settings?|center|banner|modal|preferences?))"
    r"(?=$|[\s_-])|cookie|consent|gdpr|rgpd|newsletter|whatsapp|\bwa__|cmplz|onetrust|cybot|didomi"
    r"|usercentrics|preload|recaptcha",
    re.I,
)
MENU = re.compile(r"(?:^|[\s_-])(?:sub|mega)?menu(?=$|[\s_-])", re.I)
FOOD_LINKS_SHARE = 0.2  # of its characters at most: a restaurant's menu has prices and few links
# Shown for a moment or above the page: short where it is a message, long where it says something.
MESSAGE = re.compile(
    r"(?:^|[\s_-])(?:alert|aviso|notice|notification|toast|snackbar|banner|bar|message|mensaje|msg"
    r"|warning|errors?|success|done|fail(?:ed|ure)?|thanks?(?:-?you)?|gracias|confirm(?:ation)?"
    r"|feedback|(?:in)?valid(?:ation)?|loading|loader|cargando|spinner|modal|pop-?up|overlay"
    r"|ventana|lightbox|pswp|lb|gate|no-?js|outdated|browser|template|plantilla|print(?:-only)?"
    r"|sticky|floating|tooltip|hint|caption|status|widget)(?=$|[\s_-])|fancybox|popup|lightbox"
    r"|tooltip",
    re.I,
)
MESSAGE_MAX_CHARS = 300
PLACEHOLDER = re.compile(r"\{\{|\}\}|<%|%>|\$\{|\[\[")  # of a program that fills in the text
SEEN_MIN_CHARS = 40  # of a part that is seen and not read aloud: a shorter one is an icon
BLOCKS = frozenset({
    "article", "aside", "blockquote", "dd", "details", "div", "dl", "figure", "li", "main", "ol",
    "p", "pre", "section", "table", "tbody", "td", "tr", "ul",
})  # fmt: skip
INNER_MAX = 3  # elements that hold one another alone, whose names are looked at


@dataclass
class HiddenPart:
    """`texts`: of the part itself, without links, buttons, fields and hidden parts in it; counts
    are of all that it holds. `within`: the hidden one around it. `is_seen`: it is only not read
    aloud."""

    element: etree._Element
    within: etree._Element | None
    is_furniture: bool
    is_called_menu: bool
    is_in_form: bool
    is_seen: bool
    is_outside: bool  # of the <main> of the page
    texts: list[str] = field(default_factory=list)
    has_fields: bool = False
    chars: int = 0
    link_chars: int = 0

    @property
    def is_of_food(self) -> bool:
        """True for the menu of a restaurant: numbers in it, and hardly a link."""
        has_numbers = any(char.isdigit() for text in self.texts for char in text)
        return has_numbers and self.link_chars <= FOOD_LINKS_SHARE * self.chars


def count_lost_chars(
    parts: Sequence[HiddenPart], *, seen: Set[str]
) -> Mapping[etree._Element, int]:
    """The characters lost with each part and all in it.

    Args:
        parts: those that stay hidden, in the order of the page, the outer before the inner.
        seen: the texts of the page, by `as_seen`: what stands there too is not lost.
    """
    lost: dict[etree._Element, int] = {}
    inner: dict[etree._Element, int] = {}
    for part in reversed(parts):
        own = sum(len(text) for text in part.texts if is_text(text) and as_seen(text) not in seen)
        chars = own + inner.get(part.element, 0)
        chars = 0 if is_no_loss(part, chars) else chars
        lost[part.element] = chars
        if part.within is not None:
            inner[part.within] = inner.get(part.within, 0) + chars
    return lost


def is_no_loss(part: HiddenPart, chars: int) -> bool:
    if part.is_furniture or part.is_outside:
        return True
    if part.is_seen and (part.element.tag not in BLOCKS or chars < SEEN_MIN_CHARS):
        return True
    names = names_around(part.element)
    if NEVER_TEXT.search(names) or (MENU.search(names) and not part.is_of_food):
        return True
    is_message = part.has_fields or part.is_in_form or MESSAGE.search(names) is not None
    return is_message and chars < MESSAGE_MAX_CHARS


def is_text(text: str) -> bool:
    return PLACEHOLDER.search(text) is None


def as_seen(text: str) -> str:
    """The text in a form in which two that look alike are equal."""
    return " ".join(text.casefold().split())


def names_around(element: etree._Element) -> str:
    """The ids and classes of the element and of what it holds alone, "mainMenu" as "main-Menu"."""
    names = []
    for _ in range(INNER_MAX):
        names.append(f"{element.get('id', '')} {element.get('class', '')}"[:NAMES_MAX_CHARS])
        if len(element) != 1:
            break
        element = element[0]
    return CAMEL_CASE.sub("-", " ".join(names))
