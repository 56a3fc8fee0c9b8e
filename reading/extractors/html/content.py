"""Tells what a page says from its furniture: navigation, headers, footers, banners, lists of links.

In doubt, it is content: what repeats on the pages of a site is folded later, what is left out here
is never found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reading.extractors.html.boxes import Box
from reading.extractors.html.tables import is_data_table

LeavesOut = Callable[[Box], bool]

MAIN_TRUSTED_CHARS = 500  # from here on <main> is believed, whatever stands around it
MAIN_MIN_SHARE = 0.25  # of the page's content, below that: it may have been left empty
ARTICLE_MIN_SHARE = 0.5  # a single <article> may also be a teaser
PROSE_MIN_CHARS = 1000  # a page with that much is an article, and its container is looked for
PROSE_MIN_SHARE = 0.8
LEAST_CHARS = 20  # fewer, and what seemed furniture is the content
LINK_LIST_MIN = 3
LINK_LIST_SHARE = 0.6  # of the characters
NAVIGATION_SHARE = 0.5  # enough when it is called navigation
TRAIL_MAX_CHARS = 240  # "Home > Blog > Winter"
BANNER_MAX_CHARS = 400  # a longer text about cookies is a policy

FURNITURE_ROLES = frozenset({"navigation", "search", "menu", "menubar", "toolbar", "tablist"})
DIALOG_ROLES = frozenset({"dialog", "alertdialog"})
# Never furniture by their names: a script may mark the whole page ("cookie-bar-shown").
UNNAMED = frozenset({"body", "main", "article", "tbody", "tr", "table"})


def words(*names: str) -> re.Pattern[str]:
    """Each name a whole word of a class: "menu" in "main-menu", not in "menuboard"."""
    return re.compile(rf"(?:^|[\s_-])(?:{'|'.join(names)})(?=$|[\s_-])")


NAVIGATION = words(
    "nav(?:bar|igation|igacion)?", "(?:sub|mega)?menu", "pagination|paginacion|pager", "toc",
    "sidebar", "shar(?:e|ing)", "social", "related", "tags",
)  # fmt: skip
TRAIL = words("breadcrumbs?", "migas")
CONSENT = re.compile(
    r"cookies?[_-]?(?:banner|bar|consent|notice|message|popup|modal|overlay|dialog|law|alert|aviso)"
    r"|(?:cookie|gdpr)[_-]?consent|consent[_-]?(?:banner|manager|popup|modal)|onetrust|cybot"
    r"|\bcmplz|didomi|usercentrics|\biubenda-cs|\bqc-cmp|\bcky-|moove_gdpr|\bcc-window"
)
COOKIES = words("cookies?", "gdpr", "rgpd")
# As the whole name: "card-footer" is part of a card.
HEADER = re.compile(r"(?:^|\s)(?:(?:site|page|main|global|top)[_-]?)?(?:header|masthead)(?=$|\s)")
FOOTER = re.compile(
    r"(?:^|\s)(?:(?:site|page|main|global)[_-]?)?(?:footer|colophon|copyright)"
    r"(?:[_-](?:wrapper|container|area))?(?=$|\s)"
)


@dataclass(frozen=True)
class Content:
    """`chars` of the content proper: 0 when all that could be shown is furniture."""

    boxes: Sequence[Box]
    leaves_out: LeavesOut
    chars: int


def choose_content(page: Box) -> Content:
    boxes = main_boxes(page) or [densest_box(page)]
    chars = kept_chars(boxes, is_furniture)
    if chars >= LEAST_CHARS:
        return Content([*title_boxes(page, boxes), *boxes], is_furniture, chars)
    if kept_chars([page], is_link_list) >= LEAST_CHARS:
        return Content([page], is_link_list, chars)
    return Content([page], lambda _: False, chars)


def main_boxes(page: Box) -> list[Box]:
    """The boxes that the page itself calls its content; none if they hold too little to be true."""
    mains = list(outermost(page, lambda box: box.tag == "main" or box.role == "main"))
    if mains and holds_enough(mains, page, share=MAIN_MIN_SHARE, enough=MAIN_TRUSTED_CHARS):
        return mains
    articles = list(outermost(page, lambda box: box.tag == "article"))
    if len(articles) == 1 and holds_enough(articles, page, share=ARTICLE_MIN_SHARE):
        return articles
    return []


def holds_enough(
    boxes: Sequence[Box], page: Box, *, share: float, enough: float = math.inf
) -> bool:
    chars = kept_chars(boxes, is_furniture)
    return chars >= enough or chars >= share * kept_chars([page], is_furniture)


def densest_box(page: Box) -> Box:
    """The smallest box that holds an article's paragraphs: only stray lines are left around it."""
    box = page
    while True:
        inner = max(box.boxes, key=lambda each: each.prose_chars, default=None)
        if inner is None or is_furniture(inner) or is_text(inner):
            return box
        if inner.prose_chars < max(PROSE_MIN_CHARS, PROSE_MIN_SHARE * box.prose_chars):
            return box
        others = (other for other in box.boxes if other is not inner)
        if any(not is_furniture(other) and is_structured(other) for other in others):
            return box
        box = inner


