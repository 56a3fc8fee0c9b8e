"""sitemap.xml: addresses that a website names itself (sitemaps.org). A courtesy: what is wrong with
one costs nothing but its addresses.
"""

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from urllib.parse import urljoin, urlsplit

from config.http import FetchError
from connectors.web.pages import HTML_TYPES, media_type, stored
from connectors.web.robots import Robots
from connectors.web.urls import clean_url
from connectors.web.visits import Visitor
from reading.confinement.limits import MEGABYTE, Limits
from sources.documents import read_facts
from sources.errors import FileProcessingFailed

logger = logging.getLogger(__name__)

SITEMAP_MAX_BYTES = 20 * MEGABYTE  # as fetched; the extractor unpacks up to 50 MB
SITEMAP_LIMITS = Limits(memory_bytes=1024 * MEGABYTE, cpu_seconds=30, wall_seconds=60)
SITEMAPS_MAX = 50  # files, indexes among them
URLS_MAX = 50_000


def iter_sitemap_urls(
    visitor: Visitor, robots: Robots, origin: str, *, files_max: int = SITEMAPS_MAX
) -> Iterator[str]:
    """Yields addresses as written, file by file, those that matter most first; of any website.
    Raises OutOfTime."""
    named = [urljoin(f"{origin}/", name) for name in robots.sitemaps[:files_max]]
    waiting = deque(named or [f"{origin}/sitemap.xml"])
    seen, urls_left = set(waiting), URLS_MAX
    while waiting and urls_left > 0:
        urls, sitemaps = read_sitemap(visitor, waiting.popleft())
        yield from urls[:urls_left]
        urls_left -= len(urls)
        for name in sitemaps:
            url = clean_url(name, origin)
            if url is not None and url not in seen and len(seen) < files_max:
                seen.add(url)
                waiting.append(url)


def folders_in_turn(urls: Iterable[str]) -> Iterator[str]:
    """Yields the addresses so that no folder comes a second time before each has come once: where
    a plan takes no more pages, hundreds of news do not push out everything else."""
    folders: dict[str, list[str]] = {}
    for url in urls:
        path = urlsplit(url).path.strip("/")
        folders.setdefault(path.partition("/")[0] if "/" in path else "", []).append(url)
    for turn in zip_longest(*folders.values()):
        yield from (url for url in turn if url is not None)


def read_sitemap(visitor: Visitor, url: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pages of a sitemap and the sitemaps that it names; nothing if it cannot be read. Raises
    OutOfTime, ExtractionUnavailable."""
    try:
        answer = visitor.fetch(url, max_bytes=SITEMAP_MAX_BYTES)
        is_sitemap = answer.status == 200 and answer.body and media_type(answer) not in HTML_TYPES
        if not is_sitemap:
            return (), ()
        with stored(answer.body) as path:
            facts = read_facts(path, extractor="html.sitemap", limits=SITEMAP_LIMITS)
    except (FetchError, FileProcessingFailed) as error:
        logger.info("sitemap %s: %s", url, error)
        return (), ()
    return facts.get("urls", ()), facts.get("sitemaps", ())
