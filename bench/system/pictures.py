"""Pictures of the widget and of every page of the dashboard, in var/pictures.

    .venv/bin/python -m bench.system.pictures [NAME …]

Starts a copy of the service with the demo company, beside a stand-in of Google Drive, and looks at
it with Debian's chromium at two widths, light and dark. NAME (`home`, `choose`, `widget`) takes
only pictures of that name.
"""

from __future__ import annotations

import io
import json
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from bench.service import PASSWORD, ROOT, Service, running_service
from connectors.tests.providers.google_drive_content import DriveContent
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from dashboard.tests.browser.program import OAuthProgram
from reading.tests.sample_files import Text, make_csv, make_docx, make_xlsx
from sources.tests.providers.authorization import Person

FOLDER = ROOT / "var" / "pictures"
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
HEIGHT_MAX = 1800  # pixels; what is below is more of the same
PATIENCE_SECONDS = 60

# Pages below /dashboard/. A picture has the name of its page's path; home has none.
OUTSIDE = ("sign-in", "sign-in/code", "sign-up", "reset-password")
LISTS = ("sources", "agents", "conversations", "unanswered", "leads", "notifications")
ENTRIES = "unanswered/entries"
INSIDE = (
    *("sources/add", "sources/add/website", "agents/new", f"{ENTRIES}/add", "notifications/mails"),
    *("workspace", "workspace/company", "workspace/plan", "workspace/people", "workspace/tokens"),
    *("workspace/exports", "workspace/leaving", "workspace/programs", "workspace/elsewhere"),
    *("activity", "account", "account/password", "account/two-factor", "workspaces"),
    "sources/00000000-0000-0000-0000-000000000000",
)
OF_AN_AGENT = ("settings", "sources", "channels", "marks")
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
# Programs that sign in. Nobody is called there: the browser is stopped on the way.
CALLBACKS = {
    "Cursor": "http://localhost:8787/callback",
    "n8n": "https://automation.tramontana.example/rest/oauth2-credential/callback",
    "Claude": "https://claude.ai/api/mcp/auth_callback",
}
OWNER = Person("1001", "Ana Gil", "ana@delmar.example")
TOO_LARGE_BYTES = 64 * 1024 * 1024
CHOSEN = ("Handbook", "Prices", "Workshop")
RETURNS = "Frames without lenses can be returned within thirty days, with the receipt."
HANDBOOK = Text("en", "Handbook", (("Returns", RETURNS),), (("What", "Years"), ("Frames", "3")))
PRICES = Text("en", "Lenses", (), (("Lens", "Price a pair"), ("Progressive", "289 €")))
FRAMES = Text("en", "Frames", (), (("Brand", "From (EUR)"), ("Brisa", "59")))
REPAIRS = "Nose pads and screws are replaced while you wait. A hinge takes two days."


# --- Something to see -----------------------------------------------------------------------------


def fill_drive(content: DriveContent) -> None:
    """An optician's folders, with a file that is too large to be read."""
    handbook, prices = content.add_folder("Handbook"), content.add_folder("Prices")
    content.add_folder("Team", handbook)
    content.add_google("Returns and guarantee", "document", make_docx(HANDBOOK), handbook)
    content.add_google("Lenses 2026", "spreadsheet", make_xlsx(PRICES), prices)
    content.add_file("Frames 2026.csv", make_csv(FRAMES), prices, mime_type="text/csv")
    large = bytes(TOO_LARGE_BYTES)
    content.add_file("Catalogue in print.pdf", large, prices, mime_type="application/pdf")
    content.add_file("Salaries.csv", make_csv(FRAMES), content.add_folder("Private"))
    content.add_file("Repairs.txt", REPAIRS, content.add_drive("Workshop"))


@contextmanager
def running_demo() -> Iterator[tuple[Service, GoogleDriveServer]]:
    with GoogleDriveServer() as drive:
        fill_drive(drive.content)
        authorization = drive.authorization
        authorization.signed_in = OWNER
        with running_service(
            FETCH_ALLOWED_HOSTS=drive.host,
            GOOGLE_CLIENT_ID=authorization.client_id,
            GOOGLE_CLIENT_SECRET=authorization.client_secret,
            GOOGLE_SIGN_IN_URL=drive.url,
            GOOGLE_TOKEN_URL=drive.url,
            GOOGLE_API_URL=drive.url,
        ) as service:
            callback = f"{address_of(service)}/dashboard/connections/callback"
            authorization.redirect_uris.add(callback)
            yield service, drive


def address_of(service: Service) -> str:
    return f"http://127.0.0.1:{service.port}"


def call(service: Service, method: str, path: str, **given: Any) -> Any:
    answer = service.request(method, path, json.dumps(given).encode())
    if answer.status >= 400:
        raise SystemExit(f"{method} {path}: {answer}")
    return answer.body


