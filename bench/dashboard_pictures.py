"""Pictures of every page of the dashboard, in var/pictures: a real browser, the demo company.
Those about accounts elsewhere are made by connecting_pictures.py, those about programs by
program_pictures.py.

Usage: .venv/bin/python -m bench.dashboard_pictures CREDENTIALS [BASE_URL [FOLDER]]
Of a copy that runs with the demo company (`bin/up`); CREDENTIALS is DATA_DIR/demo_credentials.json,
beside which its mails lie. It asks some questions first and names a website that does not exist, so
that there is something to see, and signs a new company up. Wants Debian's chromium, as `bin/test`
does.
"""

from __future__ import annotations

import io
import json
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import requests
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "var" / "pictures"
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOCALE = "en-GB"
HEIGHT_MAX = 1800  # pixels; what is below is more of the same
PATIENCE_SECONDS = 60

OUTSIDE = {
    "landing": "/",
    "sign-in": "/dashboard/sign-in",
    "sign-in-by-code": "/dashboard/sign-in/code",
    "sign-up": "/dashboard/sign-up",
    "forgotten": "/dashboard/reset-password",
}
INSIDE = {
    "home": "",
    "sources": "/sources",
    "add-files": "/sources/add",
    "add-website": "/sources/add/website",
    "agents": "/agents",
    "new-agent": "/agents/new",
    "conversations": "/conversations",
    "unanswered": "/unanswered",
    "entries": "/unanswered/entries",
    "new-entry": "/unanswered/entries/add",
    "leads": "/leads",
    "notifications": "/notifications",
    "notification-mails": "/notifications/mails",
    "workspace": "/workspace",
    "company": "/workspace/company",
    "plan": "/workspace/plan",
    "people": "/workspace/people",
    "api-tokens": "/workspace/tokens",
    "exports": "/workspace/exports",
    "leaving": "/workspace/leaving",
    "activity": "/activity",
    "account": "/account",
    "password": "/account/password",
    "two-factor": "/account/two-factor",
    "workspaces": "/workspaces",
    "not-found": "/sources/00000000-0000-0000-0000-000000000000",
}
# A page of one thing: the first link on its list.
FIRST_OF = {
    "source": "/sources",
    "agent": "/agents",
    "conversation": "/conversations",
    "question": "/unanswered",
    "entry": "/unanswered/entries",
    "lead": "/leads",
}
OF_AN_AGENT = {
    "agent-settings": "/settings",
    "agent-sources": "/sources",
    "channels": "/channels",
    "wrong-answers": "/marks",
}
EMPTY = {
    "new-home": "",
    "new-sources": "/sources",
    "new-agents": "/agents",
    "new-conversations": "/conversations",
    "new-unanswered": "/unanswered",
    "new-leads": "/leads",
    "new-notifications": "/notifications",
}
QUESTIONS = (
    "¿Cuánto tiempo aguanta el café molido?",
    "¿Hacéis envíos a Canarias?",
    "¿Vendéis tazas con el logo?",
    "¿Puedo pagar con Bizum?",
    "What time does the shop close on Saturday?",
    "¿Tenéis aparcamiento para bicicletas?",
)
WISH = ("Quiero comprar 20 kilos al mes para mi bar", "Soy Ana, ana@bar.example")


ENTRY = ("¿Tenéis aparcamiento?", "Sí: dos plazas delante de la tienda, y un aparcabicis.")
NOWHERE = {
    "name": "Tienda en línea",
    "source_type": "web",
    "source_url": "https://tienda.tramontana.example/",
}
PASSWORD = "a long enough secret 7"  # noqa: S105 - of a company that this makes up


# --- Something to see -----------------------------------------------------------------------------


