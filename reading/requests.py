"""What is asked of this library: a file to read as a document."""

from dataclasses import dataclass

from reading.confinement.limits import Limits
from reading.confinement.messages import Request
from reading.file_types import CONTENT_TYPES, FileType
from reading.readers import limits_of, reader_options
from reading.settings import ReadingSettings


@dataclass(frozen=True)
class ReadRequest:
    """`limits` and `extractor`: others than its kind of file has."""

    content_type: str
    title: str
    settings: ReadingSettings
    limits: Limits | None = None
    extractor: str = ""

    @property
    def file_type(self) -> FileType:
        return CONTENT_TYPES[self.content_type]

    def for_sandbox(self) -> Request:
        """The request to the confined process. Raises ReaderMissing when this kind of file needs
        what is not set up here."""
        extractor = self.extractor or self.file_type.extractor
        return Request(
            extractor=extractor,
            limits=self.limits or limits_of(extractor, self.settings),
            options=reader_options(extractor, self.settings),
        )
