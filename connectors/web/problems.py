"""Why a website cannot be read, in words for its owner."""

from config.http import FetchedPage, FetchError
from sources.errors import OriginUnavailable, SyncFailed

TEXT_MIN_CHARS = 200  # visible, of a start page: less is a title and a slogan
# Words of the pages that stand before a website to keep robots out.
CHALLENGE_WORDS = (
    b"captcha",
    b"cf-chl",
    b"challenge-platform",
    b"Just a moment...",
    b"_Incapsula_",
    b"datadome",
    b"px-captcha",
    b"Pardon Our Interruption",
)
# Servers that answer for websites, and refuse robots with 403 or 503.
GUARDS = ("cloudflare", "akamaighost", "sucuri", "ddos-guard", "datadome", "imperva")
GUARD_HEADERS = ("cf-mitigated", "x-datadome", "x-iinfo", "x-sucuri-block", "x-px-block")
TRANSIENT_STATUSES = frozenset({408, 425, 429, *range(500, 600)})

NO_ROBOTS = (
    "The website's robots.txt answers with an error (HTTP {status}). As long as it does, we may not"
    " read the website. Try again later."
)
ROBOTS = (
    "The website's robots.txt does not allow robots to read this address."
    " Allow KnowledgeAgents there, or choose another address."
)
BOT_PROTECTION = (
    "The website is behind a bot protection that lets only browsers in."
    " Let the robot KnowledgeAgents pass there, or export the pages and upload them as files."
)
APP = (
    "The website is a single-page app: its text is made by scripts in the browser, and the page"
    " itself holds hardly any. Offer pages that hold their text, or upload it as files."
)
LITTLE_TEXT = (
    f"The page has too little text to answer from: fewer than {TEXT_MIN_CHARS} characters."
    " Choose a page with more text."
)
NO_INDEX = (
    "The page asks robots not to index it (noindex)."
    " Remove that from the page, or choose another address."
)
NO_TEXT = "No page with text was found at this address. Choose the address of a page with text."
NOT_CUT = "The page has no text that can be indexed, or more than one document can hold."
NOT_HTML = (
    "At this address is no web page but {kind}. Choose the address of a page,"
    " or download the file and upload it."
)
ELSEWHERE = "This address leads to another website: {url}. Use that address."


def failed(error: FetchError) -> SyncFailed:
    """OriginUnavailable when it may work later."""
    kind = OriginUnavailable if error.retryable else SyncFailed
    return kind(error.message)


def problem_of_answer(page: FetchedPage) -> SyncFailed | None:
    """The failure for a status of 400 or above; None for any other."""
    if page.status < 400:
        return None
    if is_guarded(page):
        return SyncFailed(BOT_PROTECTION)
    if page.status in TRANSIENT_STATUSES:
        return OriginUnavailable(
            f"The website answers with an error (HTTP {page.status}). Try again later."
        )
    return SyncFailed(REFUSALS.get(page.status, f"The website answers with HTTP {page.status}."))


REFUSALS = {
    401: "The page asks for a login (HTTP 401). Only pages that everybody may see can be read.",
    403: "The website does not allow us to read this page (HTTP 403).",
    404: "There is no page at this address (HTTP 404). Check it for typing errors.",
    410: "The page at this address was removed (HTTP 410).",
}


def is_guarded(page: FetchedPage) -> bool:
    if page.status not in (403, 405, 429, 503):
        return False
    if any(name in page.headers for name in GUARD_HEADERS):
        return True
    server = page.headers.get("Server", "").lower()
    has_words = any(word in page.body for word in CHALLENGE_WORDS)
    return has_words or (page.status == 403 and server.startswith(GUARDS))
