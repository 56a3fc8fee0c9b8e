"""What everybody reads and is asked: 120 documents of four formats, made of the articles of
`eval/wiki`, a quarter TXT, Markdown, DOCX and PDF, half English and half Spanish.

The same data gives the same bytes. None of it is in the repository: its licence is its own.
"""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import docx
import matplotlib
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate

from reading.tests.files.corpus.packages import saved, unpack

LANGUAGES = ("en", "es")
PARTS = (3, 2)  # documents of an article, in turn
PAGE_CHARS = 3_000  # or one paragraph: the longest, of 4,300, fits
SEED = 20
Paragraphs = Sequence[tuple[str, str]]  # key and text
# Of unanswerable.*.jsonl: about nothing that the articles tell
OFF_TOPIC = ("customer", "open_domain")
ZIP_TIME = (2026, 1, 1, 0, 0, 0)
FONT = "DejaVuSans"  # the standard fonts lack the articles' Greek and phonetic letters


@dataclass(frozen=True)
class SpeedFile:
    """`pages`: the page of each paragraph that stands in it; 0 where there are no pages."""

    name: str
    content: bytes
    pages: Mapping[str, int]


@dataclass(frozen=True)
class SpeedQuestion:
    """`files`: those that hold the paragraph, in either language. `page`: (file, number), where
    the one in its own language is a PDF."""

    text: str
    files: frozenset[str]
    page: tuple[str, int] | None


@dataclass(frozen=True)
class SpeedCorpus:
    """`off_topic`: questions that none of the files answers."""

    files: Sequence[SpeedFile]
    questions: Sequence[SpeedQuestion]
    off_topic: Sequence[str]

    def first(self, count: int) -> SpeedCorpus:
        """The first files, and what is asked about them."""
        files = self.files[:count]
        names = {file.name for file in files}
        asked = [
            replace(
                question,
                page=question.page if question.page and question.page[0] in names else None,
            )
            for question in self.questions
            if question.files & names
        ]
        return SpeedCorpus(files, asked, self.off_topic)

    def write(self, folder: Path) -> list[Path]:
        paths = [folder / file.name for file in self.files]
        for path, file in zip(paths, self.files, strict=True):
            path.write_bytes(file.content)
        return paths


def read_corpus(data: Path) -> SpeedCorpus:
    """From the folder that holds `wiki`. The questions' order is mixed, always the same way."""
    files: list[SpeedFile] = []
    of_language: dict[str, list[SpeedFile]] = defaultdict(list)
    for language in LANGUAGES:
        articles = read_lines(data / "wiki" / f"corpus.{language}.jsonl")
        for number, article in enumerate(articles):
            for name, paragraphs in cut(article, PARTS[number % len(PARTS)]):
                extension, make = MAKERS[len(files) % len(MAKERS)]
                file = make(f"{name}{extension}", article["title"], paragraphs)
                files.append(file)
                of_language[language].append(file)
    questions: list[SpeedQuestion] = []
    off_topic: set[str] = set()
    for language in LANGUAGES:
        asked = read_lines(data / "wiki" / f"questions.{language}.jsonl")
        questions += [to_question(row, files, of_language[language]) for row in asked]
        others = read_lines(data / "wiki" / f"unanswerable.{language}.jsonl")
        off_topic |= {row["question"] for row in others if row["kind"] in OFF_TOPIC}
    mix = random.Random(SEED)  # noqa: S311 - an order
    mix.shuffle(questions)
    return SpeedCorpus(files, questions, mix.sample(sorted(off_topic), len(off_topic)))


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def cut(article: Mapping[str, Any], parts: int) -> Iterator[tuple[str, Paragraphs]]:
    """Name and paragraphs of each document that the article becomes."""
    paragraphs = [(row["para_id"], row["text"]) for row in article["paragraphs"]]
    size = -(-len(paragraphs) // parts)
    for part in range(parts):
        name = f"{article['doc_id']}-{article['lang']}-{part + 1}"
        yield name, paragraphs[part * size : (part + 1) * size]


def to_question(
    row: Mapping[str, Any], files: Sequence[SpeedFile], own: Sequence[SpeedFile]
) -> SpeedQuestion:
    wanted = row["para_id"]
    pages = [(file.name, file.pages[wanted]) for file in own if file.pages.get(wanted)]
    return SpeedQuestion(
        row["question"],
        frozenset(file.name for file in files if wanted in file.pages),
        pages[0] if pages else None,
    )


# --- Formats --------------------------------------------------------------------------------------


def make_txt(name: str, title: str, paragraphs: Paragraphs) -> SpeedFile:
    return without_pages(name, "\n\n".join([title, *texts(paragraphs)]).encode(), paragraphs)


def make_markdown(name: str, title: str, paragraphs: Paragraphs) -> SpeedFile:
    return without_pages(name, "\n\n".join([f"# {title}", *texts(paragraphs)]).encode(), paragraphs)


def make_docx(name: str, title: str, paragraphs: Paragraphs) -> SpeedFile:
    document = docx.Document()
    document.add_heading(title, 1)
    for text in texts(paragraphs):
        document.add_paragraph(text)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in unpack(saved(document.save)).items():
            archive.writestr(zipfile.ZipInfo(member, ZIP_TIME), content, zipfile.ZIP_DEFLATED)
    return without_pages(name, buffer.getvalue(), paragraphs)


def make_pdf(name: str, title: str, paragraphs: Paragraphs) -> SpeedFile:
    """No paragraph goes over the end of a page: each stands on one."""
    if FONT not in pdfmetrics.getRegisteredFontNames():
        fonts = Path(matplotlib.get_data_path(), "fonts", "ttf")
        pdfmetrics.registerFont(TTFont(FONT, str(fonts / f"{FONT}.ttf")))
    heading = ParagraphStyle("heading", fontName=FONT, fontSize=14, leading=20, spaceAfter=12)
    body = ParagraphStyle("body", fontName=FONT, fontSize=8, leading=10, spaceAfter=8)
    story: list[Flowable] = [Paragraph(escape(title), heading)]
    pages: dict[str, int] = {}
    page, room = 1, PAGE_CHARS
    for key, text in paragraphs:
        if len(text) > room and pages:
            story.append(PageBreak())
            page, room = page + 1, PAGE_CHARS
        story.append(Paragraph(escape(text), body))
        pages[key] = page
        room -= len(text)
    buffer = io.BytesIO()
    SimpleDocTemplate(buffer, invariant=1, title=title).build(story)
    return SpeedFile(name, buffer.getvalue(), pages)


def without_pages(name: str, content: bytes, paragraphs: Paragraphs) -> SpeedFile:
    return SpeedFile(name, content, {key: 0 for key, _ in paragraphs})


def texts(paragraphs: Paragraphs) -> list[str]:
    return [text for _, text in paragraphs]


MAKERS: Sequence[tuple[str, Callable[[str, str, Paragraphs], SpeedFile]]] = (
    (".txt", make_txt),
    (".md", make_markdown),
    (".docx", make_docx),
    (".pdf", make_pdf),
)
