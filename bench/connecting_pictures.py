"""Pictures of the dashboard's pages about accounts elsewhere, in var/pictures: a real browser, a
copy of the service of its own, and the stand-ins of Google Drive and of a JSON API.

Usage: DATA_DIR=var .venv/bin/python -m bench.connecting_pictures [FOLDER]
Models are taken from DATA_DIR. Wants Debian's chromium, as `bin/test` does.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from bench.dashboard_pictures import (
    FOLDER,
    PATIENCE_SECONDS,
    SCREENS,
    THEMES,
    Album,
    sign_up,
    visiting,
)
from config.tests.service_copy import Copy, copy_in, folder_of_copies
from connectors.tests.providers.google_drive_content import OFFICE, DriveContent
from connectors.tests.providers.google_drive_server import GoogleDriveServer
from connectors.tests.providers.json_api_server import JsonApiServer
from reading.tests.sample_files import Text, make_csv, make_docx, make_xlsx
from sources.tests.providers.authorization import Person

PATIENCE_MS = PATIENCE_SECONDS * 1000
CATALOGUE_BYTES = 64 * 1024 * 1024  # more than an upload may have
OWNER = Person("1001", "Ana Gil", "ana@delmar.example")
WORD, PDF = f"{OFFICE}wordprocessingml.document", "application/pdf"
CHOSEN = ("Handbook", "Prices", "Workshop")

APPOINTMENTS = Text(
    "en",
    "Eye tests and appointments",
    (
        (
            "Eye tests",
            "An eye test takes thirty minutes and is free when you order glasses within a month. "
            "Otherwise it costs 35 euros. Children under six are tested by Marta, on Wednesdays.",
        ),
        (
            "Changing an appointment",
            "Customers may change an appointment until the evening before, by phone or on the "
            "website. Whoever does not come twice pays 15 euros in advance the next time.",
        ),
    ),
    (
        ("Day", "First", "Last"),
        ("Monday to Friday", "9:30", "19:00"),
        ("Saturday", "10:00", "13:30"),
    ),
)
RETURNS = Text(
    "en",
    "Returns and guarantee",
    (
        (
            "Returns",
            "Frames without lenses can be returned within thirty days, with the receipt. Lenses "
            "are made for one person: they are exchanged when the prescription was wrong.",
        ),
        ("Guarantee", "Frames have a guarantee of three years, lenses of two."),
    ),
    (("What", "Years"), ("Frames", "3"), ("Lenses", "2")),
)
LENSES = Text(
    "en",
    "Contact lenses",
    (("First fitting", "The first fitting takes an hour and costs 40 euros, with a trial pair."),),
    (("Kind", "Pairs a box"), ("Daily", "30"), ("Monthly", "6")),
)
PRICES = Text(
    "en",
    "Lenses",
    (),
    (
        ("Lens", "Index", "Price a pair"),
        ("Single vision", "1.5", "79 €"),
        ("Single vision, thin", "1.67", "149 €"),
        ("Progressive", "1.6", "289 €"),
    ),
)
FRAMES = Text(
    "en",
    "Frames",
    (),
    (("Brand", "From (EUR)", "To (EUR)"), ("Brisa", "59", "119"), ("Faro", "89", "189")),
)
REPAIRS = (
    "Nose pads and screws are replaced while you wait, free of charge. A hinge takes two days."
)
ARTICLES = {
    "When are my glasses ready?": "Single vision lenses take three working days, progressive ones a"
    " week. We write to you when they can be collected.",
    "Can I pay in instalments?": "From 150 euros on, in up to ten months and without interest."
    " Bring an identity card and the number of your account.",
    "Do you repair glasses from elsewhere?": "Yes, when the part can be had. We look at them first,"
    " and tell you the price before we begin.",
    "How do I clean my lenses?": "With lukewarm water and a drop of washing-up liquid. Dry them"
    " with the cloth that came with them, never with paper.",
}
# Fields of the form for a JSON API, beside what opens it
LISTING = {
    "id": "/id",
    "title": "/title",
    "body": "/body",
    "link": "/url",
    "changed_at": "/updated_at",
}


# --- Something to see -----------------------------------------------------------------------------


def fill_drive(content: DriveContent) -> None:
    """An optician's, with a file that is protected and one that is too large."""
    handbook, prices = content.add_folder("Handbook"), content.add_folder("Prices")
    customers = content.add_folder("Customers", handbook)
    content.add_folder("Team", handbook)
    content.add_google("Eye tests and appointments", "document", make_docx(APPOINTMENTS), customers)
    content.add_google("Returns and guarantee", "document", make_docx(RETURNS), customers)
    content.add_file("Contact lenses.docx", make_docx(LENSES), handbook, mime_type=WORD)
    content.add_google("Lenses 2026", "spreadsheet", make_xlsx(PRICES), prices)
    content.add_file("Frames 2026.csv", make_csv(FRAMES), prices, mime_type="text/csv")
    content.add_file("Terms of our suppliers.pdf", protected_pdf(), prices, mime_type=PDF)
    content.add_file("Catalogue in print.pdf", bytes(CATALOGUE_BYTES), prices, mime_type=PDF)
    content.add_file("Stock.csv", make_csv(FRAMES), content.add_folder("Warehouse"))
    content.add_file("Salaries.csv", make_csv(FRAMES), content.add_folder("Private"))
    content.add_file("Repairs.txt", REPAIRS, content.add_drive("Workshop"))


