"""Which cells of a sheet belong together: tables beside each other, headers of several rows, labels
above rows. In short: "a | b | | c" is a row with an empty third cell."""

from collections.abc import Sequence

import pytest

from reading.extractors.office.sheet_tables import table_blocks
from reading.extractors.tables import Row


def make_row(number: int, line: str, spans: dict[int, int]) -> Row:
    cells = [cell.strip() for cell in line.split("|")]
    while cells and not cells[-1]:
        cells.pop()
    return Row(number, tuple(cells), spans)


def read(lines: Sequence[str], **spans: dict[int, int]) -> list[tuple[str, str]]:
    """The text and the title of each block. `spans`: of row 3, as `row3`."""
    rows = (
        make_row(number, line, spans.get(f"row{number}", {}))
        for number, line in enumerate(lines, start=1)
    )
    blocks = table_blocks((row for row in rows if row.cells), "Hoja")
    return [(block.text, block.section_title) for block in blocks]


def texts(*lines: str, **spans: dict[int, int]) -> list[str]:
    return [text for text, _ in read(lines, **spans)]


# --- Beside each other ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        # The same rows, each side with a key and values of its own
        ("Sala | Hora | | Taquilla | Alto", "Brisa | 18 | | T1 | 90", "Marea | 25 | | T2 | 120"),
        # The right one begins lower
        (
            "Sala | Hora", "Brisa | 18 | | Taquilla | Alto", "Marea | 25 | | T1 | 90",
            "| | | T2 | 120",
        ),
        # It begins behind the end of the left one
        (
            "Sala | Hora", "Brisa | 18", "Marea | 25 | | Taquilla | Alto", "| | | T1 | 90",
            "| | | T2 | 120",
        ),
        # The left one begins lower
        (
            " | | | Taquilla | Alto", "Sala | Hora | | T1 | 90", "Brisa | 18 | | T2 | 120",
            "Marea | 25",
        ),
        # Several empty columns
        (
            "Sala | Hora | | | | Taquilla | Alto", "Brisa | 18 | | | | T1 | 90",
            "Marea | 25 | | | | T2 | 120",
        ),
        # Titles of their own
        (
            "Salas | | | Taquillas", "Sala | Hora | | Taquilla | Alto", "Brisa | 18 | | T1 | 90",
            "Marea | 25 | | T2 | 120",
        ),
    ],
)  # fmt: skip
def test_tables_beside_each_other_share_no_row(lines: Sequence[str]):
    assert texts(*lines) == [
        "Sala: Brisa; Hora: 18",
        "Sala: Marea; Hora: 25",
        "Taquilla: T1; Alto: 90",
        "Taquilla: T2; Alto: 120",
    ]


def test_tables_beside_each_other_go_on_behind_an_empty_row():
    lines = ("Sala | Hora | | Taquilla | Alto", "Brisa | 18 | | T1 | 90", "Marea | 25 | | T2 | 120")
    assert texts(*lines, "", "Cala | 9 | | T3 | 60")[-2:] == [
        "Sala: Cala; Hora: 9",
        "Taquilla: T3; Alto: 60",
    ]


def test_table_of_another_length_needs_no_values():
    lines = ("Sala | Hora | | Turno | Monitora", "Brisa | 18 | | Lunes | Ana")
    more = ("Marea | 25 | | Martes | Eva", "Cala | 30")
    assert texts(*lines, *more) == [
        "Sala: Brisa; Hora: 18",
        "Sala: Marea; Hora: 25",
        "Sala: Cala; Hora: 30",
        "Turno: Lunes; Monitora: Ana",
        "Turno: Martes; Monitora: Eva",
    ]


def test_longer_table_needs_no_key():
    lines = ("Sala | Hora | | Desde | Descuento", "Brisa | 18 | | 5 | 10%")
    more = ("Marea | 25 | | 10 | 15%", "| | | 20 | 20%", "| | | 50 | 30%")
    assert "Desde: 50; Descuento: 30%" in texts(*lines, *more)
    assert "Sala: Brisa; Hora: 18" in texts(*lines, *more)


PRICES = ("Plazo | Precio", "Un día | 12", "Tres días | 9", "Cinco días | 7")
CONTACTS = ("Contacto |", "Teléfono | 960 555 014", "Correo | a@b.es", "Web | b.es")
PRICE_ROWS = ["Plazo: Un día; Precio: 12", "Plazo: Tres días; Precio: 9"]


def test_many_empty_columns_part_nothing():
    names = " | | ".join(f"Sala {number} | Hora" for number in range(30))
    values = " | | ".join(f"Brisa {number} | 18" for number in range(30))
    assert len(texts(names, values, values)) == 2