def prepare(base_url: str, login: dict[str, str]) -> None:
    """Questions that are answered and some that are not, a lead, a website that nobody can read."""
    session = requests.Session()
    given = {"email": login["email"], "password": login["password"]}
    tokens = session.post(f"{base_url}/auth/login", json=given, timeout=30).json()
    session.headers["Authorization"] = f"Bearer {tokens['access_token']}"
    website = session.post(f"{base_url}/ingest/sources", json=NOWHERE, timeout=60)
    if website.ok:  # else it is there already
        address = f"{base_url}/ingest/sources/{website.json()['source_id']}/sync"
        session.post(address, timeout=60).raise_for_status()
        wait_for_failure(session, f"{base_url}/ingest/sources/{website.json()['source_id']}/status")
    agent = session.get(f"{base_url}/agents", timeout=30).json()[0]["id"]
    kept = {"store_transcripts": True, "lead_capture_enabled": True}
    kept["lead_notification_email"] = login["email"]  # type: ignore[assignment]  # JSON
    session.put(f"{base_url}/agents/{agent}", json=kept, timeout=30).raise_for_status()
    for number, question in enumerate(QUESTIONS):
        ask(session, base_url, agent, question, f"picture-{number}")
    for message in WISH:
        ask(session, base_url, agent, message, "picture-lead")


