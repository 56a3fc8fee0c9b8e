"""GET /demo: the demo company's own little website, with our widget on it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from config.errors import NotFound
from config.rest.handling import json_error
from config.rest.pages import page
from demo.site import find_demo_agent


@page
def demo_page(request: HttpRequest) -> HttpResponse:
    """Return the demo's page in development, if the demo company is loaded. Its headers are as
    strict as a careful customer's, and the widget must work with them.
    """
    agent = find_demo_agent(settings.DATA_DIR) if settings.IS_DEVELOPMENT else None
    if agent is None:
        return json_error(NotFound())
    return render(request, "demo/demo.html", {"agent_id": agent.pk})
