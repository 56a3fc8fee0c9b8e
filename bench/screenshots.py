"""Pictures of the widget on the demo page, in var/pictures: a real browser, a real answer.

Usage: .venv/bin/python -m bench.screenshots [BASE_URL]
Of a copy that runs with the demo company (`bin/up`). Wants Debian's chromium, as `bin/test` does.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, expect, sync_playwright

FOLDER = Path(__file__).parents[1] / "var" / "pictures"
QUESTION = "¿Cuánto tiempo aguanta el café molido?"
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1280, "height": 800}},
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
}
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main(base_url: str) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=["--disable-gpu"])
        for screen in SCREENS:
            for theme in THEMES:
                picture = take_picture(browser, base_url, screen, theme)
                path = FOLDER / f"widget-{screen}-{theme}.png"
                save(picture, path)
                print(f"{path.relative_to(Path.cwd())}: {path.stat().st_size // 1024} KB")
        browser.close()


def take_picture(
    browser: Browser, base_url: str, screen: str, theme: Literal["light", "dark"]
) -> bytes:
    context = browser.new_context(
        locale="es-ES", color_scheme=theme, reduced_motion="reduce", **SCREENS[screen]
    )
    page = context.new_page()
    page.goto(f"{base_url}/demo")
    page.get_by_role("button", name="Abrir el chat").click()
    page.get_by_label("Tu pregunta").fill(QUESTION)
    page.get_by_role("button", name="Enviar").click()
    expect(page.get_by_role("region", name="Fuentes")).to_be_visible(timeout=30_000)
    picture = page.screenshot(animations="disabled", caret="hide")
    context.close()
    return picture


def save(picture: bytes, path: Path) -> None:
    """Without a palette: it would take rare colours away, such as the dots of badges."""
    Image.open(io.BytesIO(picture)).convert("RGB").save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000")