def wait_for_failure(session: requests.Session, status: str) -> None:
    """Of a sync, which is tried a few times."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if session.get(status, timeout=30).json()["sync_status"] == "error":
            return
        time.sleep(1)


def ask(session: requests.Session, base_url: str, agent: str, text: str, talk: str) -> None:
    asked = {"query": text, "session_id": talk}
    address = f"{base_url}/agents/{agent}/query"
    session.post(address, json=asked, timeout=60).raise_for_status()


def write_entry(page: Page, dashboard: str) -> None:
    """Answers a question as somebody of the company does."""
    page.goto(f"{dashboard}/unanswered/entries/add")
    page.locator("[name=question]").fill(ENTRY[0])
    page.locator("[name=answer]").fill(ENTRY[1])
    submit(page, "answer")


def sign_up(page: Page, base_url: str, outbox: Path) -> None:
    """A company that has nothing yet."""
    number = secrets.token_hex(3)
    address = f"ana-{number}@delmar.example"
    page.goto(f"{base_url}/dashboard/sign-up")
    page.locator("[name=email]").fill(address)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("[name=tenant_name]").fill("Óptica del Mar")
    page.locator("[name=slug]").fill(f"optica-{number}")
    submit(page, "slug")
    page.locator("[name=code]").fill(mailed_code(outbox, address))
    submit(page, "code")
    page.wait_for_url(f"{base_url}/dashboard/")


def mailed_code(outbox: Path, address: str) -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for path in outbox.glob("*.eml"):
            mail = path.read_text()
            code = re.search(r"^\s*(\d{6})\s*$", mail, re.MULTILINE)
            if f"To: {address}" in mail and code:
                return code[1]
        time.sleep(0.2)
    sys.exit(f"{outbox}: no code for {address} came")


def sign_in(page: Page, base_url: str, login: dict[str, str]) -> None:
    page.goto(f"{base_url}/dashboard/sign-in")
    page.locator("[name=email]").fill(login["email"])
    page.locator("[name=password]").fill(login["password"])
    submit(page, "password")
    page.wait_for_url(f"{base_url}/dashboard/")


def submit(page: Page, field: str) -> None:
    """The form of this field."""
    page.locator(f"main form:has([name={field}]) button[type=submit]").first.click()


# --- Pictures -------------------------------------------------------------------------------------


@contextmanager
def visiting(
    browser: Browser, screen: str, theme: Literal["light", "dark"], state: Any = None
) -> Iterator[Page]:
    """`state`: of a browser that was signed in."""
    with browser.new_context(
        locale=LOCALE,
        color_scheme=theme,
        reduced_motion="reduce",
        storage_state=state,
        **SCREENS[screen],
    ) as context:
        yield context.new_page()


def find_addresses(page: Page, dashboard: str) -> dict[str, str]:
    """Of all pages inside; those of one thing are looked for on its list."""
    found = dict(INSIDE)
    for name, listing in FIRST_OF.items():
        page.goto(f"{dashboard}{listing}")
        link = re.search(rf'href="/dashboard({listing}/[0-9a-f-]{{36}})"', page.content())
        if link is None:
            sys.exit(f"{listing} shows nothing to open")
        found[name] = link[1]
    return found | {name: found["agent"] + path for name, path in OF_AN_AGENT.items()}


class Album:
    """The pictures of one screen and theme."""

    def __init__(self, page: Page, folder: Path, ending: str) -> None:
        self.page, self.folder, self.ending = page, folder, ending

    def open_and_take(self, addresses: dict[str, str], start: str) -> None:
        for name, path in addresses.items():
            self.page.goto(f"{start}{path}")
            self.take(name)

    def take(self, name: str, *, is_end: bool = False) -> None:
        """`is_end`: of a page that is higher than a picture, its end."""
        self.page.evaluate("scrollTo(0, 0)")  # the frame's top goes with what is seen
        self.page.wait_for_load_state("networkidle")
        picture = self.page.screenshot(animations="disabled", caret="hide", full_page=True)
        image = Image.open(io.BytesIO(picture)).convert("RGB")
        height = min(image.height, HEIGHT_MAX)
        top = image.height - height if is_end else 0
        image = image.crop((0, top, image.width, top + height))
        path = self.folder / f"dashboard-{name}-{self.ending}.webp"
        image.save(path, lossless=True, method=4)
        print(f"{path.name}: {path.stat().st_size // 1024} KB")

    def take_playground(self, agent: str) -> None:
        """With an answer, and why it is this one."""
        self.page.goto(f"{agent}/playground")
        self.page.locator("[name=question]").first.fill(QUESTIONS[0])
        self.page.keyboard.press("Enter")
        answer = self.page.locator("[data-log] article:not([aria-busy])")
        answer.locator("details summary").first.click()
        self.take("playground")
        answer.locator(".wrong-answer summary").click()
        answer.locator("[name=note]").fill("Falta decir que molido dura menos.")
        self.take("playground-wrong")
        answer.locator(".wrong-answer button[type=submit]").click()
        answer.locator("[name=note]").wait_for(state="detached")

    def take_two_factor(self, dashboard: str) -> None:
        self.page.goto(f"{dashboard}/account/two-factor")
        self.page.locator("main form button[type=submit]").click()
        self.page.locator("[name=code]").wait_for()
        self.take("two-factor-set-up")

    def take_dialog(self, source: str) -> None:
        self.page.goto(source)
        self.page.locator("[data-opens]").last.click()
        self.take("source-delete")

    def take_problem(self, base_url: str) -> None:
        """A form that says at its fields what is wrong."""
        self.page.goto(f"{base_url}/dashboard/sign-up")
        self.page.locator("[name=email]").fill("ana@delmar")
        self.page.locator("[name=password]").fill("short")
        submit(self.page, "slug")
        self.take("sign-up-problem")


def main(credentials: Path, base_url: str, folder: Path) -> None:
    login = json.loads(credentials.read_text())
    dashboard = f"{base_url}/dashboard"
    folder.mkdir(parents=True, exist_ok=True)
    prepare(base_url, login)
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--disable-gpu"])
        with visiting(browser, "desktop", "light") as page:
            sign_in(page, base_url, login)
            write_entry(page, dashboard)
            inside = find_addresses(page, dashboard)
            known = page.context.storage_state()
        with visiting(browser, "desktop", "light") as page:
            sign_up(page, base_url, credentials.parent / "outbox")
            new = page.context.storage_state()
        for screen in SCREENS:
            for theme in THEMES:
                ending = f"{screen}-{theme}"
                with visiting(browser, screen, theme) as page:
                    album = Album(page, folder, ending)
                    album.open_and_take(OUTSIDE, base_url)
                    album.take_problem(base_url)
                with visiting(browser, screen, theme, known) as page:
                    album = Album(page, folder, ending)
                    album.take_playground(f"{dashboard}{inside['agent']}")
                    album.open_and_take(inside, dashboard)
                    album.take_two_factor(dashboard)
                    album.take_dialog(f"{dashboard}{inside['source']}")
                with visiting(browser, screen, theme, new) as page:
                    Album(page, folder, ending).open_and_take(EMPTY, dashboard)
        browser.close()


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    main(
        Path(sys.argv[1]),
        given.get(2, "http://127.0.0.1:8000"),
        Path(given.get(3, FOLDER)),
    )
