"""txtai's own API with one address more, as its documentation tells: an upload is read, cut and
indexed. It runs in an environment of its own (`txtai.txt`); its settings are in `__init__.py`.
"""

import io
import threading
from pathlib import Path

import docx2txt
from fastapi import APIRouter, UploadFile
from pypdf import PdfReader
from txtai.api import application
from txtai.api.extension import Extension

CHUNK_CHARS = 1000

router = APIRouter()
adding = threading.Lock()  # what is added by one upload is indexed by it


def read(name: str, content: bytes) -> list[tuple[int, str]]:
    """Page, 0 where there are none, and text."""
    if name.endswith(".pdf"):
        pages = PdfReader(io.BytesIO(content)).pages
        return [(number, page.extract_text()) for number, page in enumerate(pages, 1)]
    if name.endswith(".docx"):
        return [(0, docx2txt.process(io.BytesIO(content)))]
    return [(0, content.decode())]


def cut(text: str) -> list[str]:
    """Whole lines, up to CHUNK_CHARS together."""
    chunks = [""]
    for line in text.splitlines(keepends=True):
        if chunks[-1] and len(chunks[-1]) + len(line) > CHUNK_CHARS:
            chunks.append("")
        chunks[-1] += line
    return [chunk for chunk in chunks if chunk.strip()]


@router.post("/upload-file")
def upload_file(file: UploadFile) -> dict:
    name = Path(file.filename).name
    chunks = [
        {"id": f"{name}#{page}#{number}", "text": chunk}
        for page, text in read(name, file.file.read())
        for number, chunk in enumerate(cut(text))
    ]
    with adding:
        application.get().add(chunks)
        application.get().upsert()
    return {"chunks": len(chunks)}


class Uploads(Extension):
    def __call__(self, app) -> None:
        app.include_router(router)
