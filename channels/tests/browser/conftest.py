"""A browser for a module's tests, the product that it talks to, and a company with an agent."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.tests.factories import make_connection
from config.tests.running_product import Product
from config.tests.web_server import Site, serve_site
from query.tests.chat_server import ChatServer, serve_chat

# No calls home; and whatever a page may name, nobody but this machine is ever looked up.
FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
]
PATIENCE_MS = 60_000  # for what must happen, on a busy machine

Visit = Callable[..., "Visitor"]


@dataclass
class Visitor:
    """A page in a browser of its own, and what went on in it."""

    page: Page
    context: BrowserContext
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.context.on("console", lambda message: self.console.append(message.text))
        self.context.on("weberror", lambda error: self.crashes.append(str(error.error)))
        self.context.on("dialog", self.note_dialog)

    def note_dialog(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Its loop runs in this thread, which Django takes for asynchronous code."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "yes")
        expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """`visit(url)`: a new visitor with nothing stored; further words are of the context."""
    contexts = []

    def visit(url: str, **options: Any) -> Visitor:
        context = browser.new_context(**{"locale": "en-GB", "color_scheme": "light", **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        visitor = Visitor(context.new_page(), context)
        visitor.page.goto(url)
        return visitor

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def running_product() -> Iterator[Product]:
    product = Product()
    product.start()
    yield product
    product.stop()


@pytest.fixture
def product(running_product: Product) -> Product:
    running_product.forget()
    return running_product


@pytest.fixture
def site() -> Iterator[Site]:
    """The company's website: another origin than the product's."""
    with serve_site() as site:
        yield site


@pytest.fixture
def agent(committed_tenant: Tenant, site: Site) -> Agent:
    """At the web channel, for the visitors of `site`."""
    agent = make_agent(
        committed_tenant,
        name="Marina",
        welcome_msg="Hello! Ask me about the lighthouse.",
        allowed_origins=[site.url],
    )
    make_connection(agent, "web")
    return agent


@pytest.fixture
def model(settings: Any) -> Iterator[ChatServer]:
    """A language model that says what a test tells it to."""
    with serve_chat() as server:
        settings.LLM_BASE_URL = server.url
        settings.LLM_MODEL = "stand-in"
        yield server
