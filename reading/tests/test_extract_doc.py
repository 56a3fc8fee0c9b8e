"""Word documents of before 2007, made by LibreOffice (files/letter.doc)."""

from pathlib import Path

import pytest

from reading.errors import UnreadableFile
from reading.extractors.legacy.doc import count_objects
from reading.extractors.legacy.word95 import decoded_anew
from reading.file_types import DOC
from reading.passages import Block, ExtractedDocument
from reading.tests.confined import extract_document
from reading.tests.container_files import make_compound
from reading.tests.old_office_files import FILES, make_ole
from reasons import Reason

LETTER = FILES / "letter.doc"


def read(content: bytes, tmp_path: Path) -> ExtractedDocument:
    path = tmp_path / "stored"
    path.write_bytes(content)
    return extract_document(path, content_type=DOC, title="Carta")


def failure(content: bytes, tmp_path: Path) -> Reason:
    with pytest.raises(UnreadableFile) as caught:
        read(content, tmp_path)
    return caught.value.reason


@pytest.fixture
def letter(tmp_path: Path) -> ExtractedDocument:
    return read(LETTER.read_bytes(), tmp_path)


def texts(document: ExtractedDocument) -> list[str]:
    return [block.text for block in document.blocks]


def test_headings_are_the_places_of_what_stands_below(letter):
    assert [block.text for block in letter.blocks if block.is_heading] == [
        "Condiciones de venta",
        "Entrega",
        "Plazos",
        "Мир 漢字",
    ]
    assert letter.blocks[5] == Block("- Primero se prepara.", "section Plazos", "Entrega > Plazos")


def test_letters_of_all_scripts_are_kept(letter):
    assert "Los pedidos se entregan en dos días; coste 25 € — “gratis” desde 50 €." in texts(letter)
    assert "Привет мир. 漢字テスト. Ελληνικά. 😀 fin." in texts(letter)


def test_rows_carry_their_columns_names(letter):
    assert [text for text in texts(letter) if "Modelo" in text] == [
        "Modelo: Xaloc; Precio: 899 €; Peso: 12 kg",
        "Modelo: Tramuntana; Precio: 1.299 €; Peso: 10 kg",
    ]


def test_hidden_and_deleted_text_and_the_codes_of_fields_are_left_out(letter):
    assert [text for text in texts(letter) if text.startswith(("Visible", "Antes", "Véase"))] == [
        "Visible. Sigue.",
        "Antes después.",
        "Véase la web de la tienda.",
    ]


def test_header_and_footer_are_told_once(letter):
    assert texts(letter)[0] == "Encabezado de Bicis Mar"
    assert texts(letter)[-1] == "Pie confidencial"
    assert letter.warnings == ()


def test_protected_document_is_named_as_such(tmp_path: Path):
    protected = Reason("file_protected", kind="document")
    identity = (
        bytes.fromhex("eca5c100") + bytes(6) + bytes.fromhex("0001") + bytes(1000)
    )  # fEncrypted
    assert failure(make_ole({"WordDocument": identity, "0Table": b""}), tmp_path) == protected
    assert (
        failure(make_ole({"EncryptedPackage": b"", "EncryptionInfo": b""}), tmp_path) == protected
    )


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_truncated_document_is_damaged(share: float, tmp_path: Path):
    content = LETTER.read_bytes()
    assert str(failure(content[: int(len(content) * share)], tmp_path)).startswith(
        "This file is damaged or incomplete"
    )


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("cp1251", "Установка программы"), ("mac-roman", "l’auteur rédigé"), ("cp1250", "před")],
)
def test_letters_that_were_taken_for_western_ones_are_read_anew(encoding: str, text: str):
    assert decoded_anew(text.encode(encoding).decode("cp1252"), encoding) == text


def test_letters_that_no_western_code_page_has_stay_as_they_are():
    assert decoded_anew("Мир é", "cp1251") == "Мир é"


def test_embedded_objects_are_told():
    pool = {
        "_1": {"Workbook": b"x"},
        "_2": {"Contents": b"x", "\x03OCXNAME": b"x"},
        "_3": {"a": b"x"},
    }
    assert count_objects(make_compound({"WordDocument": b"x", "ObjectPool": pool})) == 2
    assert count_objects(LETTER.read_bytes()) == count_objects(b"Word 2.0") == 0
