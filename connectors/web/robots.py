"""The rules of a website for robots: robots.txt (RFC 9309)."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass

from protego import Protego

from config.http import PRODUCT, FetchError, TooManyRedirects
from connectors.web.problems import failed
from connectors.web.visits import OutOfTime, Visitor
from reasons import Reason
from sources.errors import OriginUnavailable

READ_BYTES = 500 * 1024  # the rest is ignored (RFC 9309, 2.5)
FETCH_MAX_BYTES = 4 * READ_BYTES
LINES_MAX = 20_000
DELAY_MAX_SECONDS = 10.0  # who asks for more gets this
USER_AGENT_LINE = re.compile(r"\s*user[-\s]*agent\b\s*:?\s*(?P<name>[^#]*)", re.IGNORECASE)
ASKS_TO_WAIT = 429


@dataclass(frozen=True)
class Robots:
    rules: Protego

    def allows(self, url: str) -> bool:
        return bool(self.rules.can_fetch(url, PRODUCT))

    @property
    def delay_seconds(self) -> float:
        asked = self.rules.crawl_delay(PRODUCT)
        if asked is None or not math.isfinite(asked):
            return 0.0
        return min(max(float(asked), 0.0), DELAY_MAX_SECONDS)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        return tuple(self.rules.sitemaps)


def load_robots(visitor: Visitor, origin: str) -> Robots:
    """The rules of a website. Without robots.txt (4xx) all is allowed; after an error (5xx, no
    answer) this fails.

    Raises SyncFailed, or OriginUnavailable when it may be there later.
    """
    try:
        answer = visitor.fetch(f"{origin}/robots.txt", max_bytes=FETCH_MAX_BYTES)
    except TooManyRedirects:
        return parse_robots("")
    except FetchError as error:
        raise failed(error) from error
    if answer.status >= 500 or answer.status == ASKS_TO_WAIT:
        raise OriginUnavailable(Reason("robots_txt_fails", status=str(answer.status)))
    is_there = 200 <= answer.status < 300
    text = answer.body[:READ_BYTES].decode("utf-8-sig", errors="replace") if is_there else ""
    return parse_robots(text)


def count_allowed(visitor: Visitor, robots: Robots, urls: Collection[str]) -> int:
    """The number of addresses that robots.txt allows; of all, where the time does not suffice:
    thousands of rules for thousands of addresses take seconds."""
    allowed = 0
    try:
        for url in urls:
            visitor.seconds_left()
            allowed += robots.allows(url)
    except OutOfTime:
        return len(urls)
    return allowed


def parse_robots(text: str) -> Robots:
    """Groups for others are all given one name: a rule is kept once for each name of its group, so
    a file of 500 KB could else take gigabytes.
    """
    lines = text.splitlines()[:LINES_MAX]
    return Robots(Protego.parse("\n".join(map(without_other_names, lines))))


def without_other_names(line: str) -> str:
    match = USER_AGENT_LINE.match(line)
    if match is None:
        return line
    name = match["name"].partition("/")[0].strip().lower()  # without a version
    is_known = name in ("*", PRODUCT.lower())
    return f"User-agent: {name if is_known else 'another-robot'}"
