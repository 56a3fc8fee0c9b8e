"""What independent readers see in files. Runs in a venv of its own (readers.txt), never in ours:
it imports nothing of the product, and programs of the system are used where they are installed.

Reads JSON lines {"path", "kind"} from its input and answers each with a JSON line: for every reader
{"pages", "numbers", "rows", "headings"}, or {"error"}. `numbers` are those cells that are no text.
"""

from __future__ import annotations

import contextlib
import csv
import datetime
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

READER_SECONDS = 30
MEMORY_BYTES = 4 << 30
TEXT_MAX_CHARS = 8_000_000
ROWS_MAX = 3000

Seen = dict[str, Any]
Reader = Callable[[Path], Seen]


def text(
    *pages: str,
    rows: list[list[str]] | None = None,
    headings: list[str] | None = None,
    numbers: list[float] | None = None,
) -> Seen:
    return {
        "pages": list(pages),
        "rows": rows or [],
        "headings": headings or [],
        "numbers": numbers or [],
    }


def program(*command: str, encoding: str = "utf-8") -> Reader:
    def read(path: Path) -> Seen:
        done = subprocess.run(
            [part.replace("FILE", str(path)) for part in command],
            capture_output=True,
            timeout=READER_SECONDS,
            check=True,
        )
        return text(*done.stdout.decode(encoding, "replace").split("\f"))

    return read


def soffice(to: str, suffix: str) -> Reader:
    def read(path: Path) -> Seen:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                [
                    "soffice",
                    f"-env:UserInstallation=file://{tempfile.gettempdir()}/bench-soffice",
                    "--headless",
                    "--convert-to",
                    to,
                    "--outdir",
                    folder,
                    str(path),
                ],
                capture_output=True,
                timeout=READER_SECONDS,
                check=True,
            )
            (made,) = Path(folder).glob(f"*{suffix}")
            if suffix == ".pdf":
                return program("pdftotext", "-enc", "UTF-8", "FILE", "-")(made)
            return text(made.read_text(encoding="utf-8", errors="replace"))

    return read


# --- PDF ------------------------------------------------------------------------------------------


def pypdf_text(path: Path) -> Seen:
    import pypdf

    return text(*(page.extract_text() for page in pypdf.PdfReader(path).pages))


def pdfminer_text(path: Path) -> Seen:
    from pdfminer.high_level import extract_text

    return text(*extract_text(path).split("\f"))


# --- Office ---------------------------------------------------------------------------------------


def python_docx(path: Path) -> Seen:
    import docx

    document = docx.Document(str(path))
    rows = [[cell.text for cell in row.cells] for table in document.tables for row in table.rows]
    paragraphs = [each.text for each in document.paragraphs]
    headings = [
        each.text
        for each in document.paragraphs
        if each.style is not None
        and (each.style.name or "").lower().startswith("heading")
        and each.text.strip()
    ]
    seen = rows_once(rows)
    return text(
        "\n".join([*paragraphs, *(" \n".join(row) for row in seen)]), rows=seen, headings=headings
    )


def rows_once(rows: list[list[str]]) -> list[list[str]]:
    """Merged cells come as often as they are wide."""
    return [[cell for at, cell in enumerate(row) if at == 0 or cell != row[at - 1]] for row in rows]


def docx2python_text(path: Path) -> Seen:
    from docx2python import docx2python

    with docx2python(path) as document:
        plain = re.sub(
            r"----(image|media)[^-]*----|<a href=\"[^\"]*\">|</?\w+>", " ", document.text
        )
        return text(re.sub(r"----?(footnote|endnote)\d+----?\)?", " ", plain))


def mammoth_text(path: Path) -> Seen:
    import mammoth

    with path.open("rb") as file:
        return text(mammoth.extract_raw_text(file).value)


def openpyxl_cells(path: Path) -> Seen:
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=True, read_only=False)
    return cells(
        [
            sheet.iter_rows(values_only=True)
            for sheet in book.worksheets
            if sheet.sheet_state == "visible"
        ]
    )


def calamine_cells(path: Path) -> Seen:
    import python_calamine as calamine

    book = calamine.CalamineWorkbook.from_path(str(path))
    visible = [
        sheet.name
        for sheet in book.sheets_metadata
        if sheet.visible == calamine.SheetVisibleEnum.Visible
        and sheet.typ == calamine.SheetTypeEnum.WorkSheet
    ]
    return cells([iter(book.get_sheet_by_name(name).to_python()) for name in visible])


