"""PDF: paragraphs, headings and tables rebuilt from where the words stand."""

import io
import re
from collections.abc import Callable

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from reading.errors import UnreadableFile
from reading.extractors.pdf import document, layout, tables, words
from reading.extractors.pdf.document import extract
from reading.extractors.pdf.layout import PageText
from reading.extractors.pdf.words import utf16_offsets
from reading.passages import Block
from reasons import Reason

LEFT, TOP, LEADING, SIZE = 60, 780, 14, 11
BODY, BOLD = "Helvetica", "Helvetica-Bold"
Draw = Callable[[Canvas], None]


def make_pdf(*pages: Draw, encryption: StandardEncryption | None = None) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(595, 842), encrypt=encryption)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def lines(*texts: str, font: str = BODY, size: int = SIZE, top: int = TOP) -> Draw:
    """Lines of one paragraph; "" leaves one out."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, size)
        for number, text in enumerate(texts):
            canvas.drawString(LEFT, top - number * LEADING, text)

    return draw


def together(*draws: Draw) -> Draw:
    def draw(canvas: Canvas) -> None:
        for each in draws:
            each(canvas)

    return draw


def cells(top: int, *columns: tuple[int, str], font: str = BODY) -> Draw:
    """A row: (x, text), numbers right-aligned at x as in a printed statement."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont(font, SIZE)
        for x, text in columns:
            if x == LEFT or text[:1].isalpha():
                canvas.drawString(x, top, text)
            else:
                canvas.drawRightString(x, top, text)

    return draw


def blocks(*pages: Draw) -> list[Block]:
    return list(extract(make_pdf(*pages)).blocks)


def texts(*pages: Draw) -> list[str]:
    return [block.text for block in blocks(*pages)]


# --- Running text ---------------------------------------------------------------------------------


def test_lines_of_a_paragraph_are_joined():
    page = lines(
        "La bicicleta plegable pesa poco y cabe debajo de",
        "cualquier asiento del tren de cercanías.",
    )
    assert blocks(page) == [
        Block(
            "La bicicleta plegable pesa poco y cabe debajo de cualquier asiento del tren de "
            "cercanías.",
            "page 1",
        )
    ]


def test_wider_gap_begins_a_paragraph():
    assert texts(lines("El taller abre a las nueve.", "", "La tienda abre a las diez.")) == [
        "El taller abre a las nueve.",
        "La tienda abre a las diez.",
    ]


def test_words_divided_at_the_end_of_a_line_are_whole():
    page = lines("Los gastos de manteni-", "miento corren de nuestra cuenta.")
    assert texts(page) == ["Los gastos de mantenimiento corren de nuestra cuenta."]


def test_hyphen_of_a_compound_stays():
    page = lines(
        "The long tail of the third party is a party of its own, and the third-",
        "party insurance covers it.",
    )
    assert texts(page)[0].endswith("the third-party insurance covers it.")


def test_bullets_are_blocks_of_their_own():
    assert texts(lines("• frenos", "• cambios", "3. Volver a montar")) == [
        "• frenos",
        "• cambios",
        "3. Volver a montar",
    ]


def test_number_of_an_item_stays_with_its_text():
    page = together(
        cells(700, (LEFT, "1."), (90, "I have read this report with care")),
        cells(686, (LEFT, "2."), (90, "I know of no untrue statement in it")),
    )
    assert texts(page) == [
        "1. I have read this report with care",
        "2. I know of no untrue statement in it",
    ]


def words_at(x: int, *texts: str, top: int = TOP) -> Draw:
    def draw(canvas: Canvas) -> None:
        canvas.setFont(BODY, SIZE)
        for number, text in enumerate(texts):
            canvas.drawString(x, top - number * LEADING, text)

    return draw


def test_columns_of_text_are_read_one_after_the_other():
    left = words_at(LEFT, "La primera columna habla de bicis", "que se pliegan y de lo que pesan.")
    right = words_at(320, "La segunda columna habla de plazos", "de entrega y de lo que cuestan.")
    assert texts(together(left, right)) == [
        "La primera columna habla de bicis que se pliegan y de lo que pesan.",
        "La segunda columna habla de plazos de entrega y de lo que cuestan.",
    ]


