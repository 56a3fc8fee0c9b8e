"""Text that a click shows is text; what stays hidden is none, and its loss is told."""

import pytest

from reading.extractors.html import document, page
from reading.extractors.interface import Extraction
from reasons.reason import Reason

LONG = "The workshop repairs bicycles of every make while you wait, from Monday to Saturday. "
HIDDEN = Reason("hidden_parts_left_out")


def crawled(content: str) -> Extraction:
    return page.extract(f"<main><h1>Taller</h1><p>{LONG}</p>{content}</main>".encode())


def uploaded(content: str) -> Extraction:
    return document.extract(f"<main><h1>Taller</h1><p>{LONG}</p>{content}</main>".encode())


def sections(extraction: Extraction) -> list[tuple[str, str]]:
    """The last heading above each text below the page's first two."""
    blocks = [block for block in extraction.blocks if not block.is_heading][1:]
    return [(block.section_title.rpartition(" > ")[2], block.text) for block in blocks]


OPENED = {
    "hidden, button with aria-controls": (
        "<h3><button aria-expanded=false aria-controls=p>¿Parchan?</button></h3><div id=p hidden>{}"
        "</div>"
    ),
    "display none, button without a heading": (
        "<button type=button aria-controls='x p'>¿Parchan?</button>"
        '<div id=p style="display:none"><p>{}</p></div>'
    ),
    "aria-hidden, the control names itself by data-bs-target": (
        '<h2><a role=button data-bs-target="#p">¿Parchan?</a></h2>'
        "<div id=p class=collapse aria-hidden=true>{}</div>"
    ),
    "Bootstrap 3, data-target": (
        '<h4 data-toggle=collapse data-target="#p">¿Parchan?</h4>'
        "<section id=p class=collapse hidden>{}</section>"
    ),
    "link to the place": (
        '<h4><a href="#p">¿Parchan?</a></h4><div id=p style="display: none !important">{}</div>'
    ),
    "tab panel": (
        "<div role=tablist><button role=tab aria-controls=o>Otro</button>"
        "<button role=tab aria-controls=p>¿Parchan?</button></div>"
        "<div role=tabpanel id=p hidden><p>{}</p></div>"
    ),
    "tab panel that names its tab": (
        "<ul role=tablist><li role=tab id=t>¿Parchan?</li></ul>"
        "<div role=tabpanel aria-labelledby=t hidden><p>{}</p></div>"
    ),
    "expand of Confluence": (
        '<div class="expand-container"><div class="expand-control">'
        '<span class="expand-control-icon"></span><span class="expand-control-text">¿Parchan?'
        '</span></div><div class="expand-content expand-hidden" style="display:none">'
        "<p>{}</p></div></div>"
    ),
    "heading directly before": '<h3>¿Parchan?</h3><div style="visibility:hidden">{}</div>',
    "term directly before": "<dl><dt>¿Parchan?</dt><dd hidden>{}</dd></dl>",
    "control within the wrapper before": (
        "<div><button type=button>¿Parchan?</button></div><div hidden><p>{}</p></div>"
    ),
    "hidden box in a shown panel": (
        "<h3><button aria-controls=p>¿Parchan?</button></h3><div id=p><div hidden>{}</div></div>"
    ),
    "summary": "<details><summary>¿Parchan?</summary><div hidden>{}</div></details>",
    "control that is opened itself": (
        "<h2><button aria-controls=a>Ruedas</button></h2><div id=a hidden>"
        "<h3><button aria-controls=p>¿Parchan?</button></h3><div id=p hidden>{}</div></div>"
    ),
}


@pytest.mark.parametrize("read", [crawled, uploaded])
@pytest.mark.parametrize("content", OPENED.values(), ids=list(OPENED))
def test_text_that_a_click_opens_stands_under_what_opens_it(content: str, read):
    extraction = read(content.format("Sí, las ruedas se parchan los jueves, desde 35 euros."))
    told = [(title, text) for title, text in sections(extraction) if text.endswith("euros.")]
    (answer,) = told
    assert "¿Parchan?" in " ".join(answer)
    assert list(extraction.warnings) == []


STAYS_HIDDEN = {
    "template": "<h3>Plantilla</h3><template><p>{}</p></template>",
    "nothing opens it": "<p>Hola.</p><div hidden>{}</div>",
    "control that nobody sees": "<div hidden><button aria-controls=p>Ver</button></div><i></i>"
    "<div id=p hidden>{}</div>",
    "honeypot": "<form><h3>Escriba</h3><div style='display:none'>{}<input name=web></div></form>",
    "honeypot by its label": "<h3>Escriba</h3><div hidden>{}<input name=url></div>",
    "cookies": "<button aria-controls=p>Cookies</button><div id=p class=cookie-consent hidden>{}"
    "</div>",
    "menu": '<button aria-controls=p>Menú</button><div id=p hidden><ul><li><a href="/a">{}</a>'
    '<li><a href="/b">{}</a></ul></div>',
    "navigation": "<button aria-controls=p>Menú</button><nav id=p hidden>{}</nav>",
    "answer of a form": "<form><button>Enviar</button><p hidden>{}</p></form>",
    "message of a program": "<h3>Compra</h3><div class='alert alert-danger' hidden>{}</div>",
    "pop-up menu": "<button aria-haspopup=menu aria-controls=p>Más</button><ul id=p hidden><li>{}"
    "</ul>",
}


@pytest.mark.parametrize("read", [crawled, uploaded])
@pytest.mark.parametrize("content", STAYS_HIDDEN.values(), ids=list(STAYS_HIDDEN))
def test_what_stays_hidden_is_no_text(content: str, read):
    secret = "Este texto no lo abre nadie en la página, ni con el ratón."
    assert secret not in " ".join(
        block.text for block in read(content.replace("{}", secret)).blocks
    )


def test_what_is_left_out_of_a_website_is_told_as_of_an_upload():
    """Menus, banners and questions to robots are furniture, which nobody misses."""
    content = "<p>Hola.</p><div hidden>{}</div>"
    assert list(crawled(content.format("secreto " * 9)).warnings) == [HIDDEN]
    assert list(crawled(content.format("no " * 5)).warnings) == []
    assert list(crawled(f"<nav hidden>{'menú ' * 20}</nav>").warnings) == []
    assert list(crawled(f"<div hidden class=cookie-banner>{'galleta ' * 20}</div>").warnings) == []
    assert list(crawled(f"<div hidden><script>{'nada(); ' * 20}</script></div>").warnings) == []


def test_tab_names_its_panel_also_where_the_panel_is_shown():
    tabs = (
        "<ul role=tablist><li role=tab aria-controls=a>Vigo<li role=tab aria-controls=b>Lugo</ul>"
        "<div role=tabpanel id=a><p>Calle Mayor 1</p></div>"
        "<div role=tabpanel id=b hidden><p>Calle Menor 2</p></div><p>Cierra los lunes.</p>"
    )
    assert sections(crawled(tabs)) == [
        ("Vigo", "Calle Mayor 1"),
        ("Lugo", "Calle Menor 2"),
        ("Taller", "Cierra los lunes."),
    ]


def test_page_of_a_hundred_thousand_controls_is_read_in_time():
    depth = "<div hidden>" * 500
    controls = "<button aria-controls=p>Ver</button>" * 100_000
    assert sections(crawled(f"{depth}{controls}")) == []
