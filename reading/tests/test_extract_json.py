"""JSON: records as rows, settings as entries, notebooks as texts."""

import json

import pytest

from reading.errors import UnreadableFile
from reading.extractors.data.json_records import extract
from reading.extractors.data.values import (
    ENCODED_LEFT_OUT,
    NESTED_TOO_DEEPLY,
    NUMBERS_LEFT_OUT,
)
from reading.extractors.interface import Extraction
from reading.passages import Block
from reasons import Reason


def read(content: object) -> Extraction:
    """A text as it is, anything else written as JSON."""
    text = content if isinstance(content, str) else json.dumps(content)
    return extract(text.encode())


def texts(content: object) -> list[str]:
    return [block.text for block in read(content).blocks]


# --- Records --------------------------------------------------------------------------------------


def test_each_object_of_a_list_is_a_row():
    records = [
        {"name": "Xaloc", "price": 899, "address": {"city": "Reus"}, "tags": ["a", "b"]},
        {"name": "Mestral", "price": None, "sold": True},
    ]
    assert list(read(records).blocks) == [
        Block("name: Xaloc; price: 899; address.city: Reus; tags: a, b", "item 1"),
        Block("name: Mestral; sold: true", "item 2"),
    ]


def test_list_in_an_object_is_named_by_it():
    found = list(read({"total": 1, "bikes": [{"name": "Xaloc"}, {"name": "Mestral"}]}).blocks)
    assert found == [
        Block("total: 1"),
        Block("name: Xaloc", "item 1", "bikes"),
        Block("name: Mestral", "item 2", "bikes"),
    ]


def test_records_in_a_record_are_rows_under_its_name():
    order = {"name": "Pedido 7", "lines": [{"sku": "A", "qty": 1}, {"sku": "B", "qty": 2}]}
    assert list(read([order]).blocks) == [
        Block("name: Pedido 7", "item 1", "Pedido 7"),
        Block("sku: A; qty: 1", "item 1", "Pedido 7 > lines"),
        Block("sku: B; qty: 2", "item 1", "Pedido 7 > lines"),
    ]


def test_long_text_of_a_record_is_a_paragraph_under_its_name():
    found = list(read([{"title": "Frenos", "body": "Aprieta. " * 50}]).blocks)
    assert [(block.location, block.section_title) for block in found] == [("item 1", "Frenos")] * 2
    assert found[1].text.startswith("body: Aprieta.")


def test_object_is_told_by_its_entries():
    found = list(read({"shop": "Velomar", "hours": {"mon": "9-14", "tue": "10-14"}}).blocks)
    assert found == [Block("shop: Velomar"), Block("mon: 9-14; tue: 10-14", "", "hours")]


def test_lists_in_a_list_are_a_table():
    assert texts([["Modelo", "Precio", "Año"], ["Xaloc", 899, 2024]]) == [
        "Modelo: Xaloc; Precio: 899; Año: 2024"
    ]


def test_html_in_a_value_is_told_as_the_page_shows_it():
    assert texts([{"title": "Uno", "body": "<p>Hola <b>a todos</b>.</p><script>x()</script>"}]) == [
        "title: Uno; body: Hola a todos."
    ]


def test_places_have_their_names_and_drawings_are_left_out_and_told():
    shape = [[[number, number + 0.5] for number in range(60)]]
    feature = {
        "type": "Feature",
        "properties": {"name": "Puerto"},
        "geometry": {"type": "Polygon", "coordinates": shape},
    }
    found = read({"type": "FeatureCollection", "features": [feature]})
    assert [block.text for block in found.blocks] == [
        "type: FeatureCollection",
        "type: Feature; properties.name: Puerto; geometry.type: Polygon",
    ]
    assert found.warnings == [NUMBERS_LEFT_OUT]


@pytest.mark.parametrize(
    "encoded",
    [
        "iVBORw0KGgo" * 40,
        "data:image/png;base64," + "iVBORw0KGgo" * 40 + "==",
        ("Ab1+/" * 15 + "\n") * 6,
    ],
)
def test_encoded_values_are_left_out_and_told(encoded: str):
    found = read([{"name": "Xaloc", "photo": encoded}])
    assert [block.text for block in found.blocks] == ["name: Xaloc"]
    assert found.warnings == [ENCODED_LEFT_OUT]


