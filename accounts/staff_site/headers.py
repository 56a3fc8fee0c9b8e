"""The headers that tell a browser what to refuse in the back office."""

from django.http.response import HttpResponseBase

from config.rest.pages import ISOLATION, page_headers


def shield(response: HttpResponseBase) -> None:
    """Allows only our own files, in no frame and no cache.

    The theme's Alpine makes functions of its attributes (`unsafe-eval`), and the theme writes its
    colours into the page (`unsafe-inline` for styles); inline scripts and handlers do not run.
    """
    ours = page_headers(
        scripts="'self' 'unsafe-eval'",
        styles="'self' 'unsafe-inline'",
        fonts="'self'",
        forms="'self'",
    )
    # A form on a page that tells no referrer comes with `Origin: null`, which Django refuses.
    ours |= ISOLATION | {"Referrer-Policy": "same-origin"}
    for name, value in ours.items():
        response.headers[name] = value