def prepare(service: Service, email: str) -> None:
    """Ask questions that have an answer and some that have none, leave a lead, name a website."""
    website = call(service, "POST", "/ingest/sources", **NOWHERE)["source_id"]
    call(service, "POST", f"/ingest/sources/{website}/sync")
    agent = call(service, "GET", "/agents")[0]["id"]
    kept = {"store_transcripts": True, "lead_capture_enabled": True}
    call(service, "PUT", f"/agents/{agent}", **kept, lead_notification_email=email)
    talks = [(text, f"picture-{number}") for number, text in enumerate(QUESTIONS)]
    for text, talk in [*talks, *((text, "picture-lead") for text in WISH)]:
        call(service, "POST", f"/agents/{agent}/query", query=text, session_id=talk)


def submit(page: Page, **fields: str) -> None:
    """Fill the form that has these fields, and send it."""
    for name, value in fields.items():
        page.locator(f"main [name={name}]").fill(value)
    last = list(fields)[-1]
    page.locator(f"main form:has([name={last}]) button[type=submit]").first.click()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def sign_up(page: Page, service: Service) -> None:
    """Make a company that has nothing yet."""
    number = secrets.token_hex(3)
    email = f"ana-{number}@delmar.example"
    page.goto(f"{address_of(service)}/dashboard/sign-up")
    company = {"tenant_name": "Óptica del Mar", "slug": f"optica-{number}"}
    submit(page, email=email, password=PASSWORD, **company)
    give_up_at = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < give_up_at:
        for path in (service.data_dir / "outbox").glob("*.eml"):
            mail = path.read_text()
            code = re.search(r"^\s*(\d{6})\s*$", mail, re.MULTILINE)
            if f"To: {email}" in mail and code:
                submit(page, code=code[1])
                page.wait_for_url("**/dashboard/")
                return
        time.sleep(0.2)
    raise SystemExit(f"No code for {email} came.")


def let_in(page: Page, base_url: str) -> OAuthProgram:
    """Let every program in; return the last one, which may ask again."""
    for name, callback in CALLBACKS.items():
        program = OAuthProgram(base_url, callback, name=name)
        program.register()
        page.route(f"{callback}*", lambda route: route.fulfill(body="Thank you."))
        page.goto(program.consent_address())
        with page.expect_request(f"{callback}*") as heard:
            press(page, "Allow")
        tokens = program.fetch_tokens(heard.value.url)
        program.call(tokens["access_token"]).raise_for_status()
    return program


def find_addresses(page: Page, dashboard: str) -> dict[str, str]:
    """Return the path of every page by its name; of a list, also of the first thing on it."""
    found = {"home": ""} | {path.replace("/", "-"): path for path in (*LISTS, ENTRIES, *INSIDE)}
    for listing in (*LISTS[:-1], ENTRIES):
        page.goto(f"{dashboard}{listing}")
        link = re.search(rf'href="/dashboard/({listing}/[0-9a-f-]{{36}})"', page.content())
        if link is None:
            raise SystemExit(f"{listing} shows nothing to open")
        found[f"one-of-{listing.replace('/', '-')}"] = link[1]
    return found | {f"agent-{path}": f"{found['one-of-agents']}/{path}" for path in OF_AN_AGENT}


# --- Pictures -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Album:
    """One screen in one theme. `wanted`: names of pictures; none for all."""

    page: Page
    view: str
    wanted: Sequence[str]

    def take(self, name: str, address: str = "") -> None:
        """`address`: of a page to open first."""
        if self.wanted and name not in self.wanted:
            return
        if address:
            self.page.goto(address)
        self.page.evaluate("scrollTo(0, 0)")  # the frame's top goes with what is seen
        self.page.wait_for_load_state("networkidle")
        picture = self.page.screenshot(animations="disabled", caret="hide", full_page=True)
        image = Image.open(io.BytesIO(picture)).convert("RGB")
        image = image.crop((0, 0, image.width, min(image.height, HEIGHT_MAX)))
        path = FOLDER / f"dashboard-{name}-{self.view}.webp"
        image.save(path, lossless=True, method=4)
        print(f"{path.name}: {path.stat().st_size // 1024} KB")

    def take_all(self, start: str, addresses: dict[str, str]) -> None:
        for name, path in addresses.items():
            self.take(name, f"{start}{path}")

    def take_widget(self, base_url: str) -> None:
        if self.wanted and "widget" not in self.wanted:
            return
        self.page.goto(f"{base_url}demo")
        self.page.get_by_role("button", name="Abrir el chat").click()
        self.page.get_by_label("Tu pregunta").fill(QUESTIONS[0])
        self.page.get_by_role("button", name="Enviar").click()
        expect(self.page.get_by_role("region", name="Fuentes")).to_be_visible(timeout=30_000)
        path = FOLDER / f"widget-{self.view}.png"
        self.page.screenshot(path=path, animations="disabled", caret="hide")

    def take_playground(self, agent: str) -> None:
        self.page.goto(f"{agent}/playground")
        self.page.locator("[name=question]").first.fill(QUESTIONS[0])
        self.page.keyboard.press("Enter")
        answer = self.page.locator("[data-log] article:not([aria-busy])")
        answer.locator("details summary").first.click()
        self.take("playground")
        answer.locator(".wrong-answer summary").click()
        answer.locator(".wrong-answer button[type=submit]").click()
        answer.locator("[name=note]").wait_for(state="detached")

    def take_choice(self, choosing: str) -> None:
        self.page.goto(choosing)
        for opened, inside in (("My Drive", "Private"), ("Handbook", "Team")):
            self.page.locator("summary", has_text=opened).click()
            self.page.get_by_label(inside, exact=True).wait_for()
        for name in CHOSEN:
            self.page.get_by_label(name, exact=True).check()
        self.take("choose")
        press(self.page, "Continue")
        self.page.locator("[aria-live]", has_text="documents").wait_for()
        self.take("review")


