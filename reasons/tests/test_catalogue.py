"""Every code has an English and a Spanish text with the same values, is made somewhere, and stands
in docs/api.md."""

import re
from pathlib import Path

import polib  # type: ignore[import-untyped]
import pytest

from reasons.catalogue import TEXTS
from reasons.reason import PLACEHOLDER
from reasons.table import list_rows

ROOT = Path(__file__).resolve().parents[2]
SPANISH = {
    entry.msgid: entry.msgstr
    for entry in polib.pofile(ROOT / "templates/locale/es/LC_MESSAGES/django.po")
    if not entry.fuzzy
}
PACKAGES = ("reading", "config", "sources", "connectors", "channels", "webhooks", "reasons")
MADE_BY_PART = re.compile(r"places_\w+|\w+_of_total")  # by the name of a place, or a count


def has_words(text: str) -> bool:
    return bool(re.sub(r"[\W_]", "", PLACEHOLDER.sub("", text)))


SAID = sorted(code for code, text in TEXTS.items() if has_words(text))


@pytest.mark.parametrize("code", SAID)
def test_each_text_is_said_in_spanish_with_the_same_values(code: str) -> None:
    spanish = SPANISH.get(TEXTS[code], "")

    assert spanish
    assert sorted(PLACEHOLDER.findall(spanish)) == sorted(PLACEHOLDER.findall(TEXTS[code]))


def test_a_text_has_one_code() -> None:
    assert len({*TEXTS.values()}) == len(TEXTS)


def test_codes_are_names() -> None:
    assert [code for code in TEXTS if not re.fullmatch(r"[a-z]+(_[a-z0-9]+)*", code)] == []


def test_each_code_is_made_somewhere() -> None:
    sources = [
        path.read_text()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "tests" not in path.parts and path.name != "catalogue.py"
    ]
    named = set(re.findall(r'"([a-z0-9_]+)"', "\n".join(sources)))

    unmade = [code for code in TEXTS if code not in named and not MADE_BY_PART.fullmatch(code)]

    assert unmade == []


def test_no_text_stands_in_a_second_module() -> None:
    sources = {
        path: path.read_text()
        for package in (*PACKAGES, "dashboard", "query", "accounts", "agents")
        for path in (ROOT / package).rglob("*.py")
        if "tests" not in path.parts and path.name != "catalogue.py"
    }
    texts = [TEXTS[code] for code in SAID if len(TEXTS[code]) > 30 and "%" not in TEXTS[code]]

    twice = [
        (str(path.relative_to(ROOT)), text)
        for path, source in sources.items()
        for text in texts
        if f'"{text}"' in source
    ]

    assert twice == []


def test_the_manual_lists_each_code_with_its_text() -> None:
    written = (ROOT / "docs/api.md").read_text()

    assert "\n".join(list_rows()) in written
