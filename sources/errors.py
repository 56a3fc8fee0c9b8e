"""Errors of sources: what a client may see, and what only the pipeline sees."""

import uuid

from django.core.exceptions import RequestDataTooBig
from django.utils.translation import gettext_noop

from config.errors import (
    InvalidRequestBody,
    InvalidValue,
    NotFound,
    PlanLimitReached,
    ServiceError,
    ServiceUnavailable,
)
from reasons import Reason


class SourceNotFound(ServiceError):
    """Missing, malformed or another tenant's id: one answer, byte for byte."""

    code = "SOURCE_NOT_FOUND"
    status = 404
    default_message = "There is no such source."


class PassageNotFound(NotFound):
    """Missing, malformed, another tenant's, or replaced: one answer."""

    default_message = (
        "This passage no longer exists. Its document may have been deleted or updated:"
        " search again."
    )


class FileTooLarge(ServiceError, RequestDataTooBig):
    """The file exceeds the limit. Also an error of Django's kind: where a form is read before any
    of our views, Django answers it."""

    code = "FILE_TOO_LARGE"
    status = 400
    default_message = "The file is too large."


class UnsupportedFileType(ServiceError):
    code = "UNSUPPORTED_FILE_TYPE"
    status = 400
    default_message = "Files of this type cannot be indexed."


class ReaderNotConfigured(ServiceUnavailable):
    """A type of docs/specification.md that needs what is not set up here: OCR, a speech model."""

    retryable = False


class FileProcessingFailed(ServiceError):
    """The file is at fault: corrupt, encrypted, or without text. The message says which."""

    code = "FILE_PROCESSING_FAILED"
    status = 422
    default_message = Reason("no_text_in_file")


class SyncFailed(ServiceError):
    """We are at fault, not the file. Stands in a source's `error_message`, never in an answer."""

    code = "SYNC_FAILED"
    default_message = Reason("indexing_failed")


class LossUnconfirmed(SyncFailed):
    """A sync would have removed most of what is known, and nothing says that it is gone for good.
    The next one that finds the same removes it."""


class PassagesUsedUp(SyncFailed):
    """A sync would index more passages than the plan has left. Its message says what to do."""

    code = PlanLimitReached.code
    status = PlanLimitReached.status


class SyncTooSlow(SyncFailed):
    code = "SYNC_TOO_SLOW"
    default_message = Reason("sync_too_slow")


class SyncWaitedTooLong(SyncFailed):
    code = "SYNC_WAITED_TOO_LONG"
    default_message = Reason("sync_waited_too_long")


class SyncAbandoned(SyncFailed):
    code = "SYNC_ABANDONED"
    default_message = Reason("sync_abandoned")


class SyncSuperseded(Exception):
    """The run lost its lock while it worked: nothing of it may be written. No client sees this."""


class ExtractionUnavailable(ServiceUnavailable):
    """The process that reads files could not be started or was lost: our fault; try again."""

    default_message = Reason("files_not_readable_now")


class ReadingNotPermitted(ExtractionUnavailable):
    """No file may be read on this machine until its operator has done something."""

    retryable = False


class StorageUnavailable(ServiceUnavailable):
    """The storage of originals does not answer, refuses us, or is full; it may work later."""

    default_message = Reason("files_not_storable_now")


class OriginalMissing(SyncFailed):
    """The source names a stored file that is not in the storage."""

    code = "ORIGINAL_MISSING"
    default_message = Reason("stored_file_missing")


class DownloadLinkInvalid(NotFound):
    """Forged, expired, or of a file that is gone: one answer."""

    default_message = "This download link is invalid or has expired. Request a new one."


class InvalidSourceType(ServiceError):
    code = "INVALID_SOURCE_TYPE"
    status = 400
    default_message = "There is no such source type."


class SourceLimitReached(ServiceError):
    code = "SOURCE_LIMIT_REACHED"
    status = 402
    default_message = "The plan's limit of connected sources has been reached."


class SyncInProgress(ServiceError):
    code = "SYNC_IN_PROGRESS"
    status = 409
    default_message = "This source is being synced. Wait until the sync has finished."


class OriginUnavailable(SyncFailed):
    """The website or service does not answer; it may later."""

    code = "ORIGIN_UNAVAILABLE"
    retryable = True


class AskedToWait(OriginUnavailable):
    """The other side is busy, and says for how long: `wait_seconds` from now."""

    code = "ORIGIN_BUSY"

    def __init__(self, reason: Reason, *, wait_seconds: float) -> None:
        self.wait_seconds = wait_seconds
        super().__init__(reason)


class ReauthRequired(SyncFailed):
    """The account behind a connector has to be connected again."""

    code = "REAUTH_REQUIRED"


class EmbeddingModelChanged(SyncFailed):
    """The model was swapped while a source was being indexed: its vectors are the old model's."""

    code = "EMBEDDING_MODEL_CHANGED"
    default_message = Reason("search_model_changed")
    retryable = True


class ConnectionNotFound(ServiceError):
    """Missing, malformed or another tenant's id: one answer, byte for byte."""

    code = "CONNECTION_NOT_FOUND"
    status = 404
    default_message = "There is no such connected account."


class ConnectionRefused(InvalidValue):
    """The values that somebody entered to connect an account do not open it. `field`: the form
    field that shows the message; "" for all of them together."""

    def __init__(self, message: str | Reason, *, field: str = "") -> None:
        self.field = field
        super().__init__(message)


class SignInNotSetUp(ServiceUnavailable):
    """The operator has registered no application at this provider."""

    code = "SIGN_IN_NOT_SET_UP"
    retryable = False
    default_message = gettext_noop(
        "This server is not set up to connect accounts of this kind. Ask its administrator."
    )


class TooManyFiles(InvalidRequestBody):
    default_message = gettext_noop("Send one file per request.")


class SignInExpired(ServiceError):
    """The way back from a provider that nobody was sent on, or long ago, or by another session."""

    code = "SIGN_IN_EXPIRED"
    status = 400
    default_message = Reason("sign_in_expired")


class SignInFailed(ServiceError):
    """The provider sent somebody back without what opens the account."""

    code = "SIGN_IN_FAILED"
    status = 400
    default_message = Reason("sign_in_failed")


class OtherAccount(ServiceError):
    """Somebody connected an account again (`connection_id`), but signed in to a different one."""

    code = "OTHER_ACCOUNT"
    status = 409
    default_message = "This is not the account that was connected before."

    def __init__(self, reason: Reason, *, connection_id: uuid.UUID) -> None:
        self.connection_id = connection_id
        super().__init__(reason)
