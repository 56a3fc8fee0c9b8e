"""Sitemaps, and what is offered in their place."""

import gzip
from collections.abc import Mapping, Sequence

import pytest

from reading.errors import UnreadableFile
from reading.extractors.html import sitemap
from reading.extractors.html.sitemap import extract

NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
A, B = "https://x.example/a", "https://x.example/b?p=1&q=ñ"


def facts(data: str | bytes) -> Mapping[str, Sequence[str]]:
    extraction = extract(data.encode() if isinstance(data, str) else data)
    assert list(extraction.blocks) == []
    return extraction.facts


def urlset(content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><urlset {NAMESPACE}>{content}</urlset>'


@pytest.mark.parametrize(
    "data",
    [
        urlset(
            f"<url><loc> {A}\n</loc><lastmod>2025-01-01</lastmod></url><url><loc>{B}</loc></url>"
        ),
        f"<urlset><url><loc>{A}</loc></url><url><loc>{B}</loc></url></urlset>".replace(
            "&", "&amp;"
        ),
        f"<s:urlset xmlns:s='x'><s:url><s:loc>{A}</s:loc></s:url>"
        f"<s:url><s:loc>{B}</s:loc></s:url></s:urlset>",
        urlset(
            f"<url><loc><![CDATA[{A}]]></loc></url><url><loc>{A}</loc></url><url><loc>{B}</loc></url>"
        ),
        f"\ufeff{A}\r\n\r\nno address\n  {B}  \nftp://x.example/c\n/relative\n{A}",
        f"<rss><channel><link>https://x.example/</link><item><link>{A}</link></item><item>"
        f"<link>{B}</link><description><![CDATA[<!DOCTYPE>]]></description></item></channel></rss>",
        '<feed xmlns="http://www.w3.org/2005/Atom"><link href="https://x.example/"/>'
        f'<entry><link href="{A}"/><link rel="enclosure" href="https://x.example/a.mp3"/></entry>'
        f'<entry><link rel="alternate" href="{B}"/></entry></feed>',
    ],
    ids=["urlset", "bare", "prefixed", "cdata", "text", "rss", "atom"],
)
def test_addresses_are_read_in_order_and_once(data: str):
    expected = {"urls": [A, B], "sitemaps": []}
    assert facts(data) == expected
    assert facts(gzip.compress(data.encode())) == expected


def test_index_names_other_sitemaps():
    data = f"<sitemapindex {NAMESPACE}><sitemap><loc>{A}</loc></sitemap></sitemapindex>"
    assert facts(data) == {"urls": [], "sitemaps": [A]}


def test_addresses_of_pictures_are_not_pages():
    picture = '<i:image xmlns:i="x"><i:loc>https://x.example/a.png</i:loc></i:image>'
    assert facts(urlset(f"<url><loc>{A}</loc>{picture}</url>"))["urls"] == [A]


def test_address_that_nobody_can_follow_is_left_out():
    longest = f"https://x.example/{'x' * 1982}"
    locs = (longest, longest + "x", "javascript:x", "/a", "https://x.example/ b", "")
    data = urlset("".join(f"<url><loc>{loc}</loc></url>" for loc in locs))
    assert facts(data)["urls"] == [longest]


def test_cut_off_sitemap_gives_what_came_before():
    assert facts(urlset(f"<url><loc>{A}</loc></url><url><loc>https://x.exa")[:-9])["urls"] == [A]


def test_empty_sitemap_has_no_addresses():
    assert facts(urlset("")) == {"urls": [], "sitemaps": []}
    assert facts("") == {"urls": [], "sitemaps": []}


@pytest.mark.parametrize(
    "data",
    [b"<html><body><p>Not found</p></body></html>", b"<", b"\x1f\x8b\x08no gzip", b"<a/>"],
)
def test_other_files_are_refused(data: bytes):
    with pytest.raises(UnreadableFile, match="This is not a sitemap"):
        extract(data)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY a "https://x.example/"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">',
        '<!ENTITY b SYSTEM "file:///etc/passwd">',
        '<!ENTITY % b SYSTEM "https://x.example/b.dtd"> %b;',
    ],
)
def test_entities_are_refused(declaration: str):
    with pytest.raises(UnreadableFile, match="declares a document type"):
        extract(
            f"<!DOCTYPE urlset [{declaration}]><urlset><url><loc>&b;</loc></url></urlset>".encode()
        )


def test_nesting_without_end_gives_nothing():
    assert facts("<urlset>" + "<url>" * 100_000)["urls"] == []


def test_sitemap_that_unpacks_to_more_than_allowed_is_refused():
    with pytest.raises(UnreadableFile, match="too much text"):
        extract(gzip.compress(b"\n" * (50 * 1024**2 + 1)))


def test_numbers_are_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sitemap, "URLS_MAX", 3)
    monkeypatch.setattr(sitemap, "SITEMAPS_MAX", 2)
    many = [f"https://x.example/{number}" for number in range(9)]
    index = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in many)
    assert facts("\n".join(many))["urls"] == many[:3]
    assert facts(f"<sitemapindex>{index}</sitemapindex>")["sitemaps"] == many[:2]