@pytest.mark.timeout(10)  # once it looked for the last row in each row
def test_long_tables_beside_each_other_are_read_in_time():
    rows = [f"Sala {number} | 18 | | T{number} | 90" for number in range(40_000)]
    assert len(texts("Sala | Hora | | Taquilla | Alto", *rows)) == 80_000


def test_pairs_before_a_table_share_no_row_with_it():
    lines = [f"{left} | | {right}" for left, right in zip(CONTACTS, PRICES, strict=True)]
    found = read(lines)
    assert ("Correo: a@b.es", "Contacto") in found
    assert [text for text, _ in found][3:5] == PRICE_ROWS


def test_pairs_behind_a_table_share_no_row_with_it():
    lines = [f"{left} | | {right}" for left, right in zip(PRICES[:3], CONTACTS[1:], strict=True)]
    assert texts(*lines) == [
        *PRICE_ROWS,
        "Teléfono: 960 555 014",
        "Correo: a@b.es",
        "Web: b.es",
    ]


def test_three_tables_beside_each_other():
    assert texts(
        "Sala | Hora | | Taquilla | Alto | | Curso | Plazas",
        "Brisa | 18 | | T1 | 90 | | Yoga | 8",
        "Marea | 25 | | T2 | 120 | | Baile | 12",
    ) == [
        "Sala: Brisa; Hora: 18",
        "Sala: Marea; Hora: 25",
        "Taquilla: T1; Alto: 90",
        "Taquilla: T2; Alto: 120",
        "Curso: Yoga; Plazas: 8",
        "Curso: Baile; Plazas: 12",
    ]


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        # Only numbers on the right
        (
            (
                "Sala | Planta | | Hora | Plazas", "Brisa | baja | | 18 | 8",
                "Cala | alta | | 25 | 9",
            ),
            "Sala: Brisa; Planta: baja; Hora: 18; Plazas: 8",
        ),
        # What is on the right repeats: kinds, not names
        (
            (
                "Sala | Hora | | Suelo | Plazas", "Brisa | 18 | | parqué | 8",
                "Marea | 25 | | parqué | 12",
            ),
            "Sala: Brisa; Hora: 18; Suelo: parqué; Plazas: 8",
        ),
        # A single column of notes
        (
            ("Sala | Hora | | Notas", "Brisa | 18 | | con espejo", "Marea | 25 | | sin luz"),
            "Sala: Brisa; Hora: 18; Notas: con espejo",
        ),
        # Words only, for each row
        (
            (
                "Sala | Hora | | Monitora | Suelo", "Brisa | 18 | | Ana | parqué",
                "Cala | 9 | | Eva | goma",
            ),
            "Sala: Brisa; Hora: 18; Monitora: Ana; Suelo: parqué",
        ),
        # Here and there
        (
            (
                "Sala | Hora | | Oferta | Hasta", "Brisa | 18 | | 15 | mayo", "Marea | 25",
                "Cala | 9", "Duna | 30 | | 22 | junio",
            ),
            "Sala: Brisa; Hora: 18; Oferta: 15; Hasta: mayo",
        ),
        # A total below
        (
            (
                "Sala | Planta | | Hora | Plazas", "Brisa | baja | | 18 | 8",
                "Cala | alta | | 25 | 9", "| | | 43 | 17",
            ),
            "Sala: Brisa; Planta: baja; Hora: 18; Plazas: 8",
        ),
        # An empty column behind each
        (
            ("Sala | | Hora | | Plazas", "Brisa | | 18 | | 8", "Cala | | 25 | | 9"),
            "Sala: Brisa; Hora: 18; Plazas: 8",
        ),
        # Groups over the columns behind the empty one
        (
            (
                " | | | Verano | | Invierno |", "Sala | Planta | | Día | Mes | Día | Mes",
                "Brisa | baja | | 18 | 180 | 9 | 90", "Cala | alta | | 25 | 250 | 12 | 120",
            ),
            "Sala: Brisa; Planta: baja; Verano Día: 18; Verano Mes: 180; Invierno Día: 9; "
            "Invierno Mes: 90",
        ),
        # Pairs without names
        (
            ("Teléfono | 960 555 014 | | Correo | a@b.es", "Fax | 960 555 015 | | Web | b.es"),
            "Teléfono; 960 555 014; Correo; a@b.es",
        ),
    ],
)  # fmt: skip
def test_empty_column_within_a_table_parts_nothing(lines: Sequence[str], first: str):
    assert texts(*lines)[0] == first


def test_merged_cell_holds_a_table_together():
    lines = ("Sala | Hora | | Taquilla | Alto", "Brisa | 18 | | T1 | 90", "Marea | 25 | | T2 | 120")
    more = "cerrada por obras"
    assert texts(*lines, more, row4={0: 5})[0] == "Sala: Brisa; Hora: 18; Taquilla: T1; Alto: 90"


