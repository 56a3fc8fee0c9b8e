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


DISHES = "Lentil soup 6 euros, hake with peppers 14 euros, rice pudding 4 euros."
MENUS = {
    "tabs in a part that is called menu": (
        "<section id=menu><div role=tablist><button role=tab aria-controls=p>Lunch</button></div>"
        "<div role=tabpanel id=p hidden><p>{}</p></div></section>"
    ),
    "panel that is called menu": (
        "<h3>Lunch</h3><div class='menu lunch-menu' style='display:none'><p>{}</p></div>"
    ),
    "accordion in a list that is called menu": (
        "<ul class=menu-list><li class=menu><button aria-controls=p>Lunch</button><div id=p hidden>"
        "{}</div></ul>"
    ),
}


@pytest.mark.parametrize("content", MENUS.values(), ids=MENUS.keys())
def test_the_menu_of_a_restaurant_is_text_that_a_click_opens(content: str):
    assert ("Lunch", DISHES) in sections(crawled(content.format(DISHES)))


@pytest.mark.parametrize("content", MENUS.values(), ids=MENUS.keys())
def test_the_menu_of_a_website_stays_hidden(content: str):
    words = "Home and news <a href=/a>Tours of 2027</a> <a href=/b>Prices of 2027</a> Contact"
    for navigation in ("Start and news, tours and prices, contact and address", words):
        read = crawled(content.format(navigation))
        assert not any("Contact" in text or "contact" in text for _, text in sections(read))
        assert read.warnings == []


def test_the_menu_of_a_restaurant_that_nothing_opens_is_told():
    assert crawled(f"<div class=lunch-menu hidden><p>{DISHES}</p></div>").warnings == [HIDDEN]


# --- What is told of what stays hidden ------------------------------------------------------------

ONCE = "Our guests may borrow an umbrella at the desk and bring it back on the day they leave."
NO_LOSS = {
    "menu for small screens": (
        "<div class='mobile-menu' style='display:none'><p>Call us and ask for Ana, every day</p>"
        "<a href=/a>Tours of the season</a></div>"
    ),
    "drawer": f"<div id=drawer hidden><p>{ONCE}</p></div>",
    "panel at the side": f"<div class='slide-out-panel' aria-hidden=true><p>{ONCE}</p></div>",
    "cookie dialog, name in camel case": (
        f"<div id=cookieConsentBanner style='display:none'><p>{ONCE * 9}</p></div>"
    ),
    "cookie dialog in Spanish": f"<div id=avisoCookies hidden><p>{ONCE * 9}</p></div>",
    "cookie dialog by its maker's name": f"<div class=cmplz-banner hidden><p>{ONCE}</p></div>",
    "dialog within a wrapper": f"<div hidden><div class=gdpr-box><p>{ONCE}</p></div></div>",
    "search above the page": f"<div id=searchModal aria-hidden=true><p>{ONCE}</p></div>",
    "form for signing in": (
        "<div class='modal fade' aria-hidden=true><h4>Sign in</h4><p>Have you forgotten your"
        " password? We send you another one.</p><input type=email></div>"
    ),
    "booking with its lists": (
        f"<div style='display:none'><p>Book a table, for how many of you?</p><select>"
        f"<option>{ONCE * 5}</select></div>"
    ),
    "newsletter": f"<div class=newsletter-popup hidden><h3>Stay in touch</h3><p>{ONCE}</p></div>",
    "cart": f"<div class=cart-drawer aria-hidden=true><p>{ONCE}</p></div>",
    "share": f"<div class=share-box style='display:none'><p>{ONCE}</p></div>",
    "chat": f"<div id=chat-widget style='display:none'><p>{ONCE}</p></div>",
    "picture above the page": f"<div class=lightbox hidden><div>{ONCE}</div></div>",
    "message of a form": (
        "<form><div class=invalid-feedback hidden>Please enter a valid e-mail address.</div>"
        "<div class=w-form-done hidden>Thank you! We have received your words.</div></form>"
    ),
    "message while it loads": f"<div class=preloader hidden>{ONCE}</div>",
    "old browsers": f"<div class=browser-warning style='display:none'>{ONCE}</div>",
    "template of a program": "<div hidden><p>{{ name }} for {{ price }} euros {{ stock }}</div>",
    "template element": f"<template><p>{ONCE}</p></template>",
    "names of icons": "".join(
        f"<p><span aria-hidden=true>local_shipping verified_user</span> Item {number}</p>"
        for number in range(9)
    ),
    "formula, drawn a second time": f"<p>E<span aria-hidden=true>{ONCE}</span></p>",
    "copy in a carousel": (
        f"<div><p>{ONCE}</p></div><div class=slick-cloned aria-hidden=true><p>{ONCE}</p></div>"
    ),
    "copy for small screens": f"<p>{ONCE}</p><p style='display:none'>{ONCE.upper()}</p>",
    "link that skips": "<div style='visibility:hidden'><a href='#x'>Skip to the content</a></div>",
    "buttons of a choice": (
        "<div hidden><p>Choose</p><button>Spain and its islands</button>"
        "<button>France and its islands</button></div>"
    ),
}


@pytest.mark.parametrize("content", NO_LOSS.values(), ids=NO_LOSS.keys())
def test_what_websites_hide_beside_their_text_is_not_told(content: str):
    assert crawled(content).warnings == []
    assert page.extract(f"<div><p>{LONG}</p></div>{content}".encode()).warnings == []


LOST = {
    "text that nothing opens": f"<div style='display:none'><p>{ONCE}</p></div>",
    "table": (
        "<div class=winter hidden><table><tr><td>Adult fare in winter<td>40 euros a day"
        "<tr><td>Child fare in winter<td>20 euros a day</table></div>"
    ),
    "items behind 'load more'": "".join(
        f"<p style='display:none'>Tour {number}: {number + 20} euros</p>" for number in range(12)
    ),
    "section that is not read aloud": f"<section aria-hidden=true><p>{ONCE}</p></section>",
    "part of a long form": f"<form><div hidden><p>{' '.join(f'{n}. {ONCE}' for n in range(5))}</p>",
    "conditions in a window": (
        f"<div class=modal hidden><p>{' '.join(f'{n}. {ONCE}' for n in range(5))}</p></div>"
    ),
    "names that hold such a word": f"<div class=social-housing hidden><p>{ONCE}</p></div>",
    "text beside a dialog": (
        f"<div hidden><div class=cookie-box hidden>{ONCE}</div><p>Text of its own. {ONCE}</p></div>"
    ),
}


@pytest.mark.parametrize("content", LOST.values(), ids=LOST.keys())
def test_text_that_is_lost_is_told(content: str):
    assert crawled(content).warnings == [HIDDEN]
    assert uploaded(content).warnings == ([] if "aria-hidden" in content else [HIDDEN])


def test_what_is_hidden_outside_the_main_part_of_a_website_is_not_told():
    hidden = f"<div hidden><p>{ONCE}</p></div>"
    text = f"<main><p>{LONG}</p></main>{hidden}".encode()
    assert page.extract(text).warnings == []
    assert document.extract(text).warnings == [HIDDEN]


def test_hidden_parts_however_deep_in_each_other_are_told():
    deep = f"{'<div hidden>' * 200}<p>{ONCE}</p>{'</div>' * 200}"
    assert crawled(deep).warnings == [HIDDEN]


def test_page_of_a_hundred_thousand_controls_is_read_in_time():
    depth = "<div hidden>" * 500
    controls = "<button aria-controls=p>Ver</button>" * 100_000
    assert sections(crawled(f"{depth}{controls}")) == []