def test_justified_lines_are_no_table():
    def justified(top: int, *phrases: str) -> Draw:
        def draw(canvas: Canvas) -> None:
            canvas.setFont(BODY, SIZE)
            x = float(LEFT)
            for phrase in phrases:
                canvas.drawString(x, top, phrase)
                x += canvas.stringWidth(phrase, BODY, SIZE) + 16

        return draw

    page = together(
        justified(740, "Los pedidos que", "entran antes de", "la una salen hoy", "mismo y llegan"),
        justified(726, "mañana a todo", "el país, salvo", "a las islas, que", "tardan tres más."),
    )
    assert texts(page) == [
        "Los pedidos que entran antes de la una salen hoy mismo y llegan mañana a todo el país, "
        "salvo a las islas, que tardan tres más."
    ]


def test_turned_page_is_read_as_it_is_shown():
    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(90)
        canvas.setFont(BODY, SIZE)
        canvas.translate(0, 0)
        canvas.rotate(90)
        canvas.drawString(100, -100, "La página apaisada se lee igual que las")
        canvas.drawString(100, -114, "demás, línea por línea.")

    assert texts(draw) == ["La página apaisada se lee igual que las demás, línea por línea."]


def test_dots_of_a_table_of_contents_are_left_out():
    page = together(
        cells(740, (LEFT, "Garantía .............................. 12")),
        cells(726, (LEFT, "Devoluciones.......................... 15")),
    )
    assert " ".join(texts(page)).replace(":", "") == "Garantía 12 Devoluciones 15"


def test_location_is_the_page():
    assert [block.location for block in blocks(lines("Uno."), lines("Dos."))] == [
        "page 1",
        "page 2",
    ]


# --- Headings -------------------------------------------------------------------------------------


def test_larger_type_is_a_heading():
    page = together(lines("Garantía", size=18), lines("Seis años para el cuadro.", top=740))
    assert blocks(page) == [
        Block("Garantía", "page 1", "Garantía", is_heading=True),
        Block("Seis años para el cuadro.", "page 1", "Garantía"),
    ]


def test_bold_line_is_a_heading_below_the_larger_ones():
    page = together(
        lines("Garantía", size=18),
        lines("Cuadro y horquilla", font=BOLD, top=740),
        lines("Seis años para quien pase la primera revisión con nosotros.", top=720),
    )
    other = together(lines("Recambios", size=18), lines("Dos años.", top=740))
    assert blocks(page, other)[2].section_title == "Garantía > Cuadro y horquilla"


def test_section_goes_on_over_the_page():
    first = together(lines("Garantía", size=18), lines("Seis años para el cuadro.", top=740))
    found = blocks(first, lines("Dos años para la batería, sin contar los ciclos."))
    assert found[-1].section_title == "Garantía"


def test_bold_sentence_is_no_heading():
    page = together(
        lines("No se admiten devoluciones de artículos rebajados en ningún caso.", font=BOLD),
        lines("Los demás artículos se devuelven en treinta días con su etiqueta.", top=740),
    )
    assert [block.is_heading for block in blocks(page)] == [False, False]


def test_document_in_bold_has_no_headings():
    page = lines("Abierto todo el año", "Salvo en agosto", "Llame antes", font=BOLD)
    assert not any(block.is_heading for block in blocks(page))


# --- What repeats ---------------------------------------------------------------------------------


def furnished(number: int, text: str) -> Draw:
    return together(
        lines("Catálogo de otoño", size=8, top=820),
        lines(text),
        lines(f"Página {number} de 3", size=8, top=30),
    )


def test_headers_are_read_once_and_page_numbers_left_out():
    pages = [furnished(number, f"Texto {word}.") for number, word in enumerate("abc", start=1)]
    assert texts(*pages) == ["Catálogo de otoño", "Texto a.", "Texto b.", "Texto c."]


def test_pages_that_are_alike_are_read_once():
    page = lines("Vale por un café.", "No caduca.")
    assert texts(page, page, page, page) == ["Vale por un café. No caduca."]


def test_pages_that_differ_by_a_number_only_are_all_read():
    pages = [lines(f"Cupón {number} de la rifa") for number in range(1, 5)]
    assert texts(*pages) == [f"Cupón {number} de la rifa" for number in range(1, 5)]


