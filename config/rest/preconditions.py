"""Strong entity tags, and the requests that are made on condition of one (RFC 9110, sections 8.8.3,
13.1.1 and 13.1.2, read 2026-11-23): nobody overwrites what they have not seen.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from config.errors import PreconditionFailed

ETAG_DIGITS = 32  # 128 bits
ETAG = OpenApiParameter(
    "ETag",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description="Identifies this answer's content: it changes whenever the content does.",
    required=True,
    response=[200, 201, 304],
)
IF_MATCH = OpenApiParameter(
    "If-Match",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description=(
        "ETags. Unless one of them is the current one, nothing is done and the answer is"
        " 412. `*` matches any."
    ),
)
IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match",
    {"type": "string"},
    OpenApiParameter.HEADER,
    description="ETags. When one of them is the current one, the answer is 304 without a body.",
)
UNCHANGED = {
    304: OpenApiResponse(description="Not changed: the given ETag is still the current one.")
}


def etag_of(representation: Any) -> str:
    """The strong ETag of a representation, with its quotes."""
    return f'"{sha256(JSONRenderer().render(representation)).hexdigest()[:ETAG_DIGITS]}"'


def require_match(request: Request, etag: str) -> None:
    """Raises PreconditionFailed when the request names ETags, and not this one. Weak ETags and
    malformed ones never match."""
    given = request.headers.get("If-Match")
    if given is not None and not {"*", etag} & set(parse_etags(given)):
        raise PreconditionFailed


def is_unchanged(request: Request, etag: str) -> bool:
    """True if the client has this representation already. Weak ETags count as strong ones here."""
    given = parse_etags(request.headers.get("If-None-Match", ""))
    return bool({"*", etag} & {tag.removeprefix("W/") for tag in given})
