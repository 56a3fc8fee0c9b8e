"""What a browser is told to refuse on our pages."""

from django.http.response import HttpResponseBase

from config.rest.pages import page_headers


def protect(response: HttpResponseBase) -> None:
    """No script or style but our files, in no frame, kept in no cache. What a response has said
    itself (the preview's frame) stays."""
    # To our own pages alone. Without any referrer browsers hide the origin of a form from us too,
    # and each would look forged.
    response.headers.setdefault("Referrer-Policy", "same-origin")
    for name, value in page_headers(forms="'self'", frames="'self'").items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("X-Frame-Options", "DENY")
