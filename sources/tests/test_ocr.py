"""Whether OCR is set up here: where its language data is looked for, and what is said without."""

import shutil
from pathlib import Path

import pytest

from config import language_data
from config.language_data import LanguageData, find_language_data
from reading import ocr
from reading.confinement.messages import Request
from reading.confinement.sandbox import Sandbox
from reading.file_types import PDF, PNG
from reading.passages import Block
from reading.tests.drawn_pages import SPANISH, draw_page, encode
from reading.tests.test_extract_pdf_scans import LEFT_OUT, make_pdf, scan, typed
from sources.documents import extract_document, read_request, reading_settings, require_reader
from sources.errors import ReaderNotConfigured

pytestmark = pytest.mark.slow


def folder_with(path: Path, *languages: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name in languages:
        (path / f"{name}.traineddata").touch()
    return path


@pytest.fixture
def usual_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Debian's packages would put it, empty."""
    folder = tmp_path / "usual"
    monkeypatch.setattr(language_data, "USUAL_FOLDERS", (tmp_path / "absent", folder))
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    return folder


def test_data_of_debians_packages_is_found(usual_folder: Path):
    folder_with(usual_folder, "spa", "eng")
    assert ocr.reader_options(reading_settings()) == {
        "tessdata": str(usual_folder),
        "languages": "spa+eng",
    }


@pytest.mark.parametrize("inside", ["", "tessdata"])
def test_folder_of_tessdata_prefix_is_taken(usual_folder: Path, tmp_path: Path, inside: str):
    folder = folder_with(tmp_path / "own" / inside, "spa", "eng")
    found = find_language_data("spa+eng", {"TESSDATA_PREFIX": str(tmp_path / "own")})
    assert found == LanguageData(folder)


def test_nothing_installed(usual_folder: Path):
    assert find_language_data("spa+eng", {}) == LanguageData(
        None,
        "Install tesseract-ocr-spa and tesseract-ocr-eng (Debian's packages), or set "
        "TESSDATA_PREFIX to a folder with spa.traineddata and eng.traineddata.",
        ("tesseract-ocr-spa", "tesseract-ocr-eng"),
    )


def test_one_language_is_missing(usual_folder: Path):
    folder_with(usual_folder, "eng")
    found = find_language_data("spa+eng+chi_sim", {})
    assert found.packages == ("tesseract-ocr-spa", "tesseract-ocr-chi-sim")
    assert found.advice.startswith("Install tesseract-ocr-spa and tesseract-ocr-chi-sim (")


def test_own_folder_without_a_language(usual_folder: Path, tmp_path: Path):
    folder_with(usual_folder, "spa", "eng")
    folder_with(tmp_path / "own", "eng")
    found = find_language_data("spa+eng", {"TESSDATA_PREFIX": str(tmp_path / "own")})
    assert (found.folder, found.packages) == (None, ())
    assert found.advice == "The folder TESSDATA_PREFIX has no spa.traineddata."


@pytest.mark.parametrize("languages", ["", "+", "spa,eng", "../../etc/passwd", "spa+"])
def test_setting_that_names_no_languages(usual_folder: Path, languages: str):
    found = find_language_data(languages, {})
    assert found.advice == 'OCR_LANGUAGES must be names of languages such as "spa+eng".'


def test_missing_packages_are_printed_for_the_shell(usual_folder: Path, monkeypatch, capsys):
    monkeypatch.setenv("OCR_LANGUAGES", "eng")
    language_data.main()
    assert capsys.readouterr().out == "tesseract-ocr-eng\n"


# --- What depends on it ---------------------------------------------------------------------------


def test_image_is_answered_503_with_what_to_do(usual_folder: Path, tmp_path: Path):
    with pytest.raises(ReaderNotConfigured) as caught:
        require_reader(PNG)
    assert (caught.value.status, caught.value.code) == (503, "SERVICE_UNAVAILABLE")
    assert caught.value.message.startswith(
        "Images are read by OCR, which is not configured here. Install tesseract-ocr-spa and "
    )


def stored(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return path


def test_pdf_is_read_without_it_but_for_its_scans(usual_folder: Path, tmp_path: Path):
    path = stored(tmp_path, make_pdf(typed("Uno."), scan(*SPANISH)))
    document = extract_document(path, read_request(content_type=PDF, title="x"))
    assert [block.text for block in document.blocks] == ["Uno."]
    assert document.warnings == (LEFT_OUT,)


def test_image_and_scan_are_read_in_the_confined_process(tmp_path: Path):
    expected = (Block(" ".join(SPANISH), "page 1", is_recognised=True),)
    for content, content_type in (
        (encode(draw_page(*SPANISH)), PNG),
        (make_pdf(scan(*SPANISH)), PDF),
    ):
        path = stored(tmp_path, content)
        document = extract_document(path, read_request(content_type=content_type, title="x"))
        assert document.blocks == expected


def test_language_data_may_be_where_the_confined_process_may_not_read(
    tmp_path: Path, tesseract_options: dict[str, str]
):
    """It also makes remarks ("Empty page!!"), for which it would open /dev/null."""
    own = tmp_path / "own"
    own.mkdir()
    for name in ("spa", "eng"):
        shutil.copy(Path(tesseract_options["tessdata"]) / f"{name}.traineddata", own)
    options = {**tesseract_options, "tessdata": str(own)}
    sandbox = Sandbox()
    path = stored(tmp_path, encode(draw_page("Una línea.", "", *SPANISH)))
    reading = sandbox.read(
        path, Request(extractor="images.image", limits=ocr.LIMITS, options=options)
    )
    sandbox.stop()
    assert [block.text for block in reading.result.blocks] == ["Una línea.", " ".join(SPANISH)]
