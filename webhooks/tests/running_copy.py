"""The whole service for real, with stand-ins of both messengers and of a language model."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psutil
import psycopg
import redis

from channels.tests.messenger_server import WAIT_SECONDS
from channels.tests.telegram_server import TelegramServer, serve_telegram, update
from channels.tests.whatsapp_server import WhatsAppServer, serve_whatsapp, text_message
from config.embedded import servers_for
from config.embedded.processes import wait_until
from config.tests.service_copy import Copy, give_tables, kill, share_models
from query.tests.chat_server import ChatServer, Handler, plain, serve_chat

DOCUMENT = (
    "The boat to Ons island leaves at nine from the old pier. A return ticket for the boat to Ons"
    " island costs eighteen euros, and children under four travel free."
)
QUESTION = "When does the boat to Ons island leave?"
ANSWER = "The boat to Ons island leaves at nine from the old pier [1]."
LEASE_SECONDS = 10  # the product's own is 90
START_SECONDS = 240  # beside other tests


@dataclass(frozen=True)
class Answered:
    status: int
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)


@dataclass
class Service:
    """A running copy with a tenant that has a document, and the way to it as its admin."""

    copy: Copy
    telegram: TelegramServer
    whatsapp: WhatsAppServer
    model: ChatServer
    token: str = ""
    answers: list[str] = field(default_factory=list)  # everything that we were answered

    def request(
        self, method: str, path: str, body: object = None, *, content: bytes = b"", **headers: str
    ) -> Answered:
        """Headers with "_" for "-"."""
        sent = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        data = content or (json.dumps(body).encode() if body is not None else None)
        request = Request(f"{self.copy.url}{path}", data, sent, method=method)
        try:
            with urlopen(request, timeout=WAIT_SECONDS) as response:
                answered = Answered(response.status, response.read().decode())
                headers_said = str(response.headers)
        except HTTPError as error:
            answered, headers_said = Answered(error.code, error.read().decode()), str(error.headers)
        self.answers.append(f"{headers_said}\n{answered.text}")
        return answered

    # --- Connecting and writing -------------------------------------------------------------------

    def make_agent(self, name: str, **over: object) -> str:
        answered = self.request("POST", "/agents", {"name": name, **over})
        assert answered.status == 201, answered.text
        return str(answered.body["id"])

    def connect_telegram(self, agent_id: str) -> str:
        """The bot's token."""
        token = self.telegram.add_bot()
        answered = self.request(
            "PUT", f"/agents/{agent_id}/channels/messenger_a", {"bot_token": token}
        )
        assert (answered.status, answered.body) == (200, {}), answered.text
        return token

    def connect_whatsapp(self, agent_id: str) -> dict[str, str]:
        config = self.whatsapp.config()
        answered = self.request("PUT", f"/agents/{agent_id}/channels/messenger_b", config)
        assert (answered.status, answered.body) == (200, {}), answered.text
        return config

    def hear(self, token: str, text: str, chat_id: int) -> int:
        """Of Telegram: the status of our answer."""
        return self.telegram.deliver(token, update(text, chat_id=chat_id))

    def hear_on_whatsapp(
        self, agent_id: str, config: dict[str, str], text: str, chat_id: str, **over: object
    ) -> int:
        url = f"{self.copy.url}/webhooks/messenger_b/agent/{agent_id}"
        return self.whatsapp.deliver(url, config, text_message(text, chat_id=chat_id, **over))

    # --- Looking ----------------------------------------------------------------------------------

    def rows(self, query: str, *parameters: object) -> list[Any]:
        options = "-c role=knowledge_maintenance"
        with psycopg.connect(
            self.url_of("PostgreSQL"), options=options, autocommit=True
        ) as connection:
            return connection.execute(query, parameters).fetchall()

    def count(self, query: str, *parameters: object) -> int:
        return int(self.rows(query, *parameters)[0][0])

    def redis(self) -> redis.Redis:
        return redis.Redis.from_url(self.url_of("Redis"))

    def url_of(self, name: str) -> str:
        variable = {"PostgreSQL": "DATABASE_OWNER_URL", "Redis": "REDIS_URL"}[name]
        urls = [server.urls for server in servers_for(self.copy.data_dir, {})]
        return next(url[variable] for url in urls if variable in url)

    def queries(self) -> int:
        """That the plan counts."""
        metric = "SELECT coalesce(sum(used), 0) FROM accounts_usagecounter WHERE metric = 'queries'"
        return self.count(metric)

    def wait_until_idle(self, seconds: float = 60) -> None:
        """No chat has anything left to do."""
        waiting = "SELECT count(*) FROM webhooks_chat WHERE due_at IS NOT NULL"
        assert wait_until(lambda: self.count(waiting) == 0, timeout_seconds=seconds), (
            self.copy.output()[-5000:]
        )

    def worker(self) -> list[psutil.Process]:
        """All processes of the one that answers."""
        parent = self.copy.find("celery", "webhooks@")
        return [parent, *parent.children(recursive=True)]


@dataclass
class HeldModel:
    """A language model that answers once it is released; `asked`: how often it was."""

    asked: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    released: threading.Event = field(default_factory=threading.Event)

    def answer(self, handler: Handler) -> None:
        self.asked.release()
        self.released.wait(WAIT_SECONDS)
        plain(ANSWER)(handler)


@contextmanager
def running_service(**environ: str) -> Iterator[Service]:
    """`environ`: settings of the copy."""
    with serve_telegram() as telegram, serve_whatsapp() as whatsapp, serve_chat() as model:
        model.says(ANSWER)
        stand_ins = {
            "MESSENGER_A_API_URL": telegram.url,
            "MESSENGER_B_API_URL": whatsapp.url,
            "LLM_BASE_URL": model.url,
            "CHAT_LEASE": str(LEASE_SECONDS),
        }
        with running_copy(**stand_ins, **environ) as copy:
            service = Service(copy, telegram, whatsapp, model)
            copy.create_tenant("ferries")
            service.token = copy.log_in()
            copy.upload("boats.txt", DOCUMENT)
            yield service


@contextmanager
def running_copy(**environ: str) -> Iterator[Copy]:
    # Not below a folder that PostgreSQL's user cannot enter.
    folder = Path(tempfile.mkdtemp(prefix="webhooks-", dir="/tmp"))
    folder.chmod(0o755)
    copy = Copy(folder / "one", None, **environ)
    share_models(copy.data_dir)
    give_tables(copy.data_dir)
    try:
        copy.start()
        copy.wait_for(r"\nReady: ", START_SECONDS)
        yield copy
    finally:
        kill(copy)
        shutil.rmtree(folder, ignore_errors=True)
