"""Web pages: what they say without the furniture, and what a crawler is told of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from reading.cutting import chunk_document
from reading.errors import UnreadableFile
from reading.extractors.html import source
from reading.extractors.html.page import extract
from reading.file_types import HTML
from reading.passages import Block
from reading.tests.confined import extract_document, read_document

LONG = "The workshop repairs bicycles of every make while you wait, from Monday to Saturday. "


def blocks(page: str | bytes) -> list[Block]:
    return list(extract(page.encode() if isinstance(page, str) else page).blocks)


def texts(page: str | bytes) -> list[str]:
    return [block.text for block in blocks(page)]


def facts(page: str | bytes) -> Mapping[str, Sequence[str]]:
    return extract(page.encode() if isinstance(page, str) else page).facts


def main(content: str) -> str:
    return f"<html><body><main>{content}</main></body></html>"


# --- What a page says -----------------------------------------------------------------------------


def test_blocks_stand_under_their_heading_which_is_their_place():
    page = main("<h1>Alquiler</h1><p>Hola.</p><h2>Plazos</h2><p>Dos <b>días</b>.</p>")
    assert blocks(page) == [
        Block("Alquiler", "section Alquiler", "Alquiler", is_heading=True),
        Block("Hola.", "section Alquiler", "Alquiler"),
        Block("Plazos", "section Plazos", "Alquiler > Plazos", is_heading=True),
        Block("Dos días.", "section Plazos", "Alquiler > Plazos"),
    ]


@pytest.mark.parametrize(
    "content", ["<main><p>Hola.</p></main>", "<section><p>Hola.</p></section>"]
)
def test_content_begins_the_body_where_its_tag_was_left_out(content: str):
    """As the standard allows, and many generators do."""
    page = f"<!doctype html><meta charset=utf-8><title>Saludos</title>{content}<p>Adiós.</p>"
    assert texts(page)[0] == "Hola."
    assert facts(page)["title"] == ["Saludos"]


def test_heading_by_its_role_counts():
    page = main('<div role="heading" aria-level="2">Plazos</div><p>Dos días de espera.</p>')
    assert blocks(page)[-1].section_title == "Plazos"


def test_text_between_blocks_is_a_block():
    assert texts(main("uno <p>dos</p> tres <div>cuatro <em>cin</em>co</div> seis y siete")) == [
        "uno",
        "dos",
        "tres",
        "cuatro cinco",
        "seis y siete",
    ]


def test_line_breaks_stay_and_other_white_space_does_not():
    page = main("<p>Calle  Mayor 1<br>46001\n Valencia</p><pre>a = 1\n  b = 2</pre>")
    assert texts(page) == ["Calle Mayor 1\n46001 Valencia", "a = 1\nb = 2"]


def test_entities_are_characters():
    page = main(
        "<p>Se&ntilde;al: 30&nbsp;&euro; &#8211; &#x201C;s&iacute;&rdquo; &amp; &lt;no&gt;</p>"
    )
    assert texts(page) == ["Señal: 30 € – “sí” & <no>"]


def test_lists_keep_their_marks():
    page = main(
        "<ul><li>pan<li><p>leche</p><p>entera</p></ul>"
        "<ol start=3><li>abrir<ol><li>con llave</ol><li>cerrar<li value=9>salir</ol>"
    )
    assert texts(page) == [
        "- pan",
        "- leche",
        "entera",
        "3. abrir",
        "1. con llave",
        "4. cerrar",
        "9. salir",
    ]


def test_definition_stands_with_its_term():
    page = main(
        "<dl><div><dt>Teléfono</dt><dd>960 555 014</dd></div><dt>Abren los lunes?</dt>"
        "<dd>Sí.</dd><dd>De nueve a dos.</dd><dt>Fax</dt></dl>"
    )
    assert texts(page) == [
        "Teléfono: 960 555 014",
        "Abren los lunes? Sí.",
        "De nueve a dos.",
        "Fax",
    ]


def test_what_opens_and_shuts_is_a_section():
    page = main(
        "<h1>Ayuda</h1><details><summary>¿Hay recambios?</summary><p>Sí, siempre.</p></details>"
        "<p>Escríbanos cuando quiera.</p>"
    )
    place, title = "section ¿Hay recambios?", "Ayuda > ¿Hay recambios?"
    assert blocks(page)[1:] == [
        Block("¿Hay recambios?", place, title, is_heading=True),
        Block("Sí, siempre.", place, title),
        Block("Escríbanos cuando quiera.", "section Ayuda", "Ayuda"),
    ]


def test_button_alone_in_a_heading_is_the_heading():
    page = main(
        "<h2><button>¿Hay recambios?</button></h2><p>Sí, siempre.</p><button>Pagar</button>"
    )
    assert texts(page) == ["¿Hay recambios?", "Sí, siempre."]


def test_mark_that_points_to_its_heading_is_left_out():
    page = main('<h2>Plazos <a href="#plazos">#</a></h2><p>Dos días de espera.</p>')
    assert texts(page)[0] == "Plazos"


def test_description_of_a_picture_is_text_when_it_has_words():
    page = main(
        '<img alt="Velomar logo"><img alt="IMG_2034.jpg de la tienda">'
        '<figure><img alt="Escaparate de la tienda nueva">'
        "<figcaption>Escaparate de la tienda nueva</figcaption></figure>"
    )
    assert texts(page) == ["Escaparate de la tienda nueva"]


def test_quotation_keeps_its_author():
    page = main("<blockquote><p>Volveré.</p><footer>Rosa, clienta</footer></blockquote>")
    assert texts(page) == ["Volveré.", "Rosa, clienta"]


def test_deleted_text_is_left_out():
    assert texts(main("<p>Ahora <del>899 €</del> <ins>799 €</ins> con casco</p>")) == [
        "Ahora 799 € con casco"
    ]


def test_text_of_a_link_stays_and_its_address_does_not():
    page = main('<p>Lea las <a href="https://x.example/c">condiciones</a> antes.</p>')
    assert texts(page) == ["Lea las condiciones antes."]


# --- Tables ---------------------------------------------------------------------------------------


def table(rows: str) -> str:
    return main(f"<table>{rows}</table>")


def test_table_rows_carry_their_columns_names():
    page = table(
        "<caption>Tarifas</caption><thead><tr><th>Modelo<th>Día<th>Semana</thead>"
        "<tbody><tr><td>Xaloc<td>14 €<td>65 €<tr><td>Duna<td>22 €<td></tbody>"
    )
    assert texts(page) == [
        "Tarifas",
        "Modelo: Xaloc; Día: 14 €; Semana: 65 €",
        "Modelo: Duna; Día: 22 €",
    ]


def test_names_in_ordinary_cells_are_found():
    page = table("<tr><td>Modelo<td>Día<td>Semana<tr><td>Xaloc<td>14<td>65<tr><td>Duna<td>22<td>99")
    assert texts(page) == [
        "Modelo: Xaloc; Día: 14; Semana: 65",
        "Modelo: Duna; Día: 22; Semana: 99",
    ]


def test_two_rows_of_names_are_joined():
    page = table(
        "<thead><tr><th rowspan=2>Modelo<th colspan=2>Verano<tr><th>Día<th>Semana</thead>"
        "<tr><td>Xaloc<td>14<td>65"
    )
    assert texts(page) == ["Modelo: Xaloc; Verano Día: 14; Verano Semana: 65"]


def test_cell_over_several_rows_or_columns_stands_in_each():
    page = table(
        "<tr><th>Ciudad<th>Mañana<th>Tarde<tr><td rowspan=2>Gandía<td>9–14<td>16–20"
        "<tr><td colspan=2>Cerrado"
    )
    assert texts(page) == [
        "Ciudad: Gandía; Mañana: 9–14; Tarde: 16–20",
        "Ciudad: Gandía; Mañana: Cerrado; Tarde: Cerrado",
    ]


def test_title_within_a_table_stands_with_the_rows_below_it():
    page = table(
        "<tr><th>Modelo<th>Día<tr><th colspan=2>Carretera<tr><td>Xaloc<td>14 €"
        "<tr><th colspan=2>Montaña<tr><td>Duna<td>22 €"
    )
    assert texts(page) == [
        "Carretera – Modelo: Xaloc; Día: 14 €",
        "Montaña – Modelo: Duna; Día: 22 €",
    ]


def test_names_are_found_in_two_rows_and_above_titles_within():
    page = table(
        "<tr><td rowspan=2>Modelo<td colspan=2>Verano<tr><td>Día<td>Semana"
        "<tr><td colspan=3>Carretera<tr><td>Xaloc<td>14<td>65"
        "<tr><td colspan=3>Montaña<tr><td>Duna<td>22<td>99"
    )
    assert texts(page) == [
        "Carretera – Modelo: Xaloc; Verano Día: 14; Verano Semana: 65",
        "Montaña – Modelo: Duna; Verano Día: 22; Verano Semana: 99",
    ]


def test_names_at_the_side_are_pairs():
    page = table("<tr><th>Teléfono<td>960 555 014<tr><th>Horario<td>L–V<br>9–14")
    assert texts(page) == ["Teléfono: 960 555 014", "Horario: L–V, 9–14"]


def test_table_that_arranges_a_page_is_no_data():
    page = (
        "<body><table><tr><td><a href=1>Inicio</a><br><a href=2>Tienda</a><br><a href=3>Blog</a>"
        f"<td><h1>Taller</h1><p>{LONG}</p><table><tr><td>solo</table></table></body>"
    )
    assert texts(page) == ["Taller", LONG.strip(), "solo"]


# --- What is left out -----------------------------------------------------------------------------

NAVIGATION = "<ul><li><a href=/>Inicio</a><li><a href=/t>Tienda</a><li><a href=/c>Contacto</a></ul>"


@pytest.mark.parametrize(
    "furniture",
    [
        f"<nav>{NAVIGATION}</nav>",
        f'<div role="navigation">{NAVIGATION}</div>',
        f'<div class="main-menu">{NAVIGATION}</div>',
        f'<div id="topNavbar">{NAVIGATION}</div>',
        NAVIGATION,
        "<p><a href=/>Inicio</a> | <a href=/t>Tienda</a> | <a href=/c>Contacto</a></p>",
        '<div class="breadcrumbs"><a href=/>Inicio</a> &gt; Taller</div>',
        "<header><p>Bicicletas desde 1998</p></header>",
        '<div id="header"><p>Bicicletas desde 1998</p></div>',
        "<footer><p>Velomar S.L., Valencia</p></footer>",
        '<div class="site-footer"><p>Velomar S.L., Valencia</p></div>',
        "<aside><h3>Noticias</h3><p>Abrimos en Gandía.</p></aside>",
        '<div class="cookie-banner"><p>Usamos cookies.</p><button>Vale</button></div>',
        '<div id="onetrust-consent-sdk"><h2>Privacidad</h2><p>Usamos cookies.</p></div>',
        '<div class="cookies">Usamos cookies. <a href=/cookies>Más</a></div>',
        '<div role="dialog"><p>Suscríbase a nuestro boletín.</p></div>',
        '<div class="social-share"><a href=f>Facebook</a> <a href=x>X</a></div>',
        '<a class="skip-link" href="#main">Saltar al contenido</a>',
        "<script>var a = 'texto';</script><style>p{color:red}</style>",
        "<noscript>Active JavaScript</noscript><template><p>plantilla</p></template>",
        "<svg><title>icono</title><text>dibujo</text></svg>",
        "<form><label>Nombre</label><input value=Ana><textarea>hola</textarea>"
        "<select><option>uno</select><button>Enviar</button></form>",
        "<iframe src=x>marco</iframe><video>vídeo</video>",
        '<p hidden>oculto</p><p aria-hidden="true">oculto</p>',
        '<div style="color:red; display: none"><p>oculto</p></div>',
        "<!-- comentario -->",
    ],
)
@pytest.mark.parametrize("wrap", ["{}{}", "{}<main>{}</main>", "{}<div class=content>{}</div>"])
def test_furniture_of_a_page_is_left_out(furniture: str, wrap: str):
    page = wrap.format(furniture, f"<h1>Taller</h1><p>{LONG}</p>")
    assert texts(f"<html><body>{page}</body></html>") == ["Taller", LONG.strip()]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<header><h1>Taller</h1><p>Desde 1998</p></header>", ["Taller", "Desde 1998"]),
        ('<div class="menu"><p>Arroz al horno, 12 €</p></div>', ["Arroz al horno, 12 €"]),
        ('<div class="card-footer">Desde 899 euros</div>', ["Desde 899 euros"]),
        ('<div hidden="until-found"><p>Plegado</p></div>', ["Plegado"]),
        (
            '<p>Escriba a <a href="mailto:a@b.example">a@b.example</a></p>',
            ["Escriba a a@b.example"],
        ),
        (
            '<div class="cookie-policy"><h1>Cookies</h1><p>Guardamos el idioma.</p></div>',
            ["Cookies", "Guardamos el idioma."],
        ),
        ('<form action="/x"><p>Toda la página en uno.</p></form>', ["Toda la página en uno."]),
        (
            "<h3><a href=1>Xaloc</a></h3><h3><a href=2>Duna</a></h3><h3><a href=3>Mar</a></h3>",
            ["Xaloc", "Duna", "Mar"],
        ),
    ],
)
def test_content_that_looks_like_furniture_stays(content: str, expected: list[str]):
    assert texts(f"<html><body>{content}<p>{LONG}</p></body></html>") == [*expected, LONG.strip()]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<header><p>8 de noviembre</p></header>", ["8 de noviembre"]),
        ("<aside><p>Solo con cita previa.</p></aside>", ["Solo con cita previa."]),
        (
            "<ul><li><a href=1>Taller</a><li><a href=2>Alquiler</a><li><a href=3>Rutas</a></ul>",
            ["- Taller", "- Alquiler", "- Rutas"],
        ),
    ],
)
@pytest.mark.parametrize("container", ["main", "article"])
def test_within_the_content_more_is_content(content: str, expected: list[str], container: str):
    page = f"<body><{container}><p>{LONG}</p>{content}</{container}></body>"
    assert texts(page) == [LONG.strip(), *expected]


def test_script_that_marks_the_whole_page_hides_nothing():
    page = '<body class="cookie-bar-shown" style="display:none"><p>Abrimos los sábados.</p></body>'
    assert texts(page) == ["Abrimos los sábados."]


def test_title_above_the_content_belongs_to_it():
    page = f"<header><nav>{NAVIGATION}</nav><h1>Taller</h1></header><main><p>{LONG}</p></main>"
    assert blocks(page)[-1] == Block(LONG.strip(), "section Taller", "Taller")


def test_empty_main_hides_no_content():
    assert (
        texts(f"<main><p>Cargando</p></main><div><p>{LONG * 3}</p></div>")[-1] == (LONG * 3).strip()
    )


def test_one_teaser_is_not_the_page():
    page = f"<article><p>Noticia breve.</p></article><p>{LONG}</p><p>Y otra cosa más.</p>"
    assert texts(page) == ["Noticia breve.", LONG.strip(), "Y otra cosa más."]


ARTICLE = (LONG * 15).strip()


def test_stray_lines_around_an_article_are_left_out():
    page = f"<div>Acceso</div><div><p>{ARTICLE}</p><p>Fin del texto.</p></div><p>v2</p>"
    assert texts(page) == [ARTICLE, "Fin del texto."]


def test_table_beside_an_article_stays():
    rows = "<table><tr><th>Modelo<th>Día<tr><td>Xaloc<td>14 €</table>"
    page = f"<body><div><p>{ARTICLE}</p></div><div>{rows}</div></body>"
    assert texts(page)[-1] == "Modelo: Xaloc; Día: 14 €"


def test_only_content_is_never_left_out():
    assert texts("<body><footer><p>Cerrado por obras hasta mayo.</p></footer></body>") == [
        "Cerrado por obras hasta mayo."
    ]
    assert texts(f"<body>{NAVIGATION}</body>") == ["- Inicio", "- Tienda", "- Contacto"]


def test_text_said_twice_in_a_row_is_said_once():
    assert texts(main("<p>Novedad de otoño</p><div>Novedad de otoño</div><p>Otra</p>")) == [
        "Novedad de otoño",
        "Otra",
    ]


# --- Encodings ------------------------------------------------------------------------------------

SPANISH = "Año nuevo: señal de 30 €, «mañana»"


@pytest.mark.parametrize(
    ("declaration", "encoding"),
    [
        ('<meta charset="iso-8859-1">', "cp1252"),
        ("<meta http-equiv=content-type content='text/html; charset=windows-1252'>", "cp1252"),
        ('<meta charset="iso-8859-15">', "iso-8859-15"),
        ('<?xml version="1.0" encoding="ISO-8859-15"?>', "iso-8859-15"),
        ('<meta charset="utf-8">', "utf-8"),
        ('<meta charset="utf-8">', "cp1252"),  # says so and is not
        ('<meta charset="iso-8859-1">', "utf-8"),
        ('<meta charset="iso-8859-1">', "utf-8-sig"),
        ('<meta charset="utf-8">', "utf-16"),
        ('<meta charset="zip">', "utf-8"),  # a codec of Python, no encoding
        ("", "utf-8"),
        ("", "cp1252"),
    ],
)
def test_encoding_is_found(declaration: str, encoding: str):
    page = f"{declaration}<html><head><title>{SPANISH}</title></head><p>{SPANISH}</p></html>"
    extraction = extract(page.encode(encoding))
    assert [block.text for block in extraction.blocks] == [SPANISH]
    assert extraction.facts["title"] == [SPANISH]


# --- Damaged and hostile pages --------------------------------------------------------------------


@pytest.mark.parametrize(
    "page", [b"", b" \n", b"<html></html>", b"<!-- x -->", b"<script>x</script>", b"\0\0", b"<p>"]
)
def test_page_without_text_has_no_blocks(page: bytes):
    assert blocks(page) == []
    assert facts(page)["text_chars"] == ["0"]


def test_text_without_any_element_is_a_page():
    assert texts("Abrimos los sábados.") == ["Abrimos los sábados."]


def test_unclosed_elements_are_closed():
    page = "<h1>Taller<p>uno <b>dos<p>tres<ul><li>pan<li>leche<table><tr><td>a<td>b<tr><td>c<td>d"
    assert texts(page) == ["Taller", "uno dos", "tres", "- pan", "- leche", "a: b", "c: d"]


def test_text_behind_the_end_of_the_page_is_read():
    page = "<html><body><p>antes</p></body></html><p>después</p>"
    assert texts(page) == ["antes", "después"]


def test_characters_that_no_database_stores_are_gone():
    page = "<title>a\0b</title><a href='/a\0b\x07'>uno</a><a href='/a\0b'>d\0os &#7;\u200btres</a>"
    assert texts(page) == ["unodos tres"]
    assert (facts(page)["title"], facts(page)["links"]) == (["ab"], ["/ab"])


def test_deep_nesting_is_read_as_far_as_browsers_go():
    assert texts("<div>" * 500 + "fondo" + "</div>" * 500 + "<p>fin</p>") == ["fondo", "fin"]


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "table><tr><td", "blockquote"])
def test_nesting_without_end_is_refused(tag: str):
    with pytest.raises(UnreadableFile, match="has too many nested levels"):
        extract(f"<p>uno</p>{f'<{tag}>' * 100_000}dos".encode())


def test_larger_pages_than_memory_holds_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(source, "TAGS_MAX", 10)
    with pytest.raises(UnreadableFile, match="too much text"):
        extract(b"<p>" * 11)
    monkeypatch.setattr(source, "HTML_MAX_BYTES", 10)
    with pytest.raises(UnreadableFile, match="too much text"):
        extract(b"eleven byte")


def test_cells_that_claim_to_cover_millions_do_not():
    page = table("<tr><th>a<th>b<tr><td>z<td colspan=999999999 rowspan=999999999>x<tr><td>y")
    assert [text.count("x") for text in texts(page)] == [50, 50]


def test_entities_of_a_document_type_are_not_expanded():
    bomb = '<!DOCTYPE html [<!ENTITY a "aaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    said = " ".join(texts(f"{bomb}<html><body><p>x &a;&b; y</p></body></html>"))
    assert "aaaa" not in said
    assert "root:" not in said


# --- What a crawler is told -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<title>Rutas | Velomar</title><h1>Rutas</h1>", "Rutas"),
        ("<title>Rutas - Velomar</title><meta property=og:title content=Rutas>", "Rutas"),
        ("<title>Rutas – Velomar</title><meta property=og:site_name content=Velomar>", "Rutas"),
        ("<title>Velomar · Rutas</title><meta property=og:site_name content=Velomar>", "Rutas"),
        ("<title>Sol | Mar | Velomar</title><h1>Sol | Mar</h1>", "Sol | Mar"),
        ("<title>Rutas | Velomar</title><h1>Velomar</h1>", "Rutas | Velomar"),
        ("<title>Rutas | Velomar</title><h1>A pie</h1>", "Rutas | Velomar"),
        ("<title>E-bikes</title><h1>Bicis</h1>", "E-bikes"),
        ("<title> Se&ntilde;al \n de  tren </title>", "Señal de tren"),
        ("<svg><title>icono</title></svg><h1>Rutas<br>a pie</h1>", "Rutas a pie"),
        ("<p>nada</p>", ""),
    ],
)
def test_title_is_the_pages_own(page: str, title: str):
    assert facts(page)["title"] == [title]


def test_links_are_all_there_in_order_and_once():
    page = (
        '<nav><a href="/a">A</a></nav><main><a href=" b?x=1&amp;y=2#z ">B</a><a href="/a">otra</a>'
        '<map><area href="c.html"></map></main><p hidden><a href="//d.example/e">E</a></p>'
    )
    assert facts(page)["links"] == ["/a", "b?x=1&y=2#z", "c.html", "//d.example/e"]


def test_page_that_sends_its_reader_on_links_there():
    page = '<meta http-equiv="refresh" content="0; url=/es/">'
    assert facts(page)["links"] == ["/es/"]


@pytest.mark.parametrize(
    "link",
    [
        '<a href="/x" rel="external nofollow">',
        '<a name="x">',
        '<a href="">',
        '<a href="#abajo">',
        '<a href="mailto:a@b.example">',
        '<a href="javascript:void(0)">',
        f'<a href="/{"x" * 2000}">',
    ],
)
def test_link_that_is_not_to_be_followed_is_not_told(link: str):
    assert facts(f"{link}texto</a>")["links"] == []


def test_number_of_links_is_bounded():
    page = "".join(f"<a href=/{number}>x</a>" for number in range(6000))
    assert len(facts(page)["links"]) == 5000


def test_directives_canonical_address_base_language_and_scripts_are_told():
    page = (
        '<html lang="es-ES"><head><base href="/tienda/"><link rel="Canonical" href="https://x.example/a">'
        '<meta name="ROBOTS" content="NoIndex, max-snippet:5"><meta name=googlebot content=none>'
        "<script src=a></script><script>b</script></head><body><p>Hola</p></body></html>"
    )
    given = facts(page)
    assert given["robots"] == ["noindex", "max-snippet:5", "nofollow"]
    assert given["canonical"] == ["https://x.example/a"]
    assert given["base"] == ["/tienda/"]
    assert given["language"] == ["es-ES"]
    assert given["scripts"] == ["2"]


def test_page_that_says_nothing_of_itself():
    assert facts("<p>Hola, mundo.</p>") == {
        "title": [""],
        "canonical": [],
        "base": [],
        "robots": [],
        "refresh": [],
        "links": [],
        "text_chars": ["12"],
        "scripts": ["0"],
        "markers": [],
        "language": [],
    }


def test_characters_counted_are_those_of_the_content():
    page = f"<nav>{NAVIGATION}</nav><main><h1>Taller</h1><p>Hola.</p></main><footer>{LONG}</footer>"
    assert facts(page)["text_chars"] == ["11"]


@pytest.mark.parametrize(
    "page",
    [
        "<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>",
        "<title>Un momento…</title><script>window._cf_chl_opt={}</script>",
        "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1>",
        '<iframe id="main-iframe" src="/_Incapsula_Resource?x=1">Incapsula incident ID: 1</iframe>',
        "<h1>Access Denied</h1><p>Reference #18.1 https://errors.edgesuite.net/18.1</p>",
        "<script>var dd={'host':'geo.captcha-delivery.com'}</script>",
        '<div id="px-captcha"></div><p>Press & Hold to confirm you are a human</p>',
        '<p>One more step</p><form><div class="g-recaptcha"></div><input type=submit></form>',
    ],
)
def test_check_of_a_bot_protection_is_marked(page: str):
    assert facts(page)["markers"] == ["challenge"]


@pytest.mark.parametrize(
    "page",
    [
        '<div id="root"></div><script src="main.js"></script>',
        '<app-root>Cargando…</app-root><script type="module" src="main.js"></script>',
        '<div id="__next"><div></div></div><script>x</script><footer>© 2025 Velomar</footer>',
        "<noscript>You need to enable JavaScript to run this app.</noscript><script>x</script>",
    ],
)
def test_empty_shell_of_an_application_is_marked(page: str):
    assert facts(page)["markers"] == ["app"]


@pytest.mark.parametrize(
    "page",
    [
        "<p>Abrimos los sábados.</p><script src=stats.js></script>",
        "<p>Hola.</p><noscript><iframe src=stats></iframe></noscript><script>x</script>",
        f'<div id="root"><main><p>{LONG}</p></main></div><script src="main.js"></script>',
        '<div id="root"></div>',
        "<title>Just a moment of calm</title><p>Yoga los martes.</p>",
        '<form><input name=email><div class="g-recaptcha"></div></form><p>Escríbanos.</p>',
        f"<script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js></script><p>{LONG}</p>",
        f"<h1>Bots</h1><p>{LONG * 15} captcha-delivery.com</p>",
        "",
    ],
)
def test_honest_page_is_not_marked(page: str):
    assert facts(page)["markers"] == []


# --- As an uploaded file --------------------------------------------------------------------------


def stored(tmp_path: Path, page: str) -> Path:
    path = tmp_path / "page"
    path.write_bytes(page.encode())
    return path


def test_uploaded_page_becomes_passages_by_section(tmp_path: Path):
    path = stored(tmp_path, main(f"<h1>Taller</h1><p>{LONG}</p><h2>Horario</h2><p>De 9 a 14.</p>"))
    document = extract_document(path, content_type=HTML, title="taller.html")
    assert [
        (passage.text, passage.location, passage.section_title, passage.level)
        for passage in chunk_document(document)
    ] == [
        (LONG.strip(), "section Taller", "Taller", "section"),
        ("De 9 a 14.", "section Horario", "Taller > Horario", "section"),
    ]


def test_facts_pass_the_confinement(tmp_path: Path):
    path = stored(tmp_path, '<title>Índice</title><a href="/a"></a>')
    document = read_document(path, content_type=HTML, title="x", extractor="html.page")
    assert (document.blocks, document.facts["links"]) == ((), ("/a",))
    assert document.facts["title"] == ("Índice",)


def test_refusal_of_a_page_arrives_in_words(tmp_path: Path):
    with pytest.raises(UnreadableFile, match="Export it as PDF or text"):
        extract_document(stored(tmp_path, "<div>" * 100_000), content_type=HTML, title="x")
