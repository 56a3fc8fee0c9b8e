"""The security headers of our pages."""

from django.http.response import HttpResponseBase

from config.rest.pages import ISOLATION, page_headers


def protect(response: HttpResponseBase, *, forms: str | None = "'self'") -> None:
    """Allows scripts and styles of our own only, and forbids frames and caching. Headers that the
    response has set itself (the preview's frame) stay.

    Args:
        forms: where the page's forms may lead, redirects included; None: anywhere.
    """
    ours = page_headers(forms=forms, frames="'self'") | ISOLATION
    # A form on a page that tells no referrer comes with `Origin: null`, which Django refuses.
    ours |= {"Referrer-Policy": "same-origin", "X-Frame-Options": "DENY"}
    for name, value in ours.items():
        response.headers.setdefault(name, value)