def xlrd_cells(path: Path) -> Seen:
    import xlrd

    book = xlrd.open_workbook(str(path), logfile=io.StringIO())
    sheets = [sheet for sheet in book.sheets() if sheet.visibility == 0]

    def rows(sheet: Any) -> Iterator[list[Any]]:
        for number in range(sheet.nrows):
            yield [
                xlrd.xldate.xldate_as_datetime(cell.value, book.datemode)
                if cell.ctype == 3 and cell.value >= 1
                else None
                if cell.ctype in (4, 5)
                else cell.value
                for cell in sheet.row(number)
            ]

    return cells([rows(sheet) for sheet in sheets])


def cells(sheets: list[Iterator[Any]]) -> Seen:
    """Texts apart from numbers: how many digits a number shows is a matter of its format."""
    texts: list[str] = []
    numbers: list[float] = []
    rows: list[list[str]] = []
    for sheet in sheets:
        for row in sheet:
            words = []
            for value in row:
                if isinstance(value, bool) or value is None or value == "":
                    continue
                if isinstance(value, (int, float)):
                    numbers.append(float(value))
                elif isinstance(value, (datetime.datetime, datetime.date)):
                    words.append(value.strftime("%Y-%m-%d"))
                elif isinstance(value, (datetime.time, datetime.timedelta)):
                    continue
                elif not str(value).startswith("#"):  # an error's code
                    words.append(str(value))
            if words:
                texts.append("\n".join(words))
                if len(rows) < ROWS_MAX:
                    rows.append(words)
    return text("\n".join(texts), numbers=numbers, rows=rows)


def python_pptx(path: Path) -> Seen:
    import pptx

    pages, rows, titles = [], [], []

    def shapes(group: Any) -> Iterator[Any]:
        for shape in group:
            if shape.shape_type == 6:
                yield from shapes(shape.shapes)
            else:
                yield shape

    for slide in pptx.Presentation(str(path)).slides:
        if slide._element.get("show") == "0":
            continue
        parts = []
        for shape in shapes(slide.shapes):
            if shape.has_text_frame:
                parts.append(shape.text_frame.text)
            if getattr(shape, "has_table", False) and shape.has_table:
                found = [[cell.text for cell in row.cells] for row in shape.table.rows]
                rows += found
                parts += [" \n".join(row) for row in found]
        if slide.shapes.title is not None and slide.shapes.title.text.strip():
            titles.append(slide.shapes.title.text)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            parts.append(slide.notes_slide.notes_text_frame.text)
        pages.append("\n".join(parts))
    return text(*pages, rows=rows, headings=titles)


def slides_xml(path: Path) -> Seen:
    """Every a:t below a:p of slides and their notes, straight from the package."""
    drawing = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    pages = []
    with zipfile.ZipFile(path) as package:
        for name in package.namelist():
            if re.fullmatch(r"ppt/(slides|notesSlides)/[^/]*\.xml", name):
                root = ElementTree.fromstring(package.read(name))  # noqa: S314 - files that we chose
                if root.get("show") == "0":
                    continue
                pages.append(
                    "\n".join(
                        "".join(
                            (part.text or "") if part.tag == f"{drawing}t" else "\n"
                            for part in paragraph.iter()
                            if part.tag in (f"{drawing}t", f"{drawing}br")
                        )
                        for paragraph in root.iter(f"{drawing}p")
                    )
                )
    return text(*pages)


# --- Markup and texts -----------------------------------------------------------------------------

HIDDEN_TAGS = (
    "script",
    "style",
    "template",
    "noscript",
    "head",
    "nav",
    "footer",
    "aside",
    "header",
)


def soup_text(path: Path) -> Seen:
    return soup_of(path.read_bytes())


