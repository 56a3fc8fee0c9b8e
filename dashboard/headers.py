"""What a browser is told to refuse on our pages."""

from django.http.response import HttpResponseBase

from config.rest.pages import ISOLATION, page_headers


def protect(response: HttpResponseBase, *, forms: str | None = "'self'") -> None:
    """No script or style but our files, in no frame, kept in no cache. What a response has said
    itself (the preview's frame) stays.

    Args:
        forms: where the page's forms may lead, redirects included; None: anywhere.
    """
    ours = page_headers(forms=forms, frames="'self'") | ISOLATION
    # A form on a page that tells no referrer comes with `Origin: null`, which Django refuses.
    ours |= {"Referrer-Policy": "same-origin", "X-Frame-Options": "DENY"}
    for name, value in ours.items():
        response.headers.setdefault(name, value)
