"""GET /widget.js: the one file that a website loads."""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from config.rest.pages import read_only

FILE = Path(__file__).parent.parent / "widget" / "widget.js"
# How long a correction may take to reach every website.
MAX_AGE_SECONDS = 3600
GZIP = re.compile(r"(?:gzip|\*)(?:\s*;\s*q=(?!0(?:\.0*)?$)[\d.]+)?")
HEADERS = {
    "Cache-Control": f"public, max-age={MAX_AGE_SECONDS}",
    "Vary": "Accept-Encoding",
    # It is for pages of any origin, also isolated ones, and holds nothing of anybody.
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@dataclass(frozen=True)
class Script:
    content: bytes
    etag: str
    encoding: str = ""


@read_only
def widget_script(request: HttpRequest) -> HttpResponseBase:
    plain, packed = read_scripts()
    script = packed if accepts_gzip(request.headers.get("Accept-Encoding", "")) else plain
    response = HttpResponse(script.content, content_type="application/javascript; charset=utf-8")
    response.headers["ETag"] = script.etag
    if script.encoding:
        response.headers["Content-Encoding"] = script.encoding
    answer = get_conditional_response(request, etag=script.etag, response=response) or response
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


@cache
def read_scripts() -> tuple[Script, Script]:
    """Returns the plain and the packed script. Each has an ETag of its own, as strong ones must
    (RFC 9110, 8.8.3)."""
    content = FILE.read_bytes()
    digest = hashlib.sha256(content).hexdigest()[:32]
    packed = gzip.compress(content, mtime=0)
    return Script(content, f'"{digest}"'), Script(packed, f'"{digest}-gzip"', "gzip")


def accepts_gzip(header: str) -> bool:
    """True if the header accepts gzip (RFC 9110, 12.5.3). A weight of 0 refuses it."""
    return any(GZIP.fullmatch(part.strip()) for part in header.lower().split(","))