def test_pages_with_nothing_but_their_number_are_read():
    assert texts(*[lines(str(number)) for number in range(1, 8)]) == list("1234567")


LEFT_AND_RIGHT = [("a", "Izda"), ("b", "Dcha"), ("c", "Izda"), ("d", "Dcha")] * 2


def test_footers_of_left_and_right_pages_are_read_once_each():
    pages = [
        together(lines(f"Texto {word}."), lines(f"{footer} {number}", size=8, top=30))
        for number, (word, footer) in enumerate(LEFT_AND_RIGHT, start=1)
    ]
    expected = ["Texto a.", "Texto b.", "Texto c.", "Texto d."] * 2
    assert texts(*pages) == [expected[0], "Izda 1", expected[1], "Dcha 2", *expected[2:]]


def test_lines_that_differ_in_a_number_that_counts_no_pages_stay():
    pages = [
        together(lines(f"Modelo {name}"), cells(700, (LEFT, "Peso"), (200, f"{weight} kg")))
        for name, weight in (("Xaloc", 14), ("Duna", 12), ("Brisa", 16))
    ]
    assert [text for text in texts(*pages) if "Peso" in text] == [
        "Peso 14 kg",
        "Peso 12 kg",
        "Peso 16 kg",
    ]


def test_lines_that_repeat_in_the_middle_of_pages_stay():
    filler = lines(*(f"Línea {word} de la página." for word in "abcd"))
    more = lines(*(f"Otra línea {word} de relleno." for word in "efgh"), top=400)
    page = together(filler, lines("Precio sin IVA.", top=600), more)
    assert sum("Precio sin IVA." in text for text in texts(page, page, page)) == 3


# --- Tables ---------------------------------------------------------------------------------------

STATEMENT = together(
    lines("Cuenta de resultados (en miles de euros)", font=BOLD),
    cells(740, (300, "Tres meses hasta")),
    cells(726, (300, "junio 2024"), (400, "junio 2023")),
    cells(712, (LEFT, "Ventas:")),
    cells(698, (75, "Bicicletas"), (350, "1.204"), (450, "(980)")),
    cells(684, (75, "Recambios"), (350, "310"), (450, "—")),
    cells(670, (LEFT, "Total"), (350, "1.514"), (450, "980")),
    lines("Las cifras no han sido auditadas por ningún experto independiente.", top=640),
)


def test_rows_of_a_statement_carry_their_columns_headings_group_and_unit():
    assert texts(STATEMENT)[1:] == [
        "Ventas: Bicicletas (en miles de euros) — Tres meses hasta junio 2024: 1.204; "
        "Tres meses hasta junio 2023: (980)",
        "Ventas: Recambios (en miles de euros) — Tres meses hasta junio 2024: 310; "
        "Tres meses hasta junio 2023: —",
        "Total (en miles de euros) — Tres meses hasta junio 2024: 1.514; "
        "Tres meses hasta junio 2023: 980",
        "Las cifras no han sido auditadas por ningún experto independiente.",
    ]


def test_table_stands_under_its_heading():
    found = blocks(STATEMENT)
    assert found[0].is_heading
    assert {block.section_title for block in found[1:5]} == {found[0].text}


def test_unit_is_not_said_of_what_it_excepts():
    page = together(
        lines("(In millions, except per share amounts)"),
        cells(740, (350, "2024"), (450, "2023")),
        cells(726, (LEFT, "Net income"), (350, "19,881"), (450, "19,442")),
        cells(712, (LEFT, "Earnings per share"), (350, "1.27"), (450, "1.20")),
    )
    assert texts(page)[1:] == [
        "Net income (in millions) — 2024: 19,881; 2023: 19,442",
        "Earnings per share — 2024: 1.27; 2023: 1.20",
    ]


def test_currency_signs_stay_with_their_numbers():
    page = together(
        cells(740, (350, "2024"), (450, "2023")),
        cells(726, (LEFT, "Sales"), (300, "$"), (350, "60,584"), (400, "$"), (450, "63,355")),
        cells(712, (LEFT, "Costs"), (350, "39,136"), (450, "41,485")),
    )
    assert texts(page) == [
        "Sales — 2024: $60,584; 2023: $63,355",
        "Costs — 2024: 39,136; 2023: 41,485",
    ]