def soup_of(content: bytes | str) -> Seen:
    from bs4 import BeautifulSoup, Comment, Declaration, Doctype

    soup = BeautifulSoup(content, "html.parser")
    for each in soup.find_all(HIDDEN_TAGS):
        each.decompose()
    for each in soup.find_all(string=lambda s: isinstance(s, (Comment, Declaration, Doctype))):
        each.extract()
    headings = [each.get_text(" ", strip=True) for each in soup.find_all(re.compile("^h[1-6]$"))]
    rows = [
        [cell.get_text(" ", strip=True) for cell in row.find_all(["td", "th"], recursive=False)]
        for row in soup.find_all("tr")
        if not row.find("table")
    ]
    return text(
        separated(soup), rows=[row for row in rows if any(row)], headings=[h for h in headings if h]
    )


INLINE = {
    "a",
    "abbr",
    "b",
    "bdi",
    "bdo",
    "big",
    "cite",
    "code",
    "data",
    "del",
    "dfn",
    "em",
    "font",
    "i",
    "ins",
    "kbd",
    "mark",
    "q",
    "s",
    "samp",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "time",
    "tt",
    "u",
    "var",
    "wbr",
}


def separated(soup: Any) -> str:
    """Boxes end a word; inline tags do not."""
    for each in soup.find_all(True):
        if each.name not in INLINE:
            each.insert_before("\n")
            each.insert_after("\n")
    return str(soup.get_text())


def inscriptis_text(path: Path) -> Seen:
    from inscriptis import get_text

    return text(get_text(decoded(path)))


def html2text_text(path: Path) -> Seen:
    import html2text

    maker = html2text.HTML2Text(bodywidth=0)
    maker.ignore_links = maker.ignore_images = True
    return text(maker.handle(decoded(path)))


def decoded(path: Path) -> str:
    from bs4.dammit import UnicodeDammit

    content = path.read_bytes()
    return UnicodeDammit(content, is_html=True).unicode_markup or content.decode("latin-1")


def lxml_text(path: Path) -> Seen:
    from lxml import html

    root = html.document_fromstring(
        decoded(path).encode(), parser=html.HTMLParser(encoding="utf-8")
    )
    for each in list(root.iter(*HIDDEN_TAGS, "option")):
        each.drop_tree()
    for each in root.iter():
        if isinstance(each.tag, str) and each.tag not in INLINE:
            each.text = "\n" + (each.text or "")
            each.tail = "\n" + (each.tail or "")
    return text("".join(root.itertext(with_tail=True)))


def chardet_text(path: Path) -> Seen:
    import chardet

    content = path.read_bytes()
    found = chardet.detect(content[:200_000])["encoding"] or "utf-8"
    return text(content.decode(found, "replace"))


def normalizer_text(path: Path) -> Seen:
    import charset_normalizer

    best = charset_normalizer.from_bytes(path.read_bytes()[:2_000_000]).best()
    assert best is not None
    return text(str(best))


def markdown_it(path: Path) -> Seen:
    from markdown_it import MarkdownIt

    content = without_front_matter(chardet_text(path)["pages"][0])
    made = MarkdownIt("commonmark", {"html": True}).enable("table").render(content)
    return soup_of(made)


def mistune_text(path: Path) -> Seen:
    import mistune

    content = without_front_matter(normalizer_text(path)["pages"][0])
    return soup_of(
        str(mistune.create_markdown(escape=False, plugins=["table", "footnotes"])(content))
    )


def without_front_matter(content: str) -> str:
    return re.sub(r"\A---\n.*?\n---\n", "", content, flags=re.S)


def csv_rows(path: Path) -> Seen:
    content = chardet_text(path)["pages"][0]
    try:
        dialect: Any = csv.Sniffer().sniff(content[:20_000], ",;\t|")
    except csv.Error:
        dialect = csv.excel_tab if path.suffix == ".tsv" else csv.excel
    csv.field_size_limit(10_000_000)
    rows = [row for row in csv.reader(io.StringIO(content), dialect) if any(row)]
    return text("\n".join("\n".join(row) for row in rows), rows=rows[:ROWS_MAX])


# --- OpenDocument and books -----------------------------------------------------------------------


def odf_text(path: Path) -> Seen:
    from odf import teletype
    from odf.opendocument import load
    from odf.table import TableCell
    from odf.text import H, P

    document = load(str(path))
    kept = [
        teletype.extractText(each)
        for kind in (H, P)
        for each in document.body.getElementsByType(kind)
    ]
    del TableCell
    return text(
        "\n".join(kept),
        headings=[teletype.extractText(h) for h in document.body.getElementsByType(H)],
    )