def test_title_above_all_tables_is_that_of_each():
    lines = ("Polideportivo", "", "Sala | Hora | | Taquilla | Alto")
    more = ("Brisa | 18 | | T1 | 90", "Marea | 25 | | T2 | 120")
    assert {title for _, title in read([*lines, *more])} == {"Polideportivo"}


# --- Headers of several rows ----------------------------------------------------------------------


def test_name_merged_downwards_is_said_once():
    lines = (
        "Sala | Verano | | Invierno | | Notas",
        "Sala | Día | Mes | Día | Mes | Notas",
        "Brisa | 18 | 180 | 9 | 90 | con espejo",
    )
    assert texts(*lines, row1={1: 2, 3: 2}) == [
        "Sala: Brisa; Verano Día: 18; Verano Mes: 180; Invierno Día: 9; Invierno Mes: 90; "
        "Notas: con espejo"
    ]


def test_merged_name_stands_over_its_own_columns_only():
    lines = ("Sala | Verano | | Aforo", "| Día | Mes | Máximo", "Brisa | 18 | 180 | 12")
    assert texts(*lines, row1={1: 2}) == [
        "Sala: Brisa; Verano Día: 18; Verano Mes: 180; Aforo Máximo: 12"
    ]


def test_last_group_may_be_merged_beyond_its_text():
    lines = ("Sala | Tarifa", "Sala | Socias | Socios | Otros", "Brisa | 5 | 6 | 9")
    assert texts(*lines, row1={1: 3}) == [
        "Sala: Brisa; Tarifa Socias: 5; Tarifa Socios: 6; Tarifa Otros: 9"
    ]


def test_groups_that_are_not_merged_reach_to_the_next_one():
    lines = (
        "Sala | Verano | | Invierno | | Notas",
        "| Día | Mes | Día | Mes |",
        "Brisa | 18 | 180 | 9 | 90 | con espejo",
    )
    assert texts(*lines) == [
        "Sala: Brisa; Verano Día: 18; Verano Mes: 180; Invierno Día: 9; Invierno Mes: 90; "
        "Notas: con espejo"
    ]


def test_header_of_three_rows():
    lines = (
        "Sala | Tarifas |  |  | ",
        "Sala | Verano | | Invierno |",
        "Sala | Día | Mes | Día | Mes",
        "Brisa | 18 | 180 | 9 | 90",
    )
    assert texts(*lines, row1={1: 4}, row2={1: 2, 3: 2}) == [
        "Sala: Brisa; Tarifas Verano Día: 18; Tarifas Verano Mes: 180; "
        "Tarifas Invierno Día: 9; Tarifas Invierno Mes: 90"
    ]


def test_years_may_stand_below_a_group():
    lines = ("Sala | Visitas", "Sala | 2025 | 2026", "Brisa | 180 | 240", "Marea | 90 | 95")
    assert texts(*lines, row1={1: 2})[0] == "Sala: Brisa; Visitas 2025: 180; Visitas 2026: 240"


def test_words_below_a_column_without_a_name_are_data():
    lines = ("Sala | | Monitora | Turno", "Brisa | baja | Ana | tarde", "Cala | alta | Eva | noche")
    assert texts(*lines)[0] == "Sala: Brisa; baja; Monitora: Ana; Turno: tarde"


# --- Labels ---------------------------------------------------------------------------------------

LABELLED = (
    "Sala | Hora | Aforo",
    "De baile | |",
    "Brisa | 18 | 12",
    "Marea | 25 | 20",
    "De yoga:",
    "Cala | 9 | 8",
)
IN_GROUPS = [
    ("Sala: Brisa; Hora: 18; Aforo: 12", "Hoja > De baile"),
    ("Sala: Marea; Hora: 25; Aforo: 20", "Hoja > De baile"),
    ("Sala: Cala; Hora: 9; Aforo: 8", "Hoja > De yoga"),
]


def test_label_that_is_merged_over_the_table_stands_above_its_rows():
    assert read(LABELLED, row2={0: 3}, row5={0: 3}) == IN_GROUPS


def test_lines_alone_that_part_a_table_are_labels():
    assert read(LABELLED) == IN_GROUPS


def test_labels_stand_below_the_title():
    found = read(["Tarifas 2027", "", *LABELLED], row4={0: 3}, row7={0: 3})
    assert [title for _, title in found] == [
        "Tarifas 2027 > De baile",
        "Tarifas 2027 > De baile",
        "Tarifas 2027 > De yoga",
    ]


def test_label_above_each_header_is_no_title_of_the_next():
    lines = ("De baile", "Sala | Hora", "Brisa | 18", "De yoga", "Sala | Hora", "Cala | 9")
    assert read(lines) == [
        ("Sala: Brisa; Hora: 18", "De baile"),
        ("Sala: Cala; Hora: 9", "Hoja > De yoga"),
    ]


