"""The form of answers: JSON, whatever the client says it would rather have."""

from collections.abc import Iterable
from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class LenientNegotiation(DefaultContentNegotiation):
    """The view's first renderer where DRF would refuse: the specification has no such error."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        choices = list(renderers)
        try:
            chosen: Any = super().select_renderer(request, choices, format_suffix)
        except NotAcceptable:
            return choices[0], choices[0].media_type
        return chosen[0], chosen[1]
