"""What the pages that we serve to browsers share: they are read only, and lenient to nobody."""

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from config.errors import MethodNotAllowed
from config.rest.handling import json_error

View = Callable[[HttpRequest], HttpResponseBase]


def page_headers(
    *, styles: str = "'self'", forms: str = "'none'", frames: str = "'none'"
) -> dict[str, str]:
    """Nothing runs or is asked but our own, and a page's address is told to nobody: it may hold a
    secret.

    Args:
        styles: where style sheets may come from.
        forms: where forms may go. Nowhere: without its script one would put what it holds in the
            address.
        frames: what the page may show within itself.
    """
    policy = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": styles,
        "connect-src": "'self'",
        "img-src": "'self' data:",  # the icon is an empty one
        "base-uri": "'none'",
        "form-action": forms,
        "frame-src": frames,
        "frame-ancestors": "'none'",
    }
    return {
        "Content-Security-Policy": "; ".join(f"{name} {value}" for name, value in policy.items()),
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
