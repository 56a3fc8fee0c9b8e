"""GET /demo: the demo company's own little website, with our widget on it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt

from channels.demo_site import find_demo_agent
from config.api import json_error
from config.errors import MethodNotAllowed, NotFound

# As strict as a careful customer's: the widget must do with it.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src data:",  # the icon is an empty one
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)


@csrf_exempt  # a POST is a wrong method, not an expired form
def demo_page(request: HttpRequest) -> HttpResponse:
    """In development, where the demo company is loaded; else there is no such page."""
    agent = find_demo_agent(settings.DATA_DIR) if settings.IS_DEVELOPMENT else None
    if agent is None:
        return json_error(NotFound())
    if request.method not in ("GET", "HEAD"):
        return json_error(MethodNotAllowed(f'Method "{request.method}" not allowed.'))
    response = render(request, "channels/demo.html", {"agent_id": agent.pk})
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Cache-Control"] = "no-store"
    return response