@pytest.mark.parametrize("text", ["palabra " * 60, "漢字" * 300, "x" * 250, "Uno/dos_tres-" * 20])
def test_long_texts_are_not_taken_for_encoded_ones(text: str):
    assert read([{"a": text}]).warnings == []
    assert texts([{"a": text}])


# --- Values as they are written -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("12345678901234567890123", "12345678901234567890123"),
        ("9" * 5000, "9" * 5000),
        ("1.10", "1.10"),
        ("NaN", "NaN"),
        ("1e400", "1e400"),
        ("true", "true"),
        (r'"caf\u00e9 \ud83d"', "café"),
        ('"a\tb"', "a b"),
    ],
)
def test_values_stay_as_they_are_written(written: str, told: str):
    assert texts(f'{{"a": {written}}}') == [f"a: {told}"]


def test_two_values_of_one_name_are_both_told():
    assert texts('[{"a": 1, "a": 2}]') == ["a: 1; a: 2"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
def test_encodings_are_told_apart(encoding: str):
    data = '[{"city": "A Coruña", "name": "Tienda"}]'.encode(encoding)
    assert [block.text for block in extract(data).blocks] == ["city: A Coruña; name: Tienda"]


# --- JSON Lines -----------------------------------------------------------------------------------


def test_each_line_is_a_record():
    assert list(read('{"a": "x"}\n\n{"a": "y"}\r\n').blocks) == [
        Block("a: x", "line 1"),
        Block("a: y", "line 3"),
    ]


def test_damaged_line_costs_itself_and_is_told():
    found = read('{"a": "x"}\n{"a": \n{"a": "y"}\n{"b"}\n{"b": 1} 2\n')
    assert [block.text for block in found.blocks] == ["a: x", "a: y"]
    assert found.warnings == [
        Reason("json_lines_damaged", places=Reason("places_line", numbers="2, 4–5"))
    ]


def test_file_of_damaged_lines_is_refused():
    with pytest.raises(UnreadableFile, match="This JSON file is damaged at line 3"):
        texts('{"a": 1}\n{"a": 2}\n' + "{\n" * 10_001)


def test_values_one_after_the_other_are_read():
    assert texts('{\n"a": "x"\n}\n{\n"a": "y"\n}') == ["a: x", "a: y"]


# --- Damage ---------------------------------------------------------------------------------------


def test_items_before_the_damage_are_read_and_the_rest_told():
    found = read('[{"a": "x"},\n{"a": "y"},\n{"a": ')
    assert [block.text for block in found.blocks] == ["a: x", "a: y"]
    assert found.warnings == [Reason("json_damaged_from_line", line=3)]


@pytest.mark.parametrize(("content", "line"), [("{", 1), ('{\n"a": tru}', 2), ("[\n\n?", 3)])
def test_file_of_which_nothing_can_be_read_is_refused_with_its_line(content: str, line: int):
    with pytest.raises(UnreadableFile) as caught:
        list(read(content).blocks)
    assert caught.value.reason == Reason("json_file_damaged", line=line)


@pytest.mark.parametrize(
    "content", ["[" * 200 + '"x"' + "]" * 200, "[" * 100_000, '{"a":' * 100_000]
)
def test_what_is_nested_without_end_is_refused(content: str):
    with pytest.raises(UnreadableFile) as caught:
        list(read(content).blocks)
    assert caught.value.reason == NESTED_TOO_DEEPLY


# --- Notebooks ------------------------------------------------------------------------------------


def test_notebook_is_read_cell_by_cell():
    notebook = {
        "nbformat": 4,
        "cells": [
            {"cell_type": "markdown", "source": ["# Ventas\n", "Del año."]},
            {
                "cell_type": "code",
                "source": "# suma\nprint(2 + 2)",
                "outputs": [
                    {"output_type": "stream", "text": ["4\n"]},
                    {"output_type": "display_data", "data": {"text/plain": "<Figure>"}},
                ],
            },
        ],
    }
    assert [(block.text, block.section_title) for block in read(notebook).blocks] == [
        ("Ventas", "Ventas"),
        ("Del año.", "Ventas"),
        ("# suma\nprint(2 + 2)", "Ventas"),
        ("4", "Ventas"),
        ("<Figure>", "Ventas"),
    ]
