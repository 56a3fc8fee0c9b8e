"""A page in a visitor's browser, for tests of what it may do."""

from __future__ import annotations

import json
from typing import Any

from rest_framework.test import APIClient

from agents.models import Agent
from channels.tests.factories import ORIGIN

STREAM = {"Accept": "text/event-stream"}
Events = list[tuple[str, dict[str, Any]]]


class Visitor:
    """Of `agent`, on a page of `origin`, calling from `address`."""

    def __init__(
        self, agent: Agent, *, origin: str = ORIGIN, address: str = "203.0.113.7", session: str = ""
    ) -> None:
        self.client = APIClient(raise_request_exception=False)
        self.agent_id = str(agent.pk)
        self.headers = {"Origin": origin}
        self.address = address
        self.session = session

    def post(self, what: str, body: Any, **more: Any) -> Any:
        headers = self.headers | more.pop("headers", {})
        path = f"/public/agents/{self.agent_id}/{what}"
        options = {"format": "json", "REMOTE_ADDR": self.address, **more}
        return self.client.post(path, body, headers=headers, **options)

    def begin(self) -> Any:
        answer = self.post("sessions", {})
        if answer.status_code == 201:
            self.session = answer.json()["session"]
        return answer

    def ask(self, text: str = "What does a visit cost?", **more: Any) -> Any:
        if not self.session:
            self.begin()
        return self.post("query", {"session": self.session, "query": text}, **more)

    def hear(self, text: str = "What does a visit cost?") -> Events:
        """The same, in events."""
        answer = self.ask(text, headers=STREAM)
        assert answer.status_code == 200, answer.content
        blocks = b"".join(answer.streaming_content).decode().removesuffix("\n\n").split("\n\n")
        return [read_event(block) for block in blocks]


def read_event(block: str) -> tuple[str, dict[str, Any]]:
    event, data = block.split("\n")
    return event.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
