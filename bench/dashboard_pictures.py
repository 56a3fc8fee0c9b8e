"""Pictures of every page of the dashboard, for docs/images: a real browser, the demo company.

Usage: .venv/bin/python -m bench.dashboard_pictures CREDENTIALS [BASE_URL]
Of a copy that runs with the demo company (`bin/up`); CREDENTIALS is DATA_DIR/demo_credentials.json.
It asks a few questions first, so that there is something to see. Wants Debian's chromium, as
`bin/test` does.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import requests
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "images"
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
COLOURS = 128  # of a picture: a page has few
HEIGHT_MAX = 2400  # pixels; what is below is more of the same

OUTSIDE = {
    "landing": "/",
    "sign-in": "/dashboard/sign-in",
    "sign-up": "/dashboard/sign-up",
    "forgotten": "/dashboard/reset-password",
}
INSIDE = {
    "home": "/dashboard/",
    "sources": "/dashboard/sources",
    "add-files": "/dashboard/sources/add",
    "add-website": "/dashboard/sources/add/website",
    "agents": "/dashboard/agents",
    "new-agent": "/dashboard/agents/new",
    "conversations": "/dashboard/conversations",
    "unanswered": "/dashboard/unanswered",
    "entries": "/dashboard/unanswered/entries",
    "leads": "/dashboard/leads",
    "notifications": "/dashboard/notifications",
    "account": "/dashboard/account",
    "people": "/dashboard/workspace",
    "activity": "/dashboard/activity",
}
# A page of one thing: the first link on its list.
FIRST_OF = {
    "source": ("/dashboard/sources", r"/dashboard/sources/[0-9a-f-]{36}"),
    "agent": ("/dashboard/agents", r"/dashboard/agents/[0-9a-f-]{36}"),
    "conversation": ("/dashboard/conversations", r"/dashboard/conversations/[0-9a-f-]{36}"),
    "question": ("/dashboard/unanswered", r"/dashboard/unanswered/[0-9a-f-]{36}"),
    "lead": ("/dashboard/leads", r"/dashboard/leads/[0-9a-f-]{36}"),
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


# --- Something to see -----------------------------------------------------------------------------


def prepare(base_url: str, login: dict[str, str]) -> None:
    """Questions that are answered and some that are not, and a lead."""
    session = requests.Session()
    given = {"email": login["email"], "password": login["password"]}
    tokens = session.post(f"{base_url}/auth/login", json=given, timeout=30).json()
    session.headers["Authorization"] = f"Bearer {tokens['access_token']}"
    agent = session.get(f"{base_url}/agents", timeout=30).json()[0]["id"]
    kept = {"store_transcripts": True, "lead_capture_enabled": True}
    kept["lead_notification_email"] = login["email"]  # type: ignore[assignment]  # JSON
    session.put(f"{base_url}/agents/{agent}", json=kept, timeout=30).raise_for_status()
    for number, question in enumerate(QUESTIONS):
        ask(session, base_url, agent, question, f"picture-{number}")
    for message in WISH:
        ask(session, base_url, agent, message, "picture-lead")


def ask(session: requests.Session, base_url: str, agent: str, text: str, talk: str) -> None:
    asked = {"query": text, "session_id": talk}
    address = f"{base_url}/agents/{agent}/query"
    session.post(address, json=asked, timeout=60).raise_for_status()


# --- Pictures -------------------------------------------------------------------------------------


@contextmanager
def visiting(browser: Browser, screen: str, theme: Literal["light", "dark"]) -> Iterator[Page]:
    context: BrowserContext = browser.new_context(
        locale="es-ES", color_scheme=theme, reduced_motion="reduce", **SCREENS[screen]
    )
    yield context.new_page()
    context.close()


def sign_in(page: Page, base_url: str, login: dict[str, str]) -> None:
    page.goto(f"{base_url}/dashboard/sign-in")
    page.get_by_label("Correo electrónico").fill(login["email"])
    page.get_by_label("Contraseña").fill(login["password"])
    page.get_by_role("button", name="Iniciar sesión").click()
    page.wait_for_url(f"{base_url}/dashboard/")


def find_addresses(page: Page, base_url: str) -> dict[str, str]:
    """Of all pages inside; those of one thing are looked for on its list."""
    found = dict(INSIDE)
    for name, (listing, pattern) in FIRST_OF.items():
        page.goto(f"{base_url}{listing}")
        link = re.search(rf'href="({pattern})"', page.content())
        if link is None:
            sys.exit(f"{listing} shows nothing to open")
        found[name] = link[1]
    found["playground"] = f"{found['agent']}/playground"
    found["channels"] = f"{found['agent']}/channels"
    return found


def take_picture(page: Page, name: str, address: str) -> None:
    answer = page.goto(address)
    if answer is None or not answer.ok:
        sys.exit(f"{address}: {answer and answer.status}")
    page.wait_for_load_state("networkidle")
    picture = page.screenshot(animations="disabled", caret="hide", full_page=True)
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.crop((0, 0, image.width, min(image.height, HEIGHT_MAX)))
    path = FOLDER / f"dashboard-{name}.png"
    image.quantize(COLOURS).save(path, optimize=True)
    print(f"{path.name}: {path.stat().st_size // 1024} KB")


def main(credentials: Path, base_url: str) -> None:
    login = json.loads(credentials.read_text())
    prepare(base_url, login)
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--disable-gpu"])
        for screen in SCREENS:
            for theme in THEMES:
                with visiting(browser, screen, theme) as page:
                    for name, path in OUTSIDE.items():
                        take_picture(page, f"{name}-{screen}-{theme}", f"{base_url}{path}")
                    sign_in(page, base_url, login)
                    for name, path in find_addresses(page, base_url).items():
                        take_picture(page, f"{name}-{screen}-{theme}", f"{base_url}{path}")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:8000")
