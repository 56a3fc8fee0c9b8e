"""Addresses of pages: when two are the same, and what is cut off them."""

import re
from functools import lru_cache
from urllib.parse import urljoin

from urllib3.util import Url

from config.errors import InvalidValue
from config.http import URL_MAX_CHARS, AddressRefused, parse_fetchable
from config.http.addresses import DEFAULT_PORTS

# Parameters that tell who sent the visitor, or who he is, and change nothing of the page.
TRACKING = re.compile(
    r"utm_\w*|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|ttclid|li_fat_id|srsltid"
    r"|mc_[ce]id|mkt_tok|igshid|_ga|_gl|_hs\w+|hsctatracking|vero_id|oly_\w+|(?:piwik|pk|mtm)_\w+"
    r"|phpsessid|jsessionid|aspsessionid\w*|session_?id|oscsid|zenid|cftoken",
    re.IGNORECASE,
)
# "sid" may as well be the number of a story.
SESSION_TOKEN = re.compile(r"sid=[0-9a-z_-]{16,}", re.IGNORECASE)
PATH_SESSION = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
FILE_NAME = re.compile(r"(?<![^/])[^/]*\.(?:html?|xhtml|php|aspx?|jsp)$", re.IGNORECASE)
# What stands for a page in no website, by the end of its path.
NO_PAGE = re.compile(
    r"\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|rtf|epub|csv|tsv|txt|md|json|xml|rss|atom|ics|vcf"
    r"|jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|psd|ai|eps"
    r"|mp[34]|m4[av]|og[gva]|wav|flac|webm|avi|mov|wmv|mkv"
    r"|zip|gz|tgz|bz2|xz|7z|rar|tar|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|bin"
    r"|css|m?js|map|woff2?|ttf|otf|eot|wasm)$",
    re.IGNORECASE,
)


def normalize_url(url: str) -> str:
    """The common form of a website's addresses: letter case, a trailing slash, the default port and
    the fragment do not count (interface: Sources, rule 2). Not for fetching.

    Raises InvalidValue when it is not an http(s) address.
    """
    try:
        parsed = parse(url)
    except AddressRefused as error:
        raise InvalidValue(error.reason) from error
    address = origin_of(url) + (parsed.path or "").rstrip("/")
    return (f"{address}?{parsed.query}" if parsed.query else address).lower()


def clean_url(written: str, base: str) -> str | None:
    """The absolute address of a link as it is fetched and shown, without fragment, tracking
    parameters and session ids; None if it does not lead to a website."""
    try:
        joined = urljoin(base, re.sub(r"[\t\r\n]", "", written.strip()))
        parsed = parse(joined)
    except (ValueError, AddressRefused):
        return None
    path = PATH_SESSION.sub("", parsed.path or "/")
    query = "&".join(part for part in (parsed.query or "").split("&") if part and is_content(part))
    url = f"{origin_of(joined)}{path}?{query}" if query else origin_of(joined) + path
    return url if len(url) <= URL_MAX_CHARS else None


def is_content(parameter: str) -> bool:
    name = parameter.partition("=")[0]
    return not TRACKING.fullmatch(name) and not SESSION_TOKEN.fullmatch(parameter)


@lru_cache(maxsize=4096)  # most links of a page are those of the page before
def parse(url: str) -> Url:
    """Raises AddressRefused."""
    return parse_fetchable(url)


def origin_of(url: str) -> str:
    """The origin, without a port that is the scheme's own: "https://www.example.com". This and the
    next functions are for addresses that parse_fetchable lets through."""
    parsed = parse(url)
    is_usual = parsed.port in (None, DEFAULT_PORTS[parsed.scheme or ""])
    return f"{parsed.scheme}://{parsed.host}" + ("" if is_usual else f":{parsed.port}")


def path_of(url: str) -> str:
    return parse(url).path or "/"


def may_be_page(url: str) -> bool:
    """False if the name is that of a picture, a document or a style sheet."""
    return not NO_PAGE.search(path_of(url))
