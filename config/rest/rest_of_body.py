"""What a client still sends of a body that is refused."""

from typing import Protocol

from django.conf import settings

# A client that still sends does not read our answer. What is somewhat too large is therefore
# thrown away as it comes, so that the answer arrives; a longer body is cut off.
DISCARD_MAX_BYTES = 4 * settings.UPLOAD_MAX_BYTES
DISCARD_BUFFER_BYTES = 64 * 1024


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def discard_rest(stream: Stream, *, content_length: int) -> None:
    """Reads on to the end of a body that is not far over the limit."""
    if content_length > DISCARD_MAX_BYTES:
        return
    while stream.read(DISCARD_BUFFER_BYTES):
        pass
