"""The chat widget on a website: nobody is called, and nobody calls us but the visitor's own
browser (channels/api/visitor_views.py)."""

from __future__ import annotations

from django.utils.translation import gettext_lazy, gettext_noop

from channels.surfaces.base import Surface


class Website(Surface):
    kind = "web"
    label = gettext_noop("Website")
    name_in_text = gettext_lazy("website chat")
    connect_help = "needs `{}`, and answers visitors of the agent's `allowed_origins`."
    steps = (
        gettext_noop("Connect the chat."),
        gettext_noop("In the agent's settings, list the websites that may show the chat."),
        gettext_noop("Copy the line of code that appears here into the pages of your website."),
    )
