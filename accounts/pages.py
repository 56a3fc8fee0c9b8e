"""Pages for people who have no login yet."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import Language
from config.rest.accepted_language import accepted_language
from config.rest.pages import page


@page
def activation_page(request: HttpRequest) -> HttpResponse:
    """What an invitation links to. Its script sends the token to POST /auth/activate; nothing here
    looks at it, so that a scanner of mails that opens links uses up none.
    """
    language = accepted_language(request.headers.get("Accept-Language", ""), Language.values)
    language = language or Language.SPANISH  # most write Spanish
    response = render(request, f"accounts/activate_{language}.html")
    response.headers["Vary"] = "Accept-Language"
    response.headers["Content-Language"] = language
    return response
