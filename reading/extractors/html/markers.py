"""Tells a page from what stands in its place: the check of a bot protection, the empty shell of an
application that a browser has to run.
"""

from __future__ import annotations

import re

from lxml import etree

from reading.extractors.html.facts import texts_of, title_element

CHALLENGE = "challenge"
APP = "app"
# A page with more text is a page, whatever else is in it: a protection leaves its scripts in honest
# pages too, and one may write about it.
CHALLENGE_MAX_CHARS = 1000
CAPTCHA_MAX_CHARS = 400
APP_MAX_CHARS = 200
ROOT_MAX_CHARS = 60  # "Loading…"

# What the interstitials of Cloudflare, Akamai, DataDome, PerimeterX (HUMAN), Imperva, AWS WAF,
# Sucuri, DDoS-Guard and Kasada carry, and the pages that they let through do not.
CHALLENGE_MARKS = re.compile(
    r"_cf_chl_opt|cf[-_]chl[-_]|cf-challenge|cf-browser-verification|cf-captcha-container|challenge-error-text"
    r"|captcha-delivery\.com|px-captcha|errors\.edgesuite\.net|/_sec/cp_challenge|sec-if-cpt"
    r"|incapsula incident id|awswafcookiedomainlist|sucuri_cloudproxy_js"
    r"|check\.ddos-guard\.net|kpsdk|perfdrive\.com",
    re.IGNORECASE,
)
CHALLENGE_TITLES = re.compile(
    r"^(?:just a moment|(?:espere )?un momento|attention required! \| cloudflare|ddos-guard"
    r"|pardon our interruption|are you (?:a )?(?:human|robot)|checking your browser.*"
    r"|comprobando (?:su|tu) navegador.*|verif(?:y|ying) (?:that )?you are (?:a )?human"
    r"|human verification|robot check)\W*$",
    re.IGNORECASE,
)
IMPERVA_FRAME = re.compile(r"_incapsula_resource", re.IGNORECASE)
CAPTCHA = re.compile(r"g-recaptcha|h-captcha|cf-turnstile|hcaptcha\.com/captcha|geetest", re.I)
WRITTEN_INPUTS = frozenset({"text", "email", "tel", "search", "password", "url", "number", "date"})
ROOT_NAMES = re.compile(
    r"^(?:_{0,3}(?:root|app|next|nuxt|gatsby|svelte|layout)|(?:react|vue|ember|angular|main|my|q)-"
    r"?(?:root|app)|app-?(?:root|container|mount|main|wrapper)|application|main-?app)$",
    re.IGNORECASE,
)
APP_TAGS = ("app-root", "my-app", "ng-app")
ASKS_FOR_JAVASCRIPT = re.compile(r"java\s?script", re.IGNORECASE)


def read_markers(root: etree._Element, *, source: str, text_chars: int) -> list[str]:
    """`source`: the beginning of the page as it came; `text_chars` of its content."""
    if is_challenge(root, source, text_chars):
        return [CHALLENGE]
    return [APP] if is_app(root, text_chars) else []


def is_challenge(root: etree._Element, source: str, text_chars: int) -> bool:
    if text_chars > CHALLENGE_MAX_CHARS:
        return False
    return (
        CHALLENGE_MARKS.search(source) is not None
        or CHALLENGE_TITLES.search(title_element(root)) is not None
        or any(IMPERVA_FRAME.search(each.get("src", "")) for each in root.iter("iframe"))
        or is_captcha_alone(root, text_chars)
    )


def is_captcha_alone(root: etree._Element, text_chars: int) -> bool:
    """A form to be filled in has its captcha too."""
    controls = root.iter("input", "textarea", "select")
    if text_chars > CAPTCHA_MAX_CHARS or any(is_written_in(each) for each in controls):
        return False
    names = (
        f"{each.get('class', '')} {each.get('src', '')}" for each in root.iter("div", "iframe")
    )
    return any(CAPTCHA.search(name) for name in names)


def is_written_in(control: etree._Element) -> bool:
    return control.tag != "input" or control.get("type", "text").lower() in WRITTEN_INPUTS


def is_app(root: etree._Element, text_chars: int) -> bool:
    if text_chars > APP_MAX_CHARS or next(root.iter("script"), None) is None:
        return False
    return any(is_empty_root(each) for each in root.iter("div", "main", "section", *APP_TAGS)) or (
        any(ASKS_FOR_JAVASCRIPT.search(text) for text in texts_of(root, "noscript"))
    )


def is_empty_root(element: etree._Element) -> bool:
    is_root = element.tag in APP_TAGS or ROOT_NAMES.match(element.get("id", "").strip())
    return bool(is_root) and not has_text(element)


def has_text(element: etree._Element) -> bool:
    chars = 0
    for each in element.iter():
        chars += 0 if each.tag in ("script", "style") else len((each.text or "").strip())
        chars += len((each.tail or "").strip()) if each is not element else 0
        if chars > ROOT_MAX_CHARS:
            return True
    return False
