"""Finds Tesseract's language data, and tells what to do about missing languages.

Imports no Django: bin/up and bin/test ask too. `python -m config.language_data` prints the missing
Debian packages.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

DEFAULT_LANGUAGES = "spa+eng"
LANGUAGES = re.compile(r"[A-Za-z]{3}[A-Za-z_]*(?:\+[A-Za-z]{3}[A-Za-z_]*)*")
FOLDER_VARIABLE = "TESSDATA_PREFIX"  # Tesseract's own
# Debian's folder has the version of Tesseract in its name, the newest is tried first.
USUAL_FOLDERS = (
    *sorted(Path("/usr/share/tesseract-ocr").glob("*/tessdata"), reverse=True),
    Path("/usr/share/tessdata"),
    Path("/usr/local/share/tessdata"),
)


@dataclass(frozen=True)
class LanguageData:
    """`folder` has all that is wanted; None when something is missing, and `advice` says what to
    do. `packages`: Debian's, that would help.
    """

    folder: Path | None
    advice: str = ""
    packages: tuple[str, ...] = ()


def find_language_data(languages: str, environ: Mapping[str, str] = os.environ) -> LanguageData:
    """`languages` as in OCR_LANGUAGES: "spa+eng". Looks at names of files only."""
    if not LANGUAGES.fullmatch(languages):
        return LanguageData(None, 'OCR_LANGUAGES must be names of languages such as "spa+eng".')
    wanted = languages.split("+")
    prefix = environ.get(FOLDER_VARIABLE, "").strip()
    folders = (Path(prefix), Path(prefix) / "tessdata") if prefix else USUAL_FOLDERS
    missing, folder = min(
        ((missing_from(folder, wanted), folder) for folder in folders),
        key=lambda found: len(found[0]),
    )
    if not missing:
        return LanguageData(folder.resolve())
    if prefix:
        return LanguageData(None, f"The folder {FOLDER_VARIABLE} has no {files(missing)}.")
    packages = tuple(f"tesseract-ocr-{name.lower().replace('_', '-')}" for name in missing)
    advice = (
        f"Install {' and '.join(packages)} (Debian's packages), or set {FOLDER_VARIABLE} to a "
        f"folder with {files(wanted)}."
    )
    return LanguageData(None, advice, packages)


def missing_from(folder: Path, languages: Sequence[str]) -> list[str]:
    return [name for name in languages if not (folder / f"{name}.traineddata").is_file()]


def files(languages: Sequence[str]) -> str:
    return " and ".join(f"{name}.traineddata" for name in languages)


def main() -> None:
    languages = os.environ.get("OCR_LANGUAGES", "").strip() or DEFAULT_LANGUAGES
    sys.stdout.write(" ".join(find_language_data(languages).packages) + "\n")


if __name__ == "__main__":
    main()
