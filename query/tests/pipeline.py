"""A stand-in for the pipeline, for tests of what streams its events."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import pytest

from query.pipeline import Event


class StandIn:
    """Stands for the pipeline: these events, and an exception if one is among them."""

    def __init__(self, *events: Event | Exception) -> None:
        self.events = events
        self.has_ended = False

    def __call__(self, inquiry: Any) -> Generator[Event, None, None]:
        try:
            for event in self.events:
                if isinstance(event, Exception):
                    raise event
                yield event
        finally:
            self.has_ended = True


def stand_in_for_pipeline(monkeypatch: pytest.MonkeyPatch) -> Callable[..., StandIn]:
    """Return a function that sets which events are streamed."""

    def use(*events: Event | Exception) -> StandIn:
        stand_in = StandIn(*events)
        monkeypatch.setattr("query.services.asking.stream_answer", stand_in)
        return stand_in

    return use
