"""The chat widget on a website: nobody is called, and nobody calls us but the visitor's own
browser (channels/api/visitor_views.py)."""

from __future__ import annotations

from channels.surfaces.base import Surface


class Website(Surface):
    kind = "web"
    label = "Website"
    connect_help = "needs `{}`, and answers visitors of the agent's `allowed_origins`."
