"""Whatever pages and mails say has its Spanish."""

import re
import shutil
from pathlib import Path
from typing import Any

import polib  # type: ignore[import-untyped]  # it has none
import pytest
from django.conf import settings
from django.core.management import call_command

CATALOGUE = Path(settings.BASE_DIR, "templates/locale/es/LC_MESSAGES/django.po")
UPDATE = "run bin/translate, write the Spanish into django.po, and run it again"
PLACE = re.compile(r"%\(\w+\)[sd]")
# As in bin/translate
LEFT_OUT = [".venv", "bench", "var", "*/tests/*", "templates/locale", "templates/admin"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> polib.POFile:
    """What the code and the templates say now, with the Spanish that is committed."""
    folder = tmp_path_factory.mktemp("locale")
    copy = folder / "es/LC_MESSAGES/django.po"
    copy.parent.mkdir(parents=True)
    shutil.copy(CATALOGUE, copy)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(settings.BASE_DIR)
        patch.setattr(settings, "LOCALE_PATHS", [folder])
        options: dict[str, Any] = {"ignore_patterns": LEFT_OUT, "no_obsolete": True}
        call_command("makemessages", locale=["es"], no_location=True, verbosity=0, **options)
    return polib.pofile(str(copy))


def test_everything_is_in_the_catalogue_and_nothing_else(found: polib.POFile) -> None:
    committed = {entry.msgid for entry in polib.pofile(str(CATALOGUE))}

    assert {entry.msgid for entry in found} == committed, UPDATE


def test_everything_has_its_spanish(found: polib.POFile) -> None:
    missing = [entry.msgid for entry in found if not entry.translated()]

    assert missing == [], UPDATE


def test_what_is_filled_in_is_filled_in_in_spanish_too() -> None:
    for entry in polib.pofile(str(CATALOGUE)):
        spanish = [entry.msgstr, *entry.msgstr_plural.values()]
        for text in filter(None, spanish):
            wanted = set(PLACE.findall(entry.msgid)) | set(PLACE.findall(entry.msgid_plural))
            assert set(PLACE.findall(text)) <= wanted, entry.msgid
            assert entry.msgid_plural or set(PLACE.findall(text)) == wanted, entry.msgid


def test_what_django_reads_is_made_of_what_we_wrote() -> None:
    written = {texts(entry) for entry in polib.pofile(str(CATALOGUE))}
    compiled = polib.mofile(str(CATALOGUE.with_suffix(".mo")))

    assert {texts(entry) for entry in compiled} == written, UPDATE


def texts(entry: Any) -> tuple[str, ...]:
    return (entry.msgctxt or "", entry.msgid, entry.msgstr, *entry.msgstr_plural.values())