class Studio:
    def __init__(self, browser: Browser, wanted: Sequence[str]) -> None:
        self.browser, self.wanted = browser, wanted

    def views(self, state: Any = None, locale: str = "en-GB") -> Iterator[Album]:
        """Every screen in every theme. `state`: of a browser that was signed in."""
        for screen, options in SCREENS.items():
            for theme in THEMES:
                with self.browser.new_context(
                    locale=locale,
                    color_scheme=theme,
                    reduced_motion="reduce",
                    storage_state=state,
                    **options,
                ) as context:
                    yield Album(context.new_page(), f"{screen}-{theme}", self.wanted)

    def take_demo(self, service: Service) -> None:
        login = json.loads((service.data_dir / "demo_credentials.json").read_text())
        prepare(service, login["email"])
        base_url = f"{address_of(service)}/"
        dashboard = f"{base_url}dashboard/"
        with self.browser.new_page(locale="en-GB") as page:
            page.goto(f"{dashboard}sign-in")
            submit(page, email=login["email"], password=login["password"])
            page.wait_for_url("**/dashboard/")
            page.goto(f"{dashboard}unanswered/entries/add")
            submit(page, question=ENTRY[0], answer=ENTRY[1])
            program = let_in(page, address_of(service))
            inside = find_addresses(page, dashboard)
            known = page.context.storage_state()
        for album in self.views(locale="es-ES"):
            album.take_widget(base_url)
        for album in self.views():
            album.take("landing", base_url)
            album.take_all(dashboard, {path.replace("/", "-"): path for path in OUTSIDE})
        for album in self.views(known):
            album.take_playground(f"{dashboard}{inside['one-of-agents']}")
            album.take_all(dashboard, inside)
            album.take("allow-program", program.consent_address())

    def take_new(self, service: Service, drive: GoogleDriveServer) -> None:
        """From a company that has nothing to one whose account has taken its right away."""
        dashboard = f"{address_of(service)}/dashboard/"
        with self.browser.new_page(locale="en-GB") as page:
            sign_up(page, service)
            known = page.context.storage_state()
            for album in self.views(known):
                album.take_all(
                    dashboard, {f"new-{path}": path for path in LISTS if "/" not in path}
                )
                album.take("new-home", dashboard)
            sign_in = f"{dashboard}sources/connect/sign-in?kind=cloud_drive_a"
            page.goto(sign_in)
            press(page, "Go to Google Drive")
            press(page, "Continue")  # over there
            page.wait_for_url("**/connections/*/choose*")
            choosing = page.url
            for album in self.views(known):
                album.take("connect-sign-in", sign_in)
                album.take_choice(choosing)
            Album(page, "", ("",)).take_choice(choosing)
            press(page, "Read it")
            self.wait_for_state(page, "Synced")
            connection = choosing.partition("/choose")[0]
            for album in self.views(known):
                album.take("connected-source", page.url)
                album.take("connection", connection)
                album.take("connect", f"{dashboard}sources/connect")
            drive.authorization.revoke_all()
            press(page, "Sync now")
            self.wait_for_state(page, "No access")
            for album in self.views(known):
                album.take("reauth", page.url)

    def wait_for_state(self, page: Page, state: str) -> None:
        shown = page.locator(".source-state", has_text=state)
        shown.wait_for(timeout=PATIENCE_SECONDS * 1000)


def main(wanted: Sequence[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running_demo() as (service, drive), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--disable-gpu"]
        )
        studio = Studio(browser, wanted)
        studio.take_demo(service)
        studio.take_new(service, drive)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
