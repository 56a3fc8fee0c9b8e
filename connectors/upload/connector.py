"""An uploaded file: a document, or those that are in it, read from the stored original."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from reading.file_types import CONTAINER_TYPES
from reading.passages import Description
from sources.connectors.files import GivenFile, read_file
from sources.connectors.interface import Connector, Item, SyncContext
from sources.models import AUDIO, FILE, Source
from sources.originals.files import fetch_original


class UploadConnector(Connector):
    is_uploaded = True

    def read(self, source: Source, context: SyncContext) -> Iterator[Item]:
        """Raises FileProcessingFailed when nothing can be indexed.

        The file is read again although it is the same: our readers get better. Only of a file that
        holds others, what this very run has read is kept: it may be read in several slices.
        """
        context.report(done=0, total=1)
        name = source.original_name
        holds_files = source.content_type in CONTAINER_TYPES
        told = Description(name)
        if holds_files:
            told = Description(name, etag=f"run {source.sync_run_id}", place=name)
        with TemporaryDirectory(prefix="sync-") as folder:
            with context.step("fetch"):
                original = fetch_original(source, Path(folder))
            given = GivenFile(
                path=original.path,
                content_type=source.content_type,
                content_hash=original.sha256,
                external_id=name,
                told=told,
                parts=f"{name}/",
            )
            yield from read_file(
                given,
                context,
                may_keep=lambda known: known.etag == told.etag,
                report=context.report if holds_files else None,
            )
        if not holds_files:
            context.report(done=1, total=1)


class DocumentConnector(UploadConnector):
    kind = FILE
    label = "Document"


class RecordingConnector(UploadConnector):
    kind = AUDIO
    label = "Recording"
