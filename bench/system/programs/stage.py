"""What the clients are tried on: a copy of the service, its people, and a slow language model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench.service import PASSWORD, Service, make_client, manage, running_service
from bench.system.programs.scripted_person import ScriptedPerson
from query.tests.chat_server import ChatServer, Handler, Reply, serve_chat, stream

FIRST_PASSAGES = re.compile(r"<<<PASSAGE (\d) \w+>>>\n.*?\n\n(.*?)\n<<<END", re.DOTALL)
VIEWER = "viewer@demo.example"
FREE_QUERIES = 2
QUOTED_LINES = 4  # of each passage
FEW_QUERIES = (
    "from accounts.models import Plan;"
    f" Plan.objects.filter(slug='free').update(max_queries_per_month={FREE_QUERIES})"
)


@dataclass(frozen=True)
class Stage:
    """`service` is the demo company's admin's; `chat` writes its answers."""

    service: Service
    chat: ChatServer

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.service.port}"

    @property
    def url(self) -> str:
        return f"{self.base_url}/tenants/me/mcp"

    def make_api_token(self) -> str:
        body = json.dumps({"name": "bench", "expires_in_days": 1}).encode()
        answer = self.service.request("POST", "/tenants/me/api-tokens", body)
        return str(answer.body["token"])

    def make_free_tenant(self, slug: str) -> Service:
        """Of FREE_QUERIES queries and 30 requests a minute."""
        return make_client(self.service, slug)

    def admin(self) -> ScriptedPerson:
        demo = json.loads((self.service.data_dir / "demo_credentials.json").read_text())
        return ScriptedPerson(self.base_url, demo["email"], demo["password"])

    def viewer(self) -> ScriptedPerson:
        return ScriptedPerson(self.base_url, VIEWER, PASSWORD)


def quote_passages(*, seconds_between: float = 0) -> Reply:
    """The first lines of each passage with its mark: a model that adds nothing."""

    def reply(handler: Handler) -> None:
        told = handler.chat.received[-1].body["messages"][-1]["content"]
        sentences = [
            f"{line} [{number}].\n"
            for number, text in FIRST_PASSAGES.findall(told)
            for line in text.splitlines()[:QUOTED_LINES]
        ]
        stream(*sentences, seconds_between=seconds_between)(handler)

    return reply


@contextmanager
def open_stage() -> Iterator[Stage]:
    with serve_chat() as chat:
        chat.says(quote_passages())
        with running_service(LLM_BASE_URL=chat.url, LLM_MODEL="stand-in") as service:
            viewer = ("--email", VIEWER, "--role", "viewer")
            manage(service, "create_user", "--tenant", "demo", *viewer, typed=PASSWORD)
            manage(service, "shell", "--no-imports", "--command", FEW_QUERIES)
            yield Stage(service, chat)