def protected_pdf() -> bytes:
    """It opens with a password alone."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, encrypt=StandardEncryption("secret"))
    canvas.drawString(100, 100, "30 days net")
    canvas.save()
    return buffer.getvalue()


@dataclass(frozen=True)
class Company:
    copy: Copy
    drive: GoogleDriveServer
    help_centre: JsonApiServer

    @property
    def dashboard(self) -> str:
        return f"{self.copy.url}/dashboard"


@contextmanager
def running_company() -> Iterator[Company]:
    with (
        GoogleDriveServer() as drive,
        JsonApiServer() as help_centre,
        folder_of_copies() as folder,
        copy_in(folder / "data") as copy,
    ):
        fill_drive(drive.content)
        for title, body in ARTICLES.items():
            help_centre.add(title, body)
        authorization = drive.authorization
        authorization.signed_in = OWNER
        authorization.redirect_uris.add(f"{copy.url}/dashboard/connections/callback")
        addresses = ("GOOGLE_SIGN_IN_URL", "GOOGLE_TOKEN_URL", "GOOGLE_API_URL")
        copy.environ |= {
            "FETCH_ALLOWED_HOSTS": f"{drive.host},{help_centre.host}",
            "GOOGLE_CLIENT_ID": authorization.client_id,
            "GOOGLE_CLIENT_SECRET": authorization.client_secret,
            **dict.fromkeys(addresses, drive.url),
        }
        copy.start_and_wait()
        yield Company(copy, drive, help_centre)


# --- What is done there ---------------------------------------------------------------------------


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def connect(page: Page, dashboard: str) -> str:
    """The address of the page where one chooses."""
    page.goto(f"{dashboard}/sources/connect/sign-in?kind=cloud_drive_a")
    press(page, "Go to Google Drive")
    press(page, "Continue")  # over there
    page.wait_for_url(f"{dashboard}/connections/*/choose*")
    return page.url


def choose(page: Page) -> None:
    """With the folders open that the choice is made in."""
    for opened, inside in (("My Drive", "Private"), ("Handbook", "Team")):
        page.locator("summary", has_text=opened).click()
        page.get_by_label(inside, exact=True).wait_for()
    for name in CHOSEN:
        page.get_by_label(name, exact=True).check()


def review(page: Page) -> None:
    press(page, "Continue")
    page.locator("[aria-live]", has_text="documents").wait_for()


def wait_for_state(page: Page, state: str) -> None:
    page.locator(".source-state", has_text=state).wait_for(timeout=PATIENCE_MS)


def type_in(page: Page, *, api: JsonApiServer) -> None:
    """And has it checked."""
    for name, value in {"url": api.list_url, "auth_secret": api.token, **LISTING}.items():
        page.locator(f"[name={name}]").fill(value)
    page.locator("[name=auth]").select_option("bearer")
    press(page, "Check it")
    page.locator("#found .passage").nth(2).wait_for()


# --- Pictures -------------------------------------------------------------------------------------


class Photographer:
    """Takes every picture at each width and in each theme. `known`: the browser of who is signed
    in."""

    def __init__(self, browser: Browser, folder: Path, known: Any) -> None:
        self.browser, self.folder, self.known = browser, folder, known

    def take(
        self, name: str, address: str, *steps: Callable[[Page], None], is_end: bool = False
    ) -> None:
        for screen in SCREENS:
            for theme in THEMES:
                with visiting(self.browser, screen, theme, self.known) as page:
                    page.goto(address)
                    for step in steps:
                        step(page)
                    page.mouse.move(0, 0)  # nothing is pointed at
                    Album(page, self.folder, f"{screen}-{theme}").take(name, is_end=is_end)


def take_all(browser: Browser, company: Company, folder: Path) -> None:
    """From the account that is connected until its owner takes the right away."""
    dashboard = company.dashboard
    with visiting(browser, "desktop", "light") as page:
        sign_up(page, company.copy.url, company.copy.data_dir / "outbox")
        photographer = Photographer(browser, folder, page.context.storage_state())
        sign_in = f"{dashboard}/sources/connect/sign-in?kind=cloud_drive_a"
        photographer.take("connect-sign-in", sign_in)

        choosing = connect(page, dashboard)
        photographer.take("choose", choosing, choose)
        photographer.take("review", choosing, choose, review)
        choose(page)
        review(page)
        press(page, "Read it")
        wait_for_state(page, "Synced")
        source = page.url
        photographer.take("connected-source", source)
        photographer.take("connection", choosing.partition("/choose")[0])
        photographer.take("connect", f"{dashboard}/sources/connect")
        typing = f"{dashboard}/sources/connect/account?kind=api"
        checked = partial(type_in, api=company.help_centre)
        photographer.take("type-in", typing, checked, is_end=True)

        company.drive.authorization.revoke_all()
        press(page, "Sync now")
        wait_for_state(page, "No access")
        photographer.take("reauth", source)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with running_company() as company, sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--disable-gpu"])
        take_all(browser, company, folder)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
