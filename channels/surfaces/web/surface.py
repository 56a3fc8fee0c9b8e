"""The chat widget on a website: nobody is called, and nobody calls us but the visitor's own
browser (channels/api/visitor_views.py)."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

from channels.surfaces.base import Surface


class Website(Surface):
    kind = "web"
    label = "Website"
    name_in_text = gettext_lazy("website chat")
    connect_help = "needs `{}`, and answers visitors of the agent's `allowed_origins`."
