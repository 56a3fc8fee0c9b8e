"""Facts of a page for a crawler: title, links, directives, and whether it is a real page or stands
before one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from lxml import etree

from reading.extractors.html.refresh import refreshed_to
from reading.extractors.prose import clean

ADDRESS_MAX_CHARS = 2000
LINKS_MAX = 5000
TITLE_MAX_CHARS = 500
ELEMENTS_MAX = 10  # of those whose first ones say it
LANGUAGE_MAX_CHARS = 35  # RFC 5646, 4.4.1
# Addresses that no crawler can follow
OTHER_SCHEME = re.compile(r"^(?!https?:)[a-z][a-z0-9+.-]*:|^#", re.I)
LINE_ENDS = re.compile(r"[\t\r\n]+")  # browsers drop them from an address
CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
# Between a page's title and its site's: "Tours | Velomar"
SEPARATOR = re.compile(r"(?<!\s)\s++[|\-–—·•:»«/]{1,2}\s+")
# What a script or a click on a picture opens: `location.href = "/es/"`, `location.replace("/es/")`
LOCATION = re.compile(
    r"\blocation(?:\.href)?\s{0,5}=\s{0,5}[\"']([^\"'\s]{1,500})[\"']"
    r"|\blocation\.(?:replace|assign)\(\s{0,5}[\"']([^\"'\s]{1,500})[\"']"
)
SCRIPT_MAX_CHARS = 5000  # a longer one is a program, not a way in
ROBOTS = ("robots", "googlebot")


def read_title(root: etree._Element) -> str:
    """The title of the page alone: the site's name is removed if the page itself shows which part
    that is."""
    title = title_element(root)
    headings = texts_of(root, "h1")
    og_title = meta(root, "og:title")
    if not title:
        return (og_title or next(iter(headings), ""))[:TITLE_MAX_CHARS]
    site = meta(root, "og:site_name").casefold()
    known = {name.casefold() for name in (*headings, og_title)}
    for match in reversed(list(SEPARATOR.finditer(title))):
        before, after = title[: match.start()], title[match.end() :]
        if after.casefold() == site or before.casefold() in known:
            return before[:TITLE_MAX_CHARS]
        # A heading may be the site's name above every page: it does not tell a title's end.
        if before.casefold() == site or after.casefold() == og_title.casefold():
            return after[:TITLE_MAX_CHARS]
    return title[:TITLE_MAX_CHARS]


def title_element(root: etree._Element) -> str:
    """The page's, not that of a drawing in it."""
    titles = (clean(text_of(each)) for each in root.iter("title") if not is_drawn(each))
    return next((title for title in titles if title), "")


def is_drawn(title: etree._Element) -> bool:
    parent = title.getparent()
    return parent is not None and parent.tag not in ("head", "body", "html")


def texts_of(root: etree._Element, tag: str) -> list[str]:
    """The texts of the first elements of that name that have any."""
    texts = (clean(text_of(each)) for each in root.iter(tag))
    return list(islice((text for text in texts if text), ELEMENTS_MAX))


def text_of(element: etree._Element) -> str:
    separator = " " if next(element.iter("br"), None) is not None else ""
    return separator.join(element.itertext())


def meta(root: etree._Element, name: str) -> str:
    return next(metas(root, name), "")


def metas(root: etree._Element, name: str) -> Iterator[str]:
    for element in root.iter("meta"):
        keys = (element.get(key, "").strip().lower() for key in ("property", "name", "http-equiv"))
        content = clean(element.get("content", ""))
        if content and name in keys:
            yield content


def read_robots(root: etree._Element) -> list[str]:
    """Directives in lower case, each once; "none" as what it means."""
    given = (
        part for name in ROBOTS for content in metas(root, name) for part in content.split(",")
    )
    directives: dict[str, None] = {}
    for directive in given:
        name = directive.strip().lower()
        directives |= dict.fromkeys(("noindex", "nofollow") if name == "none" else (name,))
    return [directive for directive in directives if directive]


def read_canonical(root: etree._Element) -> list[str]:
    links = (each for each in root.iter("link") if "canonical" in relations(each))
    return addresses(links)[:1]


def read_base(root: etree._Element) -> list[str]:
    return addresses(root.iter("base"))[:1]


def read_refresh(root: etree._Element) -> list[str]:
    """Return the raw address to which a browser that runs scripts is sent on at once; one or
    none."""
    written = (each.get("content", "") for each in refreshes(root) if is_for_all(each))
    return list(islice(filter(None, map(refreshed_to, written)), 1))


def refreshes(root: etree._Element) -> Iterator[etree._Element]:
    metas = root.iter("meta")
    return (each for each in metas if each.get("http-equiv", "").strip().lower() == "refresh")


def is_for_all(element: etree._Element) -> bool:
    """False for what only browsers without scripts see: the page itself is there for the others."""
    return next(element.iterancestors("noscript"), None) is None


def read_links(root: etree._Element, *, is_thin: bool = False) -> list[str]:
    """Return raw addresses in document order, each once; first where the page sends its reader on,
    then frames, then links, and of a page that `is_thin`, with hardly a text, what its scripts and
    clicks open."""
    written = (each.get("content", "") for each in refreshes(root))
    refreshed = (refreshed_to(each, within_seconds=None) for each in written)
    followed = (each for each in root.iter("a", "area") if "nofollow" not in relations(each))
    frames = addresses(root.iter("frame", "iframe"), "src")
    opened = locations(root) if is_thin else ()
    links = dict.fromkeys([*filter(None, refreshed), *frames, *addresses(followed), *opened])
    return [link for link in links if not OTHER_SCHEME.match(link)][:LINKS_MAX]


def locations(root: etree._Element) -> Iterator[str]:
    """Yields the raw addresses that short scripts and clicks open: the "enter" of a splash page."""
    for element in root.iter():
        script = element.text if element.tag == "script" else element.get("onclick")
        if script and len(script) <= SCRIPT_MAX_CHARS:
            yield from (match[1] or match[2] for match in LOCATION.finditer(script))


def relations(element: etree._Element) -> list[str]:
    names: list[str] = element.get("rel", "").lower().split()
    return names


def addresses(elements: Iterator[etree._Element], attribute: str = "href") -> list[str]:
    given = (LINE_ENDS.sub("", each.get(attribute, "")).strip() for each in elements)
    return [
        address
        for address in given
        if address and len(address) <= ADDRESS_MAX_CHARS and not CONTROLS.search(address)
    ]


def read_language(root: etree._Element) -> list[str]:
    language = clean(root.get("lang") or root.get("xml:lang") or meta(root, "content-language"))
    return [language] if 0 < len(language) <= LANGUAGE_MAX_CHARS else []
