"""XML and JSON."""

from __future__ import annotations

import json
from typing import Any

from reading.tests.files.corpus.made import MadeFile


def xml(
    name: str, about: str, content: str, says: str, *, encoding: str = "utf-8", **more: Any
) -> MadeFile:
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    return MadeFile(
        f"{name}.xml", about, lambda: (declaration + content).encode(encoding), says, **more
    )


PROSE = " ".join(f"{count} euros are held until battery {count} returns." for count in range(40))


def data(
    name: str, about: str, value: object, says: str, *, ending: str = "json", **more: Any
) -> MadeFile:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return MadeFile(f"{name}.{ending}", about, text.encode, says, **more)


BIKES = [
    {"model": "Xaloc", "price": 899, "colour": "grey"},
    {"model": "Garbí", "price": 1249, "colour": "green"},
]
SAYS = "model Xaloc price 899 colour grey model Garbí price 1249 colour green"
ROWS = ("model Xaloc price 899 colour grey", "model Garbí price 1249 colour green")
FILES = (
    xml(
        "records",
        "records: elements of one name with simple children",
        "<bikes>"
        + "".join(
            f"<bike><model>{each['model']}</model><price>{each['price']}</price><colour>{each['colour']}</colour></bike>"
            for each in BIKES
        )
        + "</bikes>",
        "Xaloc 899 grey Garbí 1249 green",
        rows=ROWS,
        is_of_issue=True,
    ),
    xml(
        "attributes",
        "records in attributes",
        "<bikes>"
        + "".join(
            f'<bike model="{each["model"]}" price="{each["price"]}" colour="{each["colour"]}"/>'
            for each in BIKES
        )
        + "</bikes>",
        "Xaloc 899 grey Garbí 1249 green",
        rows=ROWS,
    ),
    xml(
        "mixed",
        "prose with elements within",
        "<doc><title>Repairs</title><para>Pads <emph>wear</emph> out &amp; rims bend.</para></doc>",
        "Repairs Pads wear out rims bend.",
    ),
    xml(
        "cdata",
        "text that is not parsed (CDATA)",
        "<doc><note><![CDATA[5 < 7 & closed]]></note></doc>",
        "5 7 closed",
    ),
    xml(
        "namespaces",
        "names with prefixes",
        '<x:doc xmlns:x="urn:a" xmlns:y="urn:b"><y:note>Bells ring</y:note></x:doc>',
        "Bells ring",
        hides="urn",
    ),
    xml(
        "latin-1",
        "an encoding that is declared",
        "<doc><note>Señor Núñez pagó</note></doc>",
        "Señor Núñez pagó",
        encoding="iso-8859-1",
    ),
    xml(
        "utf-16",
        "UTF-16",
        "<doc><note>Señor Núñez pagó</note></doc>",
        "Señor Núñez pagó",
        encoding="utf-16",
    ),
    xml(
        "feed",
        "a feed (RSS)",
        '<rss version="2.0"><channel><title>Depot news</title><item><title>Closed on Monday</title><description>Stocktaking all day.</description></item>'
        "<item><title>New ferry</title><description>Leaves at six.</description></item></channel></rss>",
        "Depot news Closed on Monday Stocktaking all day. New ferry Leaves at six.",
    ),
    xml(
        "docbook",
        "chapters and their titles (DocBook)",
        "<book><chapter><title>Brakes</title><section><title>Discs</title><para>Pads wear out.</para></section></chapter></book>",
        "Brakes Discs Pads wear out.",
        headings=("Brakes", "Discs"),
    ),
    xml(
        "comment",
        "comments and instructions",
        "<doc><!-- internal --><?run secret?><note>Public.</note></doc>",
        "Public.",
        hides="internal secret",
    ),
    data("records", "an array of objects", BIKES, SAYS, rows=ROWS, is_of_issue=True),
    data(
        "nested",
        "objects within objects",
        {
            "shop": {"name": "Depot", "address": {"city": "Vic", "floor": 2}},
            "tags": ["bells", "lamps"],
        },
        "Depot Vic 2 bells lamps",
        rows=("city Vic",),
    ),
    data(
        "scalars",
        "truth, nothing and long numbers",
        [{"id": 123456789012345678901, "open": True, "note": None, "rate": 0.25}],
        "id 123456789012345678901 open true rate 0.25",
    ),
    data(
        "escapes",
        "escaped letters",
        '{"note": "Se\\u00f1or \\ud83d\\ude80 N\\u00fa\\u00f1ez\\nsecond line"}',
        "note Señor Núñez second line",
    ),
    data(
        "same-keys",
        "a key that stands twice",
        '{"stop": "Harbour", "stop": "Market"}',
        "stop Harbour Market",
    ),
    data(
        "prose",
        "long texts in values",
        {"title": "Terms", "body": PROSE},
        f"Terms {PROSE}",
    ),
    data("mark", "UTF-8 with its mark", "\ufeff" + json.dumps(BIKES), SAYS, rows=ROWS),
    data(
        "lines",
        "an object a line",
        "\n".join(json.dumps(each, ensure_ascii=False) for each in BIKES),
        SAYS,
        rows=ROWS,
        ending="jsonl",
        is_of_issue=True,
    ),
    data(
        "damaged-line",
        "a damaged line costs itself, and that is said",
        json.dumps(BIKES[0]) + '\n{"model": "Bro\n' + json.dumps(BIKES[1]),
        SAYS,
        rows=ROWS,
        ending="jsonl",
    ),
    data(
        "places",
        "places on a map (GeoJSON)",
        {
            "type": "FeatureCollection",
            "features": [
                {
                    "type": "Feature",
                    "properties": {"name": "Harbour", "berths": 31},
                    "geometry": {"type": "Point", "coordinates": [2.17, 41.38]},
                }
            ],
        },
        "Harbour 31",
        ending="geojson",
    ),
    data(
        "notebook",
        "a notebook's cells",
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {},
            "cells": [
                {
                    "cell_type": "markdown",
                    "metadata": {},
                    "source": ["# Demand\n", "Rentals double in June."],
                },
                {
                    "cell_type": "code",
                    "metadata": {},
                    "execution_count": 1,
                    "source": ["total = rentals.sum()"],
                    "outputs": [
                        {"output_type": "stream", "name": "stdout", "text": ["Total 4402\n"]}
                    ],
                },
            ],
        },
        "Demand Rentals double in June. total rentals sum Total 4402",
        ending="ipynb",
    ),
)