def test_label_of_two_lines_is_one():
    page = together(
        cells(740, (350, "2024"), (450, "2023")),
        cells(726, (LEFT, "Sales"), (350, "10"), (450, "12")),
        cells(712, (LEFT, "Property, plant and")),
        cells(702, (LEFT, "equipment"), (350, "30"), (450, "31")),
    )
    assert texts(page)[1] == "Property, plant and equipment — 2024: 30; 2023: 31"


def test_no_word_of_a_table_is_lost():
    page = together(
        cells(740, (LEFT, "Concepto"), (300, "Marzo"), (400, "Abril")),
        cells(726, (120, "ACTIVO")),
        cells(712, (LEFT, "Circulante:")),
        cells(698, (75, "Caja"), (330, "10"), (430, "12")),
        cells(684, (120, "PASIVO")),
        cells(670, (75, "Deuda"), (330, "4"), (430, "5"), (500, "(nota 3)")),
    )
    said = " ".join(texts(page))
    words = {"Concepto", "Marzo", "Abril", "ACTIVO", "Circulante", "Caja", "10", "12"}
    words |= {"PASIVO", "Deuda", "4", "5", "nota 3"}
    assert {word for word in words if word not in said} == set()


def test_pairs_are_names_and_values():
    page = together(
        cells(740, (LEFT, "Motor"), (200, "rueda trasera, 40 Nm")),
        cells(720, (LEFT, "Peso"), (200, "dieciséis kilos")),
    )
    assert texts(page) == ["Motor: rueda trasera, 40 Nm", "Peso: dieciséis kilos"]


def test_table_of_words_has_its_names():
    page = together(
        cells(740, (LEFT, "Día"), (200, "Turno"), (350, "Lugar")),
        cells(726, (LEFT, "Lunes"), (200, "Ana"), (350, "Taller")),
        cells(712, (LEFT, "Martes"), (200, "Leo"), (350, "Tienda")),
    )
    assert texts(page) == [
        "Día: Lunes; Turno: Ana; Lugar: Taller",
        "Día: Martes; Turno: Leo; Lugar: Tienda",
    ]


def test_signs_apart_from_their_texts_make_no_table():
    """Joined to the texts, no row of several cells is left."""
    page = together(
        cells(740, (LEFT, "Nombre"), (200, ":")),
        cells(726, (LEFT, "Fecha"), (200, ":")),
    )
    assert texts(page) == ["Nombre :", "Fecha :"]


def test_rows_of_words_before_the_first_row_of_amounts_are_rows():
    page = together(
        cells(740, (LEFT, "Plan"), (250, "Alta"), (400, "Cuota")),
        cells(726, (LEFT, "Básico"), (250, "gratis"), (400, "ninguna")),
        cells(712, (LEFT, "Socio"), (250, "gratis"), (400, "la mitad")),
        cells(698, (LEFT, "Familia"), (250, "a mitad"), (400, "según edad")),
        cells(684, (LEFT, "Empresa"), (280, "40 €"), (430, "90 €")),
    )
    assert texts(page) == [
        "Plan: Básico; Alta: gratis; Cuota: ninguna",
        "Plan: Socio; Alta: gratis; Cuota: la mitad",
        "Plan: Familia; Alta: a mitad; Cuota: según edad",
        "Empresa — Alta: 40 €; Cuota: 90 €",
    ]


def test_numbers_of_an_axis_stay():
    def axis(*numbers: int, x: int) -> Draw:
        return together(
            *(words_at(x, str(number), top=700 - 40 * row) for row, number in enumerate(numbers))
        )

    page = together(axis(0, 1, 2, 3, 4, x=LEFT), axis(0, 25, 50, 75, 100, x=400))
    numbers = re.findall(r"\d+", " ".join(texts(page)))
    assert sorted(numbers, key=int) == ["0", "0", "1", "2", "3", "4", "25", "50", "75", "100"]


# --- What is on the page --------------------------------------------------------------------------


def test_text_that_was_cropped_off_is_not_on_the_page():
    def cropped(canvas: Canvas) -> None:
        canvas.setCropBox((0, 400, 595, 842))
        lines("A la vista.", top=700)(canvas)
        lines("Recortado.", top=200)(canvas)

    assert texts(cropped) == ["A la vista."]


