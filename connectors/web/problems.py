"""Why a website cannot be read, in words for its owner."""

from config.http import FetchedPage, FetchError
from reasons import Reason
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

ROBOTS = Reason("robots_txt_forbids")
BOT_PROTECTION = Reason("bot_protection")
APP = Reason("single_page_app")
LITTLE_TEXT = Reason("page_too_short", limit=TEXT_MIN_CHARS)
NO_INDEX = Reason("page_noindex")
NO_TEXT = Reason("no_page_with_text")
NOT_CUT = Reason("page_without_text")


def failed(error: FetchError) -> SyncFailed:
    """OriginUnavailable when it may work later."""
    kind = OriginUnavailable if error.retryable else SyncFailed
    return kind(error.reason)


def problem_of_answer(page: FetchedPage) -> SyncFailed | None:
    """The failure for a status of 400 or above; None for any other."""
    if page.status < 400:
        return None
    if is_guarded(page):
        return SyncFailed(BOT_PROTECTION)
    if page.status in TRANSIENT_STATUSES:
        return OriginUnavailable(Reason("website_fails", status=str(page.status)))
    return SyncFailed(REFUSALS.get(page.status, Reason("website_refuses", status=str(page.status))))


REFUSALS = {
    401: Reason("page_needs_login"),
    403: Reason("page_forbidden"),
    404: Reason("page_not_found"),
    410: Reason("page_removed"),
}


def is_guarded(page: FetchedPage) -> bool:
    if page.status not in (403, 405, 429, 503):
        return False
    if any(name in page.headers for name in GUARD_HEADERS):
        return True
    server = page.headers.get("Server", "").lower()
    has_words = any(word in page.body for word in CHALLENGE_WORDS)
    return has_words or (page.status == 403 and server.startswith(GUARDS))