def test_label_behind_an_empty_row_keeps_the_columns_names():
    lines = ("Tarifas", "", "Sala | Hora | Aforo", "Brisa | 18 | 12", "", "De yoga", "Cala | 9 | 8")
    assert read(lines) == [
        ("Sala: Brisa; Hora: 18; Aforo: 12", "Tarifas"),
        ("Sala: Cala; Hora: 9; Aforo: 8", "Tarifas > De yoga"),
    ]


def test_label_without_rows_is_a_note():
    lines = ("Sala | Hora | Aforo", "Brisa | 18 | 12", "IVA incluido")
    assert texts(*lines, row3={0: 3}) == ["Sala: Brisa; Hora: 18; Aforo: 12", "IVA incluido"]


def test_merged_sentence_labels_nothing():
    note = "Los precios de esta tabla valen hasta el 30 de junio."
    lines = ("Sala | Hora | Aforo", "Brisa | 18 | 12", note, "Cala | 9 | 8")
    assert read(lines, row3={0: 3}) == [
        ("Sala: Brisa; Hora: 18; Aforo: 12", "Hoja"),
        (note, "Hoja"),
        ("Sala: Cala; Hora: 9; Aforo: 8", "Hoja"),
    ]


def test_outer_of_two_labels_stays():
    lines = ("Sala | Hora | Aforo", "Planta baja", "De baile", "Brisa | 18 | 12", "De yoga")
    more = ("Cala | 9 | 8", "Planta alta", "De remo", "Duna | 7 | 5")
    wide = {0: 3}
    found = read([*lines, *more], row2=wide, row3=wide, row5=wide, row7=wide, row8=wide)
    assert [title for _, title in found] == [
        "Hoja > Planta baja – De baile",
        "Hoja > Planta baja – De yoga",
        "Hoja > Planta alta – De remo",
    ]


def test_list_of_prices_without_a_header_has_labels():
    lines = ("Cortes", "Señora | 18 €", "Niño | 9 €", "Color:", "Tinte | 25 €", "Mechas | 40 €")
    assert read(lines) == [
        ("Señora: 18 €", "Hoja > Cortes"),
        ("Niño: 9 €", "Hoja > Cortes"),
        ("Tinte: 25 €", "Hoja > Color"),
        ("Mechas: 40 €", "Hoja > Color"),
    ]


def test_contact_that_is_missing_is_no_label():
    lines = ("Contacto", "Teléfono | 960 555 014", "Fax", "Correo | a@b.es", "Web | b.es")
    assert read(lines)[-2:] == [("Correo: a@b.es", "Contacto"), ("Web: b.es", "Contacto")]


def test_cell_merged_over_the_middle_of_a_table_labels_nothing():
    lines = ("Hora | Lunes | Martes", "10:00 | Yoga | Baile", "| Pausa", "12:00 | Remo | Vela")
    assert read(lines, row3={1: 2}) == [
        ("Hora: 10:00; Lunes: Yoga; Martes: Baile", "Hoja"),
        ("Pausa", "Hoja"),
        ("Hora: 12:00; Lunes: Remo; Martes: Vela", "Hoja"),
    ]


def test_row_without_values_is_no_label():
    lines = ("Sala | Hora | Aforo", "Brisa | 18 | 12", "Marea", "Cala | 9 | 8")
    assert texts(*lines) == [
        "Sala: Brisa; Hora: 18; Aforo: 12",
        "Sala: Marea",
        "Sala: Cala; Hora: 9; Aforo: 8",
    ]


def test_header_that_is_repeated_is_no_row():
    lines = ("Sala | Hora | Aforo", "Brisa | 18 | 12", "Sala | Hora | Aforo", "Cala | 9 | 8")
    assert texts(*lines) == ["Sala: Brisa; Hora: 18; Aforo: 12", "Sala: Cala; Hora: 9; Aforo: 8"]


def test_labels_of_one_table_are_not_those_of_the_next():
    lines = (
        "Sala | Hora | Aforo | | Taquilla | Alto",
        "De baile | | | | T1 | 90",
        "Brisa | 18 | 12 | | T2 | 120",
        "De yoga | | | | T3 | 60",
        "Cala | 9 | 8",
    )
    assert read(lines, row2={0: 3}, row4={0: 3}) == [
        ("Sala: Brisa; Hora: 18; Aforo: 12", "Hoja > De baile"),
        ("Sala: Cala; Hora: 9; Aforo: 8", "Hoja > De yoga"),
        ("Taquilla: T1; Alto: 90", "Hoja"),
        ("Taquilla: T2; Alto: 120", "Hoja"),
        ("Taquilla: T3; Alto: 60", "Hoja"),
    ]
