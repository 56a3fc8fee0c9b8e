"""Electronic books: chapter by chapter, in the order of the spine."""

import io
import zipfile
from collections.abc import Mapping

import pytest

from reading.errors import UnreadableFile
from reading.extractors.books.epub import PROTECTED, extract
from reading.extractors.interface import DAMAGED
from reading.passages import Block
from reading.tests.books import CONTAINER, chapter, make_epub
from reasons import Reason


def texts(chapters: Mapping[str, str | None], *, metadata: str = "") -> list[str]:
    return [block.text for block in extract(make_epub(chapters, metadata=metadata)).blocks]


def test_chapters_come_in_the_order_of_the_spine_under_their_headings():
    book = make_epub(
        {
            "b.xhtml": chapter("<h1>Primero</h1><p>Uno.</p>"),
            "a.xhtml": chapter("<h1>Segundo</h1><h2>Dentro</h2><p>Dos.</p>"),
        }
    )
    assert list(extract(book).blocks) == [
        Block("Primero", "section Primero", "Primero", is_heading=True),
        Block("Uno.", "section Primero", "Primero"),
        Block("Segundo", "section Segundo", "Segundo", is_heading=True),
        Block("Dentro", "section Dentro", "Segundo > Dentro", is_heading=True),
        Block("Dos.", "section Dentro", "Segundo > Dentro"),
    ]


def test_title_and_authors_come_first():
    metadata = "<dc:title>Cafés</dc:title><dc:creator>Ana</dc:creator><dc:creator>Luis</dc:creator>"
    assert texts({"a.xhtml": chapter("<p>Uno.</p>")}, metadata=metadata) == [
        "Cafés",
        "Ana, Luis",
        "Uno.",
    ]


@pytest.mark.parametrize(
    ("item", "name", "content"),
    [
        (
            '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>',
            "toc.ncx",
            '<?xml version="1.0"?><!DOCTYPE ncx PUBLIC "x" "y">'
            '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>'
            'El tueste</text></navLabel><content src="uno%20a.xhtml#x"/></navPoint></navMap></ncx>',
        ),
        (
            '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>',
            "nav.xhtml",
            chapter('<nav><ol><li><a href="uno%20a.xhtml">El tueste</a></li></ol></nav>'),
        ),
    ],
)
def test_table_of_contents_names_the_chapters_without_a_heading(item: str, name: str, content: str):
    book = make_epub(
        {"uno a.xhtml": chapter("<p>Uno.</p>"), "dos.xhtml": chapter("<p>Dos.</p>")},
        items=item,
        parts={f"OEBPS/{name}": content},
    )
    assert [(block.text, block.section_title) for block in extract(book).blocks] == [
        ("El tueste", "El tueste"),
        ("Uno.", "El tueste"),
        ("Dos.", "El tueste"),
    ]


def test_table_of_contents_is_no_text():
    body = "<nav><ol><li><a href='x'>Uno</a></li></ol></nav><p>Hola.</p>"
    assert texts({"a.xhtml": chapter(body)}) == ["Hola."]


def test_elements_that_end_at_once_do_not_swallow_the_chapter():
    """A parser of web pages takes what follows for a script, or for the title."""
    head = '<title/><script src="a.js"/>'
    assert texts({"a.xhtml": chapter("<p>Uno.</p><a id='x'/><p>Dos.</p>", head)}) == [
        "Uno.",
        "Dos.",
    ]
    broken = chapter("<p>Uno.<br></p><script src='x'/><p>Dos.</p>", head)
    assert texts({"a.xhtml": broken}) == ["Uno.", "Dos."]


def test_names_of_characters_are_known():
    assert texts({"a.xhtml": chapter("<p>a&nbsp;&mdash;&eacute; &amp;lt;</p>")}) == ["a —é &lt;"]


def test_footnotes_and_asides_are_read():
    body = "<p>Uno<a href='#n'>1</a>.</p><aside id='n'><p>Nota.</p></aside><footer>Pie.</footer>"
    assert texts({"a.xhtml": chapter(body)}) == ["Uno1.", "Nota.", "Pie."]


def test_chapter_that_is_named_twice_is_read_once():
    book = make_epub({"a.xhtml": chapter("<p>Uno.</p>")})
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        package = archive.read("OEBPS/book.opf").decode()
    again = package.replace("</spine>", '<itemref idref="a.xhtml"/>' * 1000 + "</spine>")
    twice = make_epub({"a.xhtml": chapter("<p>Uno.</p>")}, parts={"OEBPS/book.opf": again})
    assert [block.text for block in extract(twice).blocks] == ["Uno."]


def test_missing_chapter_costs_itself_and_is_told():
    names: list[str | None] = [chapter("<p>Uno.</p>"), None, None, chapter("<p>Cuatro.</p>")]
    found = extract(make_epub({f"{n}.xhtml": text for n, text in enumerate(names)}))
    assert [block.text for block in found.blocks] == ["Uno.", "Cuatro."]
    assert found.warnings == [
        Reason("book_parts_lost", places=Reason("places_part", numbers="2–3"))
    ]


ENCRYPTED = (
    '<encryption><EncryptedData><EncryptionMethod Algorithm="{algorithm}"/><CipherData>'
    '<CipherReference URI="OEBPS/{name}"/></CipherData></EncryptedData></encryption>'
)


def test_protected_book_is_named_as_such():
    encryption = ENCRYPTED.format(algorithm="http://www.w3.org/2001/04/xmlenc#aes", name="a.xhtml")
    book = make_epub({"a.xhtml": "?"}, parts={"META-INF/encryption.xml": encryption})
    with pytest.raises(UnreadableFile) as caught:
        extract(book)
    assert caught.value.reason == PROTECTED


def test_hidden_fonts_are_no_protection():
    encryption = ENCRYPTED.format(algorithm="http://www.idpf.org/2008/embedding", name="font.otf")
    book = make_epub(
        {"a.xhtml": chapter("<p>Uno.</p>")}, parts={"META-INF/encryption.xml": encryption}
    )
    assert [block.text for block in extract(book).blocks] == ["Uno."]


def test_book_without_a_package_document_is_damaged():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
    with pytest.raises(UnreadableFile) as caught:
        extract(buffer.getvalue())
    assert caught.value.reason == DAMAGED