def is_text(box: Box) -> bool:
    return box.own_chars > 0 or box.tag in ("p", "li", "ul", "ol", "table", "pre", "blockquote")


def is_structured(box: Box) -> bool:
    return box.has_structure or box.heading_depth > 0 or box.prose_chars > 0


def title_boxes(page: Box, boxes: Sequence[Box]) -> list[Box]:
    """The page's title where it stands above its content, with the header that is made for it."""
    if any(box.has_h1 for box in boxes):
        return []
    titles = outermost(page, lambda box: box.heading_depth == 1 or (is_header(box) and box.has_h1))
    return [title for title in titles if title not in boxes][:1]


def outermost(page: Box, is_wanted: Callable[[Box], bool]) -> Iterator[Box]:
    """Yields the outermost wanted boxes in document order, without the page's furniture."""
    pending = [page]
    while pending:
        box = pending.pop()
        if is_wanted(box):
            yield box
        elif not is_furniture(box):
            pending += reversed(list(box.boxes))


def kept_chars(boxes: Sequence[Box], leaves_out: LeavesOut) -> int:
    chars = 0
    pending = list(boxes)
    while pending:
        box = pending.pop()
        if box.tag == "table" and is_data_table(box):
            chars += box.chars
        else:
            chars += box.own_chars
            pending += (inner for inner in box.boxes if not leaves_out(inner))
    return chars


def is_furniture(box: Box) -> bool:
    return (
        is_navigation(box)
        or is_page_edge(box)
        or is_banner(box)
        or (not box.is_inside and is_link_list(box))
    )


def is_navigation(box: Box) -> bool:
    if box.tag in ("nav", "search") or box.role in FURNITURE_ROLES:
        return True
    if box.has_h1 or box.tag in UNNAMED:
        return False
    signs = signs_of(box.names)
    return (signs.is_navigation and is_mostly_links(box, NAVIGATION_SHARE)) or (
        signs.is_trail and box.chars <= TRAIL_MAX_CHARS
    )


def is_page_edge(box: Box) -> bool:
    """Header, footer and margin of the page. Those of an article are parts of it, but for its
    footer (author, tags).
    """
    if box.tag == "footer" or box.role == "contentinfo":
        return True
    if box.tag == "aside" or box.role == "complementary":
        return not box.is_inside or is_mostly_links(box, NAVIGATION_SHARE)
    if box.is_inside or box.has_h1 or box.tag in UNNAMED:
        return False
    return is_header(box) or signs_of(box.names).is_footer


def is_header(box: Box) -> bool:
    return not box.is_inside and (
        box.tag == "header" or box.role == "banner" or signs_of(box.names).is_header
    )


def is_banner(box: Box) -> bool:
    """Dialogs and questions about cookies."""
    if box.has_h1 or box.tag in UNNAMED:
        return False
    signs = signs_of(box.names)
    is_policy = box.is_inside and box.chars > BANNER_MAX_CHARS
    return (
        box.tag == "dialog"
        or box.role in DIALOG_ROLES
        or (signs.is_consent and not is_policy)
        or (signs.is_about_cookies and box.chars <= BANNER_MAX_CHARS and not box.has_structure)
    )


def is_link_list(box: Box) -> bool:
    if box.links < LINK_LIST_MIN or box.tag in ("body", "main", "article", "dl"):
        return False
    return is_mostly_links(box, LINK_LIST_SHARE) and not (box.tag == "table" and is_data_table(box))


def is_mostly_links(box: Box, share: float) -> bool:
    return box.links > 0 and box.link_chars >= share * box.chars


@dataclass(frozen=True)
class Signs:
    """The meaning of a box's id and classes."""

    is_navigation: bool
    is_trail: bool
    is_consent: bool
    is_about_cookies: bool
    is_header: bool
    is_footer: bool


@lru_cache(maxsize=4096)
def signs_of(names: str) -> Signs:
    return Signs(
        is_navigation=NAVIGATION.search(names) is not None,
        is_trail=TRAIL.search(names) is not None,
        is_consent=CONSENT.search(names) is not None,
        is_about_cookies=COOKIES.search(names) is not None,
        is_header=HEADER.search(names) is not None,
        is_footer=FOOTER.search(names) is not None,
    )