def odf_xml(path: Path) -> Seen:
    """Paragraphs and headings of content.xml, tracked deletions and notes aside."""
    namespace = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
    with zipfile.ZipFile(path) as package:
        root = ElementTree.fromstring(package.read("content.xml"))  # noqa: S314 - files that we chose
    skipped = {f"{namespace}tracked-changes", f"{namespace}note-citation"}
    spaces = {
        f"{namespace}s",
        f"{namespace}tab",
        f"{namespace}line-break",
        f"{namespace}p",
        f"{namespace}h",
    }
    parts: list[str] = []

    def walk(element: ElementTree.Element) -> None:
        if element.tag in skipped or element.tag.endswith("}binary-data"):
            return
        if element.tag in spaces:
            parts.append("\n")
        parts.append(element.text or "")
        for child in element:
            walk(child)
            parts.append(child.tail or "")
        if element.tag in spaces:
            parts.append("\n")

    body = next(each for each in root if each.tag.endswith("}body"))
    walk(body)
    return text("".join(parts))


def ods_cells(path: Path) -> Seen:
    import pandas

    sheets = pandas.read_excel(
        path, sheet_name=None, header=None, engine="odf", keep_default_na=False
    )
    return cells([iter(sheet.values.tolist()) for sheet in sheets.values()])


def ebooklib_text(path: Path) -> Seen:
    import ebooklib
    from ebooklib import epub

    book = epub.read_epub(str(path), {"ignore_ncx": True})
    spine = [book.get_item_with_id(name) for name, _ in book.spine]
    seen = [
        soup_of(item.get_content())
        for item in spine
        if item is not None and item.get_type() == ebooklib.ITEM_DOCUMENT
    ]
    return text(
        *(each["pages"][0] for each in seen),
        headings=[h for each in seen for h in each["headings"]],
    )


def epub_files(path: Path) -> Seen:
    """Every page of the package, in the order of its members, but the navigation."""
    with zipfile.ZipFile(path) as package:
        pages = [
            soup_of(package.read(name))["pages"][0]
            for name in package.namelist()
            if name.lower().endswith((".xhtml", ".html", ".htm"))
            and "nav" not in Path(name).stem.lower()
            and "toc" not in Path(name).stem.lower()
        ]
    return text(*pages)


# --- Mails ----------------------------------------------------------------------------------------


def stdlib_mail(path: Path) -> Seen:
    from email import policy
    from email.parser import BytesParser

    message = BytesParser(policy=policy.default).parsebytes(path.read_bytes())
    body = message.get_body(("plain", "html"))
    content = "" if body is None else str(body.get_content())
    if body is not None and body.get_content_subtype() == "html":
        content = soup_of(content)["pages"][0]
    return text(f"{message['subject'] or ''}\n{content}")


def mail_parser(path: Path) -> Seen:
    import mailparser

    mail = mailparser.parse_from_file(str(path))
    plain = "\n".join(mail.text_plain) or soup_of("\n".join(mail.text_html))["pages"][0]
    return text(f"{mail.subject or ''}\n{plain}")


def extract_msg_text(path: Path) -> Seen:
    import extract_msg

    with extract_msg.openMsg(str(path)) as message:
        return text(f"{message.subject or ''}\n{message.body or ''}")


def oxmsg_text(path: Path) -> Seen:
    from oxmsg import Message

    message = Message.load(str(path))
    body = message.body or soup_of(message.html_body or "")["pages"][0]
    return text(f"{message.subject or ''}\n{body}")


# --- Data -----------------------------------------------------------------------------------------


def elementtree_text(path: Path) -> Seen:
    return text("\n".join(part for part in parse_xml(path).itertext() if part.strip()))


def parse_xml(path: Path) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()  # noqa: S314 - files that we chose


def lxml_xml(path: Path) -> Seen:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    return text("\n".join(etree.parse(str(path), parser).getroot().itertext()))


def json_values(path: Path) -> Seen:
    content = path.read_bytes()
    try:
        documents = [json.loads(content)]
    except ValueError:
        documents = [json.loads(line) for line in content.splitlines() if line.strip()]
    return values_of(documents)