def test_text_beside_the_page_is_not_on_it():
    assert texts(together(lines("A la vista."), words_at(700, "Fuera de la hoja."))) == [
        "A la vista."
    ]


def test_letters_that_are_drawn_twice_to_look_bold_are_read_once():
    def twice(canvas: Canvas) -> None:
        canvas.setFont(BODY, SIZE)
        x = float(LEFT)
        for letter in "Zurich 100 III":
            canvas.drawString(x, 700, letter)
            canvas.drawString(x + 0.4, 700, letter)
            x += canvas.stringWidth(letter, BODY, SIZE)

    assert texts(twice) == ["Zurich 100 III"]


def test_line_that_is_drawn_again_as_its_shadow_is_read_once():
    page = together(
        words_at(LEFT, "Gran Hotel de la Playa"), words_at(LEFT + 1, "Gran Hotel de la Playa")
    )
    assert texts(page) == ["Gran Hotel de la Playa"]


def test_letters_and_words_that_are_double_stay():
    assert texts(lines("AA ll 11 oo bla bla 22 22")) == ["AA ll 11 oo bla bla 22 22"]


def test_lone_letters_far_apart_are_no_word():
    """PDFium joins them where they are the only ones on the page."""
    page = together(words_at(LEFT, "A"), words_at(LEFT + 300, "B"))
    assert " ".join(texts(page)).replace(":", "").split() == ["A", "B"]


def test_lone_letters_far_below_each_other_are_no_word():
    corners = ((LEFT, 700, "A"), (LEFT, 100, "B"), (500, 700, "C"), (500, 100, "D"))

    def letters(canvas: Canvas) -> None:
        canvas.setFont(BODY, SIZE)
        for x, y, letter in corners:
            canvas.drawString(x, y, letter)

    assert sorted(re.findall(r"\w+", " ".join(texts(letters)))) == ["A", "B", "C", "D"]


def test_words_that_run_upwards_are_whole():
    def upwards(canvas: Canvas) -> None:
        canvas.setFont(BODY, SIZE)
        canvas.rotate(90)
        canvas.drawString(300, -LEFT, "It is illustrated in ill light")

    words = ["It", "is", "illustrated", "in", "ill", "light"]
    assert sorted(re.findall(r"\w+", " ".join(texts(upwards)))) == sorted(words)


def test_spaced_letters_are_one_word():
    def spaced(canvas: Canvas) -> None:
        canvas.setFont(BODY, SIZE)
        canvas.drawString(LEFT, 700, "Kilómetro", charSpace=5)

    assert texts(spaced) == ["Kilómetro"]


# --- What people added ----------------------------------------------------------------------------


def form(canvas: Canvas) -> None:
    lines("Solicitud")(canvas)
    fields = canvas.acroForm
    fields.textfield(name="f1", tooltip="Nombre", value="Ana Ruiz", x=60, y=700)
    fields.textfield(name="ciudad_natal", value="Soria", x=60, y=660)
    fields.textfield(name="form[0].page[0].f2[0]", value="Taller", x=60, y=620)
    fields.textfield(name="vacío", value="", x=60, y=580)
    fields.textfield(name="clave", value="secreta", x=60, y=540, fieldFlags="password")
    fields.checkbox(name="c1", tooltip="Quiere factura", checked=True, x=60, y=500)
    fields.checkbox(name="c2", tooltip="Quiere catálogo", checked=False, x=60, y=460)
    fields.choice(name="talla", value="L", options=["M", "L"], x=60, y=420)


def test_form_is_read_with_the_names_of_its_fields():
    assert texts(form) == [
        "Solicitud",
        "Nombre: Ana Ruiz",
        "ciudad natal: Soria",
        "Taller",
        "Quiere factura",
        "talla: L",
    ]


def test_comments_are_read_and_links_are_not():
    def annotated(canvas: Canvas) -> None:
        lines("Contrato")(canvas)
        canvas.textAnnotation("Falta la firma", Rect=(60, 700, 80, 720))
        canvas.freeTextAnnotation("Borrador", DA="/Helv 11 Tf", Rect=(60, 600, 200, 620))
        canvas.linkURL("https://example.com/oculto", (60, 500, 200, 520))

    assert [block.text for block in blocks(annotated)] == ["Contrato", "Falta la firma", "Borrador"]


