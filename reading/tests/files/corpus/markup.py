"""Web pages and Markdown."""

from __future__ import annotations

from collections.abc import Callable

from reading.tests.files.corpus.made import MadeFile

INTRO = "Our depot stands beside the northern station."


def page(body: str, *, head: str = "", encoding: str = "utf-8") -> Callable[[], bytes]:
    opening = f'<!doctype html><html lang="en"><head><meta charset="{encoding}"><title>Depot</title>{head}</head>'
    return lambda: f"{opening}<body><main><p>{INTRO}</p>{body}</main></body></html>".encode(
        encoding
    )


def html(
    name: str,
    about: str,
    body: str,
    says: str,
    *,
    hides: str = "",
    headings: tuple[str, ...] = (),
    rows: tuple[str, ...] = (),
    encoding: str = "utf-8",
    head: str = "",
    is_of_issue: bool = False,
) -> MadeFile:
    return MadeFile(
        f"{name}.html",
        about,
        page(body, head=head, encoding=encoding),
        f"{INTRO} {says}",
        hides=hides,
        headings=headings,
        rows=rows,
        is_of_issue=is_of_issue,
    )


def md(
    name: str,
    about: str,
    text: str,
    says: str,
    *,
    hides: str = "",
    headings: tuple[str, ...] = (),
    rows: tuple[str, ...] = (),
    is_of_issue: bool = False,
) -> MadeFile:
    return MadeFile(
        f"{name}.md",
        about,
        f"{INTRO}\n\n{text}\n".encode,
        f"{INTRO} {says}",
        hides=hides,
        headings=headings,
        rows=rows,
        is_of_issue=is_of_issue,
    )


