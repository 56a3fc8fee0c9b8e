"""Pictures of the dashboard's pages about programs, in var/pictures: a real browser, the demo
company, and programs that sign in as real ones do.

Usage: .venv/bin/python -m bench.program_pictures CREDENTIALS [BASE_URL [FOLDER]]
Of a copy that runs with the demo company (`bin/up`); CREDENTIALS is DATA_DIR/demo_credentials.json.
Wants Debian's chromium, as `bin/test` does.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from bench.dashboard_pictures import FOLDER, SCREENS, THEMES, Album, sign_in, visiting
from dashboard.tests.browser.program import OAuthProgram

# Nobody is called there: the browser is stopped on the way.
CALLBACKS = {
    "Cursor": "http://localhost:8787/callback",
    "n8n": "https://automation.tramontana.example/rest/oauth2-credential/callback",
    "Claude": "https://claude.ai/api/mcp/auth_callback",
}
ADDRESSES = {"programs": "/workspace/programs", "elsewhere": "/workspace/elsewhere"}


def let_in(page: Page, program: OAuthProgram) -> None:
    """By whoever is signed in; and the program calls once."""
    page.route(f"{program.callback}*", lambda route: route.fulfill(body="Thank you."))
    page.goto(program.consent_address())
    with page.expect_request(f"{program.callback}*") as heard:
        page.get_by_role("button", name="Allow", exact=True).click()
    tokens = program.fetch_tokens(heard.value.url)
    program.call(tokens["access_token"]).raise_for_status()


def end_all(page: Page, programs: str) -> None:
    """What was let in for earlier pictures."""
    page.goto(programs)
    while page.locator("[data-opens]").count():
        page.locator("[data-opens]").first.click()
        page.locator("dialog[open] button[type=submit]").click()
        page.wait_for_load_state()


def take_all(album: Album, dashboard: str, asking: OAuthProgram) -> None:
    album.page.goto(asking.consent_address())
    album.take("allow-program")
    album.open_and_take(ADDRESSES, dashboard)
    album.page.locator("summary", has_text="Claude").click()
    album.page.locator("summary", has_text="Python").click()
    album.take("elsewhere-open")


def main(credentials: Path, base_url: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--disable-gpu"])
        with visiting(browser, "desktop", "light") as page:
            sign_in(page, base_url, json.loads(credentials.read_text()))
            end_all(page, f"{base_url}/dashboard{ADDRESSES['programs']}")
            for name, callback in CALLBACKS.items():
                program = OAuthProgram(base_url, callback, name=name)
                program.register()
                let_in(page, program)
            known = page.context.storage_state()
        for screen in SCREENS:
            for theme in THEMES:
                with visiting(browser, screen, theme, known) as page:
                    take_all(
                        Album(page, folder, f"{screen}-{theme}"), f"{base_url}/dashboard", program
                    )
        browser.close()


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    main(
        Path(sys.argv[1]),
        given.get(2, "http://127.0.0.1:8000"),
        Path(given.get(3, FOLDER)),
    )
