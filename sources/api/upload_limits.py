"""How much of an upload is read: too large a body neither fills the disk nor is read to its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from django.core.exceptions import TooManyFilesSent
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.http.request import QueryDict
from django.utils.datastructures import MultiValueDict
from rest_framework.parsers import DataAndFiles, MultiPartParser

from config.errors import InvalidRequestBody, ServiceError
from sources.errors import FileTooLarge, TooManyFiles
from sources.originals.files import check_size

# What the text fields, part headers and boundaries of a form may take beside the file.
FORM_MAX_BYTES = settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 64 * 1024


class UploadLimitHandler(FileUploadHandler):
    """Stops before the body when Content-Length tells, else at the first byte over the limit.

    It comes before the handler that writes to disk, and raises when that one has closed its file.
    """

    error: ServiceError | None = None

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],
        content_length: int,
        boundary: Any,
        encoding: str | None = None,
    ) -> tuple[QueryDict, MultiValueDict[str, UploadedFile[Any]]] | None:
        check_size(content_length - FORM_MAX_BYTES)
        return None

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        try:
            check_size(start + len(raw_data))
        except FileTooLarge as error:
            self.error = error
            raise StopUpload(connection_reset=True) from error
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None

    def upload_interrupted(self) -> None:
        self.error = InvalidRequestBody("The request body ends in the middle of the file.")

    def upload_complete(self) -> None:
        if self.error is not None:
            raise self.error


class UploadParser(MultiPartParser):
    """A form with one file."""

    max_bytes = settings.UPLOAD_MAX_BYTES + FORM_MAX_BYTES
    too_large = FileTooLarge()

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> DataAndFiles[Any, Any]:
        try:
            return super().parse(stream, media_type, parser_context)
        except TooManyFilesSent as error:
            raise TooManyFiles from error