def ijson_values(path: Path) -> Seen:
    import ijson

    found: list[Any] = []
    with path.open("rb") as file:
        for _, event, value in ijson.parse(file, multiple_values=True):
            if event in ("string", "number"):
                found.append(value if event == "string" else float(value))
    return values_of(found)


def values_of(documents: list[Any]) -> Seen:
    texts: list[str] = []
    numbers: list[float] = []
    stack = documents[::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            stack += list(value.values())[::-1]
        elif isinstance(value, list):
            stack += value[::-1]
        elif isinstance(value, str):
            texts.append(value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            numbers.append(float(value))
    return text("\n".join(texts), numbers=numbers)


# --- RTF ------------------------------------------------------------------------------------------


def striprtf_text(path: Path) -> Seen:
    from striprtf.striprtf import rtf_to_text

    return text(rtf_to_text(path.read_bytes().decode("latin-1"), errors="replace"))


READERS: dict[str, dict[str, Reader]] = {
    "pdf": {
        "pypdf": pypdf_text,
        "pdfminer": pdfminer_text,
        "pdftotext": program("pdftotext", "-enc", "UTF-8", "FILE", "-"),
    },
    "docx": {"python-docx": python_docx, "docx2python": docx2python_text, "mammoth": mammoth_text},
    "xlsx": {"openpyxl": openpyxl_cells, "calamine": calamine_cells},
    "pptx": {"python-pptx": python_pptx, "slides": slides_xml},
    "html": {"beautifulsoup": soup_text, "inscriptis": inscriptis_text, "lxml": lxml_text},
    "csv": {"csv": csv_rows, "charset-normalizer": normalizer_text},
    "txt": {"chardet": chardet_text, "charset-normalizer": normalizer_text},
    "md": {"markdown-it": markdown_it, "mistune": mistune_text},
    "rtf": {
        "striprtf": striprtf_text,
        "unrtf": program("unrtf", "--text", "--nopict", "FILE"),
        "pandoc": program("pandoc", "-f", "rtf", "-t", "plain", "--wrap=none", "FILE"),
    },
    "odt": {"odfpy": odf_text, "content.xml": odf_xml},
    "odp": {"odfpy": odf_text, "content.xml": odf_xml},
    "ods": {"odfpy": ods_cells, "calamine": calamine_cells},
    "epub": {"ebooklib": ebooklib_text, "pages": epub_files},
    "eml": {"email": stdlib_mail, "mail-parser": mail_parser},
    "msg": {"extract-msg": extract_msg_text, "python-oxmsg": oxmsg_text},
    "xml": {"elementtree": elementtree_text, "lxml": lxml_xml},
    "json": {"json": json_values, "ijson": ijson_values},
    "doc": {
        "antiword": program("antiword", "-m", "UTF-8.txt", "-w", "0", "FILE"),
        "catdoc": program("catdoc", "-d", "utf-8", "-w", "FILE"),
        "soffice": soffice("txt:Text (encoded):UTF8", ".txt"),
    },
    "xls": {"xlrd": xlrd_cells, "calamine": calamine_cells},
    "ppt": {
        "catppt": program("catppt", "-d", "utf-8", "FILE"),
        "soffice": soffice("pdf", ".pdf"),
    },
}


class TooSlow(Exception):
    pass


def give_up(*_: object) -> None:
    raise TooSlow


def read_all(path: Path, kind: str) -> dict[str, Seen]:
    found: dict[str, Seen] = {}
    for name, reader in READERS.get(kind, {}).items():
        signal.alarm(READER_SECONDS)
        try:
            seen = reader(path)
            seen["pages"] = [page[:TEXT_MAX_CHARS] for page in seen["pages"]]
            found[name] = seen
        except Exception as error:  # noqa: BLE001 - whatever a reader does to a file is its answer
            found[name] = {"error": f"{type(error).__name__}: {error}"[:200]}
        finally:
            signal.alarm(0)
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, resource.RLIM_INFINITY))
    sys.setrecursionlimit(5000)
    signal.signal(signal.SIGALRM, give_up)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    os.dup2(2, 1)  # what readers print is no answer
    for line in sys.stdin:
        question = json.loads(line)
        with contextlib.redirect_stdout(sys.stderr):
            found = read_all(Path(question["path"]), question["kind"])
        answers.write(json.dumps(found) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
