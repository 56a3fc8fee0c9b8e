"""An uploaded file: one document, read from the stored original."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from sources.connectors.interface import Connector, Item, SyncContext
from sources.documents import chunk_document, extract_document
from sources.errors import FileProcessingFailed
from sources.models import Source
from sources.originals.files import fetch_original
from sources.reading.passages import ReadDocument


class UploadConnector(Connector):
    is_uploaded = True

    def __init__(self, kind: str, label: str) -> None:
        self.kind = kind
        self.label = label

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        """Raises FileProcessingFailed when nothing can be indexed.

        The file is read again although it is the same: our readers get better.
        """
        context.report(done=0, total=1)
        with TemporaryDirectory(prefix="sync-") as folder:
            with context.step("fetch"):
                original = fetch_original(source, Path(folder))
            with context.step("extract"):
                extracted = extract_document(
                    original.path, content_type=source.content_type, title=source.original_name
                )
        with context.step("chunk"):
            passages = chunk_document(extracted)
        if not passages:
            raise FileProcessingFailed
        yield ReadDocument(
            title=extracted.title,
            external_id=source.original_name,
            content_type=source.content_type,
            content_hash=original.sha256,
            passages=passages,
            warnings=extracted.warnings,
            coverage=extracted.coverage,
        )
        context.report(done=1, total=1)
