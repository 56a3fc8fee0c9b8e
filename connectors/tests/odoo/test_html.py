"""Text of the HTML that fields of Odoo hold."""

from __future__ import annotations

import pytest

from connectors.odoo.html import text_of_html


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("<p>One<br>two</p><p>three</p>", "One\ntwo\nthree"),
        ("a<script>alert(1)</script>b<style>p {}</style>", "ab"),
        ("<table><tr><td>Size</td><td>XL</td></tr></table>", "Size XL"),
        ("1 &lt; 2 &amp;amp; 3", "1 < 2 &amp; 3"),
        ("in <b>bold</b>\n type", "in bold type"),
        ("<script>never closed", ""),
    ],
)
def test_html_becomes_text(written: str, text: str) -> None:
    assert text_of_html(written) == text


@pytest.mark.parametrize("piece", ["&nbsp;", "<td>", "<", "<a ", "<script>", "&#", "\n "])
def test_no_text_takes_longer_than_its_length(piece: str) -> None:
    """It would be hours for one that looks again at what it has passed."""
    text_of_html(piece * (500_000 // len(piece)))