TABLE = (
    "<table><thead><tr><th>Route</th><th>Climb</th></tr></thead><tbody><tr><td>Coast</td><td>180</td></tr>"
    "<tr><td>Ridge</td><td>940</td></tr></tbody></table>"
)
TABLE_SAYS = "Route Climb Coast 180 Ridge 940"
TABLE_ROWS = ("Route Coast Climb 180", "Route Ridge Climb 940")
FILES = (
    # --- HTML within Markdown
    md("html-table", "a table in HTML", TABLE, TABLE_SAYS, rows=TABLE_ROWS, is_of_issue=True),
    md(
        "html-div",
        "a paragraph in a div",
        '<div align="center">\n<b>Pedal clinic</b> is open on Saturdays\n</div>',
        "Pedal clinic is open on Saturdays",
        is_of_issue=True,
    ),
    md(
        "html-details",
        "what unfolds (details)",
        "<details>\n<summary>Spare parts</summary>\n\nChains and *sprockets* are kept.\n\n"
        "</details>",
        "Spare parts Chains and sprockets are kept.",
        is_of_issue=True,
    ),
    md(
        "html-whole",
        "a whole file of HTML",
        f"<h2>Tours</h2>\n<p>Guided by Irene Vidal.</p>\n{TABLE}\n<ul><li>Bring water</li></ul>",
        f"Tours Guided by Irene Vidal. {TABLE_SAYS} Bring water",
        headings=("Tours",),
        rows=TABLE_ROWS,
        is_of_issue=True,
    ),
    md(
        "html-inline",
        "inline HTML",
        "Press <kbd>Start</kbd> for H<sub>2</sub>O and <span>steam</span>.",
        "Press Start for H2O and steam.",
    ),
    md(
        "comment",
        "a comment in HTML",
        "<!-- reviewers only -->\n\nPublic sentence.",
        "Public sentence.",
        hides="reviewers",
    ),
    # --- Markdown
    md(
        "headings-in-a-row",
        "three headings in a row, nested and alike",
        "# Fares\n## Children\n### Groups of children\nHalf price.\n\n## Dogs\n## Cats\n## Parrots\nTravel free.",
        "Fares Children Groups of children Half price. Dogs Cats Parrots Travel free.",
        headings=("Fares", "Children", "Groups of children", "Dogs", "Cats", "Parrots"),
        is_of_issue=True,
    ),
    md(
        "headings-only",
        "headings and nothing else",
        "# Index\n\n## Brakes\n\n### Discs\n\n### Drums\n\n## Tyres",
        "Index Brakes Discs Drums Tyres",
        headings=("Index", "Brakes", "Discs", "Drums", "Tyres"),
        is_of_issue=True,
    ),
    md(
        "same-heading",
        "a heading that says what an outer one says",
        "# Safety\n\n## Safety\n\nWear a helmet.",
        "Safety Safety Wear a helmet.",
        headings=("Safety",),
    ),
    md(
        "long-heading",
        "a heading of a hundred words",
        f"# {'Very long title ' * 33}ends\n\nBody here.",
        f"{'Very long title ' * 33}ends Body here.",
    ),
    md(
        "setext",
        "headings underlined",
        "Timetable\n=========\n\nFirst ferry\n-----------\n\nLeaves at six.",
        "Timetable First ferry Leaves at six.",
        headings=("Timetable", "First ferry"),
    ),
    md(
        "table",
        "a table",
        "| Route | Climb |\n|---|---:|\n| Coast | 180 |\n| Ridge | 940 |",
        TABLE_SAYS,
        rows=TABLE_ROWS,
    ),
    md(
        "table-escapes",
        "bars and code in a table's cells",
        "| Key | Sense |\n|---|---|\n| a\\|b | `left` or **right** |",
        "Key Sense a b left or right",
        rows=("Key a b Sense left or right",),
    ),
    md(
        "footnotes",
        "footnotes",
        "The bridge is closed[^1].\n\n[^1]: Reopens after the flood season.",
        "The bridge is closed Reopens after the flood season.",
    ),
    md(
        "reference-links",
        "links by reference, and their texts",
        "See [the tariff][t] and [rules].\n\n[t]: http://x.example/a\n[rules]: http://x.example/b",
        "See the tariff and rules.",
    ),
    md(
        "task-list",
        "a list of tasks",
        "- [ ] call the plumber\n- [x] pay the rent\n    - in cash",
        "call the plumber pay the rent in cash",
    ),
    md(
        "nested-list",
        "lists within lists",
        "1. Lift\n   - with both hands\n     - never alone\n2. Turn",
        "Lift with both hands never alone Turn",
    ),
    md(
        "code",
        "code, fenced and indented",
        "```python\nprint('saddle_height')\n```\n\n    indented_sample = 42",
        "print saddle height indented sample 42",
    ),
    md(
        "quote",
        "a quotation, and an alert",
        "> [!WARNING]\n> Do not mount in rain.\n\n> Old proverb",
        "Do not mount in rain. Old proverb",
    ),
    md(
        "entities",
        "entities and escapes",
        "Fish &amp; chips &copy; caf&eacute; 5 \\* 3",
        "Fish chips café 5 3",
    ),
    md(
        "image",
        "a picture's text",
        "![Plan of the second floor](plan.png)",
        "Plan of the second floor",
    ),
    md("front-matter", "front matter", "Text.", "Text."),
    md(
        "hard-breaks",
        "breaks within a paragraph",
        "Monday  \nTuesday\\\nFriday",
        "Monday Tuesday Friday",
    ),
    md(
        "emphasis",
        "emphasis within words",
        "un*believ*able and **bold**ness and ~~gone~~",
        "unbelievable and boldness and",
    ),
    MadeFile(
        "no-break.md",
        "one line without a break, of five thousand words",
        lambda: b"kilometre " * 5000,
        "kilometre " * 5000,
    ),
    # --- Web pages
    html(
        "headings-in-a-row",
        "three headings in a row",
        "<h1>Fares</h1><h2>Children</h2><h3>Groups</h3><p>Half price.</p>"
        "<h2>Dogs</h2><h2>Cats</h2><p>Free.</p>",
        "Fares Children Groups Half price. Dogs Cats Free.",
        headings=("Fares", "Children", "Groups", "Dogs", "Cats"),
        is_of_issue=True,
    ),
    html("table", "a table with names of columns", TABLE, TABLE_SAYS, rows=TABLE_ROWS),
    html(
        "row-span",
        "a cell over two rows",
        "<table><tr><th>Line</th><th>Stop</th></tr><tr><td rowspan=2>Blue</td><td>Harbour</td></tr>"
        "<tr><td>Market</td></tr></table>",
        "Line Stop Blue Harbour Market",
        rows=("Line Blue Stop Harbour", "Line Blue Stop Market"),
    ),
    html(
        "row-names",
        "names at the left of a table",
        "<table><tr><th>Opens</th><td>at nine</td></tr><tr><th>Closes</th><td>at six</td></tr></table>",
        "Opens at nine Closes at six",
        rows=("Opens at nine", "Closes at six"),
    ),
    html(
        "nested-table",
        "tables for layout, one within another",
        f"<table><tr><td><table><tr><td>Inner menu of soups</td></tr></table></td>"
        f"<td><p>Outer advice</p>{TABLE}</td></tr></table>",
        f"Inner menu of soups Outer advice {TABLE_SAYS}",
    ),
    html(
        "caption",
        "a table's and a figure's captions",
        "<table><caption>Winter routes</caption><tr><td>Lake</td></tr></table><figure><img "
        "src=x alt=''><figcaption>The lift in 1931</figcaption></figure>",
        "Winter routes Lake The lift in 1931",
    ),
    html(
        "details",
        "what unfolds (details)",
        "<details><summary>Refunds</summary><p>Within ten days.</p></details>",
        "Refunds Within ten days.",
    ),
    html(
        "definitions",
        "a list of definitions",
        "<dl><dt>Deposit</dt><dd>Fifty euros</dd><dt>Lock</dt><dd>Included</dd></dl>",
        "Deposit Fifty euros Lock Included",
    ),
    html(
        "preformatted",
        "preformatted text",
        "<pre>north  08:15\nsouth  09:40</pre>",
        "north 08 15 south 09 40",
    ),
    html(
        "ruby",
        "a reading beside ideographs",
        "<p><ruby>京都<rp>(</rp><rt>きょうと</rt><rp>)</rp></ruby>へ</p>",
        "京都へ",
    ),
    html(
        "form",
        "what a form shows",
        "<form><label>Size</label><select><option>Small frame</option><option>Large frame</option></select>"
        "<textarea>Write your wish</textarea><input type=hidden value=csrftoken></form>",
        "Size Small frame Large frame Write your wish",
        hides="csrftoken",
    ),
    html(
        "alternative-text",
        "a picture's text",
        '<img src="x.png" alt="Map of the cycle lanes of Girona">',
        "Map of the cycle lanes of Girona",
    ),
    html(
        "hidden",
        "scripts, styles, comments and hidden elements",
        "<script>var scripted=1</script><style>.styled{}</style><!-- commented -->"
        "<template>templated</template><p hidden>concealed</p><p>Shown.</p>",
        "Shown.",
        hides="scripted styled commented templated concealed",
    ),
    html(
        "malformed",
        "tags that are never closed",
        "<ul><li>Bells<li>Lamps<p>Mirrors</ul><b>Bold <i>both</b> slanted</i>",
        "Bells Lamps Mirrors Bold both slanted",
    ),
    html(
        "entities", "entities", "<p>caf&eacute; &#8364;5 &lt;tag&gt; A&nbsp;B</p>", "café 5 tag A B"
    ),
    html(
        "windows-1252",
        "an encoding that is declared",
        "<p>Señor Núñez pagó 5 € por cañas</p>",
        "Señor Núñez pagó 5 por cañas",
        encoding="cp1252",
    ),
    html(
        "windows-1251",
        "a Cyrillic encoding that is declared",
        "<p>Прокат велосипедов у вокзала</p>",
        "Прокат велосипедов у вокзала",
        encoding="cp1251",
    ),
    html(
        "shift-jis",
        "a Japanese encoding that is declared",
        "<p>自転車の貸し出しは駅前です</p>",
        "自転車の貸し出しは駅前です",
        encoding="shift_jis",
    ),
    html(
        "svg", "text within a drawing", "<svg><text>Platform seven</text></svg>", "Platform seven"
    ),
    html(
        "inline",
        "words that inline tags cut",
        "<p>Trans<b>mis</b>sion be<wbr>lts H<sub>2</sub>O</p>",
        "Transmission belts H2O",
    ),
    html(
        "breaks",
        "breaks between words",
        "<p>Monday<br>Tuesday<br/>Friday</p><div>One</div><div>Two</div>",
        "Monday Tuesday Friday One Two",
    ),
    html(
        "frame",
        "a document within an attribute",
        '<iframe srcdoc="&lt;p&gt;Framed notice of closure&lt;/p&gt;"></iframe>',
        "Framed notice of closure",
    ),
    html(
        "no-script",
        "what browsers without scripts see",
        "<noscript><p>Call extension 4402</p></noscript>",
        "Call extension 4402",
    ),
    MadeFile(
        "bare.html",
        "no root, no body",
        lambda: b"<html><p>Bare paragraph about spokes<p>And another about rims",
        "Bare paragraph about spokes And another about rims",
    ),
    MadeFile(
        "xhtml.xhtml",
        "XHTML with its declaration",
        lambda: (
            b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head>'
            b"<body><h1>Ordinance</h1><p>Bells are compulsory.</p></body></html>"
        ),
        "Ordinance Bells are compulsory.",
        headings=("Ordinance",),
    ),
)
