"""Why a file cannot be read. The service raises its own errors in their place
(sources/documents.py); a `reason` is for the customer.
"""

from reasons import Reason, as_reason


class ReadingError(Exception):
    def __init__(self, reason: Reason | str) -> None:
        self.reason = as_reason(reason)
        super().__init__(str(reason))


class UnreadableFile(ReadingError):
    """The file is at fault: damaged, protected, too large, without text. Says what to do."""


class FileTypeRefused(ReadingError):
    """A kind of file that we do not read, or a name that contradicts the content."""


class ReaderMissing(ReadingError):
    """A kind of file that we do read, but not here: OCR or a speech model is not set up."""


class ReadingNotProtected(ReadingError):
    """This machine's kernel cannot keep a parser from our files, and the operator has not permitted
    to read files all the same."""


class ReadingUnavailable(ReadingError):
    """We are at fault: the process that reads files could not be started, or was lost."""
