"""Pages for people who have no login yet."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from accounts.models import Language
from config.accepted_language import accepted_language
from config.api import json_error
from config.errors import MethodNotAllowed

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",  # the icon is an empty one
        "base-uri 'none'",
        "form-action 'none'",  # without its script the form would put the password in the address
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    # The address holds the invitation's token.
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Vary": "Accept-Language",
}


@csrf_exempt  # a POST is a wrong method, not an expired form
def activation_page(request: HttpRequest) -> HttpResponse:
    """What an invitation links to. Its script sends the token to POST /auth/activate; nothing here
    looks at it, so that a scanner of mails that opens links uses up none.
    """
    if request.method not in ("GET", "HEAD"):
        return json_error(MethodNotAllowed(f'Method "{request.method}" not allowed.'))
    language = accepted_language(request.headers.get("Accept-Language", ""), Language.values)
    language = language or Language.SPANISH  # most write Spanish
    response = render(request, f"accounts/activate_{language}.html")
    for name, value in HEADERS.items():
        response.headers[name] = value
    response.headers["Content-Language"] = language
    return response
