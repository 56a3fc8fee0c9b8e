"""An honest file of every format in English and in Spanish.

Speech is by espeak-ng, which must be installed.
"""

from __future__ import annotations

import csv
import io
import subprocess
import wave
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import docx
import numpy as np
import openpyxl
import pptx
from PIL import Image
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Table

from reading.tests.drawn_pages import draw_page
from reading.tests.sound_files import encode

SCAN_DPI = 150
IMAGE_KINDS = {"png": "PNG", "jpg": "JPEG", "webp": "WEBP", "bmp": "BMP"}
SOUND_KINDS = {
    "wav": "wav",
    "mp3": "mp3",
    "ogg": "ogg",
    "m4a": "ipod",
    "flac": "flac",
    "webm": "webm",
}


@dataclass(frozen=True)
class Text:
    """What a sample says: two sections and a table."""

    language: str
    title: str
    sections: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, ...], ...]


ENGLISH = Text(
    "en",
    "Bicycle rental",
    (
        (
            "Opening hours",
            "The shop opens at nine in the morning and closes at eight in the evening. On Sundays "
            "it is closed. Bicycles that come back late are charged one more day.",
        ),
        (
            "Deposit",
            "Every rental needs a deposit of fifty euros, which is paid back when the bicycle "
            "returns without damage. A lost key costs twenty euros.",
        ),
    ),
    (("Model", "Day", "Week"), ("City bicycle", "12", "60"), ("Electric bicycle", "28", "140")),
)
SPANISH = Text(
    "es",
    "Condiciones del taller",
    (
        (
            "Plazos de reparación",
            "La reparación de una bicicleta tarda tres días laborables. Si hace falta pedir una "
            "pieza al fabricante, avisamos al cliente y el plazo se amplía una semana.",
        ),
        (
            "Garantía",
            "Las reparaciones tienen una garantía de seis meses. La garantía no cubre el desgaste "
            "normal de los frenos ni los daños de un accidente.",
        ),
    ),
    (("Pieza", "Precio", "Plazo"), ("Cámara de aire", "8", "1"), ("Cadena añadida", "24", "2")),
)


def make_samples() -> dict[str, bytes]:
    """File name → content."""
    return {
        f"sample_{text.language}{suffix}": make(text)
        for text in (ENGLISH, SPANISH)
        for suffix, make in MAKERS.items()
    }


# --- Documents ------------------------------------------------------------------------------------


def make_pdf(text: Text) -> bytes:
    styles, buffer = getSampleStyleSheet(), io.BytesIO()
    story: list[Flowable] = [Paragraph(text.title, styles["Title"])]
    for heading, paragraph in text.sections:
        story += [Paragraph(heading, styles["Heading1"]), Paragraph(paragraph, styles["Normal"])]
        story.append(PageBreak())
    SimpleDocTemplate(buffer).build([*story, Table(text.rows)])
    return buffer.getvalue()


def make_docx(text: Text) -> bytes:
    document = docx.Document()
    for heading, paragraph in text.sections:
        document.add_heading(heading, 1)
        document.add_paragraph(paragraph)
    table = document.add_table(len(text.rows), len(text.rows[0]))
    for row, cells in zip(table.rows, text.rows, strict=True):
        for cell, value in zip(row.cells, cells, strict=True):
            cell.text = value
    return saved(document.save)


def make_xlsx(text: Text) -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.create_sheet(text.title, 0)
    for row in text.rows:
        sheet.append(row)
    return saved(workbook.save)


def make_pptx(text: Text) -> bytes:
    presentation = pptx.Presentation()
    for heading, paragraph in text.sections:
        slide = presentation.slides.add_slide(presentation.slide_layouts[1])
        slide.shapes.title.text = heading
        slide.placeholders[1].text = paragraph
    return saved(presentation.save)


def saved(save: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


# --- Texts ----------------------------------------------------------------------------------------


def make_csv(text: Text) -> bytes:
    """Latin-1, as Excel saves it in Spain."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=";").writerows(text.rows)
    return buffer.getvalue().encode("latin-1")


def make_txt(text: Text) -> bytes:
    return "\n\n".join([text.title, *(part for pair in text.sections for part in pair)]).encode()


def make_markdown(text: Text) -> bytes:
    return "\n\n".join(f"## {heading}\n\n{part}" for heading, part in text.sections).encode()


def make_html(text: Text) -> bytes:
    body = "".join(f"<h2>{heading}</h2><p>{part}</p>" for heading, part in text.sections)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in text.rows)
    page = f'<!doctype html><html lang="{text.language}"><head><meta charset="utf-8">'
    page += f"<title>{text.title}</title></head><body><nav>Menu</nav><main><h1>{text.title}</h1>"
    return f"{page}{body}<table>{rows}</table></main></body></html>".encode()


# --- Pictures -------------------------------------------------------------------------------------


def draw_pages(text: Text) -> list[Image.Image]:
    return [draw_page(heading, "", *wrapped(part)) for heading, part in text.sections]


def wrapped(text: str, words: int = 8) -> list[str]:
    parts = text.split()
    return [" ".join(parts[start : start + words]) for start in range(0, len(parts), words)]


def make_picture(kind: str) -> Callable[[Text], bytes]:
    return lambda text: saved(lambda buffer: draw_pages(text)[0].save(buffer, kind))


def make_pages(kind: str) -> Callable[[Text], bytes]:
    """One file of several pages: a TIFF, or a PDF that is a scan."""

    def make(text: Text) -> bytes:
        first, *others = draw_pages(text)
        return saved(
            lambda buffer: first.save(
                buffer, kind, save_all=True, append_images=others, resolution=SCAN_DPI
            )
        )

    return make


# --- Sound ----------------------------------------------------------------------------------------


def make_speech(container: str) -> Callable[[Text], bytes]:
    def make(text: Text) -> bytes:
        words = " ".join(part for _, part in text.sections)
        spoken = subprocess.run(
            ["espeak-ng", "-v", text.language, "-s", "140", "--stdout", words],
            capture_output=True,
            check=True,
        ).stdout
        with wave.open(io.BytesIO(spoken)) as sound:
            samples = np.frombuffer(sound.readframes(sound.getnframes()), np.int16)
            return encode(samples, sound.getframerate(), container=container)

    return make


MAKERS: Mapping[str, Callable[[Text], bytes]] = {
    ".pdf": make_pdf,
    "_scan.pdf": make_pages("PDF"),
    ".docx": make_docx,
    ".xlsx": make_xlsx,
    ".pptx": make_pptx,
    ".csv": make_csv,
    ".txt": make_txt,
    ".md": make_markdown,
    ".html": make_html,
    **{f".{ending}": make_picture(kind) for ending, kind in IMAGE_KINDS.items()},
    ".tiff": make_pages("TIFF"),
    **{f".{ending}": make_speech(container) for ending, container in SOUND_KINDS.items()},
}