def test_stamp_is_read_as_it_looks():
    look = b"BT /F1 11 Tf 5 5 Td (Pagado) Tj ET"
    stamp = b"/Type /Annot /Subtype /Stamp /F 4 /Rect [60 700 160 720] /AP <</N 90 0 R>>"
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources <</Font <</F1 2 0 R>>>>"
    data = make_pdf(lines("Factura")).replace(b"/Type /Page\n", b"/Type /Page /Annots [91 0 R]\n")
    objects = b"90 0 obj <<%b /Length %d>> stream\n%b\nendstream endobj\n91 0 obj <<%b>> endobj\n"
    data = data.replace(b"xref\n", objects % (form, len(look), look, stamp) + b"xref\n", 1)
    assert [block.text for block in extract(data).blocks] == ["Factura", "Pagado"]


def test_form_without_other_text_is_read():
    def only_field(canvas: Canvas) -> None:
        canvas.acroForm.textfield(name="Nombre", value="Ana", x=60, y=700)

    assert blocks(only_field) == [Block("Nombre: Ana", "page 1")]


def with_catalogue_entry(data: bytes, entry: bytes) -> bytes:
    """PDFium looks for objects by itself where the table of their places is wrong."""
    return data.replace(b"/Type /Catalog", b"/Type /Catalog " + entry)


def test_embedded_files_are_named():
    file = b"(precios.xlsx) <</Type /Filespec /F (precios.xlsx)>>"
    names = b"/Names <</EmbeddedFiles <</Names [%b]>>>>" % file
    extraction = extract(with_catalogue_entry(make_pdf(lines("Oferta")), names))
    assert [block.text for block in extraction.blocks] == ["Oferta"]
    assert extraction.warnings == [Reason("embedded_files_left_out", names="precios.xlsx")]


def test_form_for_programs_of_adobe_is_named():
    xfa = b"/NeedsRendering true /AcroForm <</XFA [(template) 99 0 R] /Fields []>>"
    extraction = extract(with_catalogue_entry(make_pdf(lines("Please wait...")), xfa))
    assert extraction.warnings == [document.XFA_LEFT_OUT]
    assert refusal(with_catalogue_entry(make_pdf(nothing), xfa)) == document.XFA_LEFT_OUT


# --- Files that cannot be read --------------------------------------------------------------------


def refusal(data: bytes) -> Reason:
    with pytest.raises(UnreadableFile) as caught:
        extract(data)
    return caught.value.reason


def test_protected_file_is_named_as_such():
    data = make_pdf(lines("secreto"), encryption=StandardEncryption("secret", ownerPassword="o"))
    assert refusal(data) == (Reason("file_protected", kind="PDF"))


def test_file_that_only_restricts_printing_is_read():
    encryption = StandardEncryption("", ownerPassword="o", canPrint=0)
    data = make_pdf(lines("A la vista de todos."), encryption=encryption)
    assert [block.text for block in extract(data).blocks] == ["A la vista de todos."]


def nothing(canvas: Canvas) -> None:
    canvas.rect(100, 100, 50, 50)


def picture(canvas: Canvas) -> None:
    canvas.drawInlineImage(Image.new("RGB", (20, 20)), 100, 100)


def test_scan_is_named_as_such():
    assert str(refusal(make_pdf(picture, picture))).startswith(
        "This PDF is a scan without text, and text recognition (OCR) is not set up"
    )


def test_empty_pages_are_no_scan():
    assert str(refusal(make_pdf(nothing))).startswith(
        "This PDF has no text that can be indexed: its pages are empty or damaged."
    )


def test_pages_without_text_are_counted_and_lose_nothing():
    extraction = extract(make_pdf(lines("Uno."), nothing, lines("Tres.")))
    assert (extraction.warnings, extraction.pages) == ([], 3)


WORDS = ["alfa", "bravo", "coral", "delta", "eco", "faro", "golfo", "hielo", "isla", "jaspe"]


