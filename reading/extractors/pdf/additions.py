"""The additions of people to a PDF beside the text of its pages: values in its form, comments,
embedded files."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pypdfium2
import pypdfium2.raw as pdfium

from reading.extractors.prose import clean, has_content

ANNOTATIONS_MAX = 5_000  # of a page
CHARACTERS_MAX = 1_000_000  # of all of them on a page
EMPTY_BYTES = 2  # the zero at its end
TEXT_MAX_BYTES = 2_000_000  # of a field or a comment, two bytes a character
NAMES_MAX = 20  # of embedded files that are told
NAME_MAX_CHARS = 100
HIDDEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
UNREAD = (pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_POPUP)  # a comment's popup repeats it
PASSWORD = 1 << 13  # ISO 32000-1, table 228
VALUES = (
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
)
SWITCHES = (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON)
DRAWN_FIELDS = (-1, pdfium.FPDF_FORMFIELD_SIGNATURE)  # -1: no field of this form
PLAIN_STATES = frozenset({"on", "yes", "true", "1", "x", "si", "sí"})  # that say no more than "on"
NAME_OF_A_PROGRAM = re.compile(
    r"[\[\]#]|^\W*\w?\d+$|^(?:untitled|undefined|text|field)\W*\d*$", re.I
)


@dataclass(frozen=True)
class Additions:
    """`texts`: filled form fields ("Name: Ana"; "Newsletter" when that is ticked) and comments,
    once each. `has_stamps`: others say something only as they look: signatures, stamps.
    `is_whole`: they are all of the page's.
    """

    texts: tuple[str, ...]
    has_stamps: bool
    is_whole: bool


def read_additions(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> Additions:
    texts: dict[str, None] = {}
    has_stamps = False
    chars = 0
    count = pdfium.FPDFPage_GetAnnotCount(page)
    for index in range(min(count, ANNOTATIONS_MAX)):
        if chars > CHARACTERS_MAX:
            break
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            if not is_read(annotation):
                continue
            if has_content(text := read_annotation(document.formenv, annotation)):
                texts[text] = None
                chars += len(text)
            else:
                has_stamps = has_stamps or is_stamp(document.formenv, annotation)
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)
    is_whole = count <= ANNOTATIONS_MAX and chars <= CHARACTERS_MAX
    return Additions(tuple(texts), has_stamps, is_whole)


def is_read(annotation: object) -> bool:
    subtype = pdfium.FPDFAnnot_GetSubtype(annotation)
    return subtype not in UNREAD and not pdfium.FPDFAnnot_GetFlags(annotation) & HIDDEN


def is_stamp(form: object, annotation: object) -> bool:
    """True for a signature, or an annotation that is drawn and has no text; not for a button.
    Fields whose form was lost, when pages were taken from a file, count too."""
    is_field = pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET and form
    if is_field and pdfium.FPDFAnnot_GetFormFieldType(form, annotation) not in DRAWN_FIELDS:
        return False
    looks = pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0)
    return bool(looks > EMPTY_BYTES)


def read_annotation(form: object, annotation: object) -> str:
    if pdfium.FPDFAnnot_GetSubtype(annotation) == pdfium.FPDF_ANNOT_WIDGET:
        return read_field(form, annotation) if form else ""
    return clean(
        string(lambda *buffer: pdfium.FPDFAnnot_GetStringValue(annotation, b"Contents", *buffer))
    )


def read_field(form: object, annotation: object) -> str:
    kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in SWITCHES:
        if not pdfium.FPDFAnnot_IsChecked(form, annotation):
            return ""
    elif kind not in VALUES or pdfium.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD:
        return ""
    value = of_field(pdfium.FPDFAnnot_GetFormFieldValue, form, annotation)
    name = field_name(form, annotation)
    if kind in SWITCHES and value.casefold() in PLAIN_STATES:
        return name
    return f"{name}: {value}" if name and value else value


def field_name(form: object, annotation: object) -> str:
    """The field's name as people see it, or as the form's maker called it; "" if a program made
    it."""
    if told := of_field(pdfium.FPDFAnnot_GetFormFieldAlternateName, form, annotation):
        return told.rstrip(": ")
    name = of_field(pdfium.FPDFAnnot_GetFormFieldName, form, annotation).rpartition(".")[2]
    return "" if NAME_OF_A_PROGRAM.search(name) else name.replace("_", " ").rstrip(": ")


def of_field(get: Callable[..., int], form: object, annotation: object) -> str:
    return clean(string(lambda *buffer: get(form, annotation, *buffer)))


def string(get: Callable[..., int]) -> str:
    """The text that PDFium writes into a buffer: UTF-16, ended by a zero. It tells the length
    first."""
    length = get(None, 0)
    if not EMPTY_BYTES < length <= TEXT_MAX_BYTES:
        return ""
    buffer = (pdfium.FPDF_WCHAR * (length // 2))()
    get(buffer, length)
    return bytes(buffer).decode("utf-16-le", errors="replace").rstrip("\0")


def embedded_files(document: pypdfium2.PdfDocument) -> list[str]:
    """Their names, NAMES_MAX at the most."""
    count = min(document.count_attachments(), NAMES_MAX)
    names = (document.get_attachment(index).get_name() for index in range(count))
    return [clean(name)[:NAME_MAX_CHARS] or "?" for name in names]
