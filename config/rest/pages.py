"""The common parts of the pages that we serve to browsers: they are read only, and lenient to
nobody."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from config.errors import MethodNotAllowed
from config.rest.handling import json_error

View = Callable[[HttpRequest], HttpResponseBase]


# What a page of ours never asks a browser for.
PERMISSIONS_POLICY = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer",
        "browsing-topics",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "publickey-credentials-get",
        "screen-wake-lock",
        "serial",
        "usb",
        "xr-spatial-tracking",
    )
)
# Of pages that somebody is signed in to: no page of another site holds a window of theirs, nor
# loads them as a picture, a script or a file (Spectre).
ISOLATION = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS_POLICY,
}


def page_headers(
    *,
    scripts: str = "'self'",
    styles: str = "'self'",
    fonts: str | None = None,
    forms: str | None = "'none'",
    frames: str = "'none'",
) -> dict[str, str]:
    """The headers of a page: it runs and asks for nothing but our own, and its address is told to
    nobody: it may hold a secret.

    Args:
        scripts, styles, fonts: where they may come from; fonts, unless told, from nowhere.
        forms: where forms may go. Nowhere: without its script one would put what it holds in the
            address. None: anywhere.
        frames: what the page may show within itself.
    """
    policy = {
        "default-src": "'none'",
        "script-src": scripts,
        "style-src": styles,
        "font-src": fonts,
        "connect-src": "'self'",
        "img-src": "'self' data:",  # the icon is an empty one
        "base-uri": "'none'",
        "form-action": forms,
        "frame-src": frames,
        "frame-ancestors": "'none'",
    }
    directives = [f"{name} {value}" for name, value in policy.items() if value is not None]
    return {
        "Content-Security-Policy": "; ".join(directives),
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
    }


def read_only(view: View) -> View:
    """GET and HEAD; else METHOD_NOT_ALLOWED, and not Django's page of an expired form."""

    @csrf_exempt
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD"):
            return json_error(MethodNotAllowed(f'Method "{request.method}" not allowed.'))
        return view(request)

    return answer


def page(view: Callable[[HttpRequest], HttpResponse]) -> View:
    """Read only, with the headers of a page; an error has them too."""

    @read_only
    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponse:
        response = view(request)
        for name, value in page_headers().items():
            response.headers[name] = value
        return response

    return answer