@pytest.mark.parametrize(("cut", "pages"), [(0.5, 1), (0.7, 5), (0.95, 10)])
def test_pages_of_a_file_that_was_cut_off_are_read_and_the_loss_is_told(cut: float, pages: int):
    data = make_pdf(*[lines(f"Texto de la página {word}.") for word in WORDS])
    extraction = extract(data[: int(len(data) * cut)])
    said = " ".join(block.text for block in extraction.blocks)
    assert [word for word in WORDS[:pages] if word not in said] == []
    assert extraction.warnings == [document.INCOMPLETE]


def test_what_stands_before_the_header_is_left_out():
    extraction = extract(b"X-Mail: scanner\r\n" * 200 + make_pdf(lines("Texto.")))
    assert [block.text for block in extraction.blocks] == ["Texto."]
    assert extraction.warnings == []


@pytest.mark.parametrize("data", [b"%PDF-1.7", b"%PDF-1.7\n" + b"1 0 obj\n" * 1000])
def test_file_of_which_no_page_is_left_is_damaged(data: bytes):
    assert "damaged or incomplete" in str(refusal(data))


def test_page_that_cannot_be_read_costs_only_itself():
    data = make_pdf(lines("Uno."), lines("Dos."), lines("Tres."))
    second = [match.start() for match in re.finditer(rb"/Type /Page\b(?!s)", data)][1]
    extraction = extract(data[:second] + b"/Type /Pags" + data[second + 11 :])
    assert [block.text for block in extraction.blocks] == ["Uno.", "Tres."]
    assert extraction.warnings == [
        Reason("pages_damaged", places=Reason("places_page", numbers="2"))
    ]


def test_page_that_our_own_code_fails_at_costs_only_itself(monkeypatch):

    def read_or_fail(page: pypdfium2.PdfPage) -> PageText:
        text = layout.read_page(page)
        if "Dos." in text.lines[0].text:
            raise IndexError
        return text

    monkeypatch.setattr(document, "read_page", read_or_fail)
    extraction = extract(make_pdf(lines("Uno."), lines("Dos."), lines("Tres.")))
    assert [block.text for block in extraction.blocks] == ["Uno.", "Tres."]
    assert extraction.warnings == [
        Reason("pages_damaged", places=Reason("places_page", numbers="2"))
    ]


def test_table_that_cannot_be_read_as_one_costs_its_layout_only(monkeypatch):
    monkeypatch.setattr(tables.TableReader, "read", lambda *_: [].pop())
    assert texts(STATEMENT)[-3:] == [
        "Recambios 310 —",
        "Total 1.514 980",
        "Las cifras no han sido auditadas por ningún experto independiente.",
    ]


def test_page_with_too_many_characters_is_told(monkeypatch):
    monkeypatch.setattr(words, "CHARACTERS_MAX", 10)
    extraction = extract(make_pdf(lines("La primera frase.")))
    assert [block.text for block in extraction.blocks] == ["La primera"]
    assert extraction.warnings == [
        Reason("pages_too_full", places=Reason("places_page", numbers="1"))
    ]


def test_pages_are_counted_before_they_are_read(monkeypatch):
    monkeypatch.setattr(document, "PAGES_MAX", 2)
    assert str(refusal(make_pdf(*[lines("x")] * 3))).startswith("This PDF has more than")


def test_characters_beyond_the_first_plane_do_not_shift_the_words():

    assert list(utf16_offsets("a😀b")) == [0, 1, 3, 4]


def test_one_row_of_words_under_bold_headings_is_a_table():
    """Narrow gaps, no numbers: only that its cells begin where the headings do tells it."""
    columns = (LEFT, 122, 182, 236, 388)
    headings = ("Altitude", "Process", "Roast", "Notes", "Best for")
    values = ("very high", "naturally", "medium", "plum, cocoa, walnut and fig", "filter")
    page = together(
        lines("The beans are dried on raised beds for weeks on end."),
        cells(TOP - 40, *zip(columns, headings, strict=True), font=BOLD),
        cells(TOP - 58, *zip(columns, values, strict=True)),
    )
    assert texts(page)[-1] == (
        "Altitude: very high; Process: naturally; Roast: medium;"
        " Notes: plum, cocoa, walnut and fig; Best for: filter"
    )
