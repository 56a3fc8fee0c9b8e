"""What an integrator does, against the running service: our Python client, and each program in
docs/examples.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from config.embedded.processes import wait_until
from config.running.environment import REPOSITORY
from config.tests.python_client import keep_client
from config.tests.service_copy import PASSWORD, Copy
from config.tests.suite.shared_copy import SharedCopy
from config.tests.web_server import Site, serve_site

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]

EXAMPLES = REPOSITORY / "docs" / "examples"
QUESTION = "When does the boat to Ons island leave?"
DOCUMENT = (
    "The boat to Ons island leaves at nine from the old pier. A return ticket for the boat to Ons"
    " island costs eighteen euros, and children under four travel free."
)
ANSWER = f"{DOCUMENT} [1]"
PAGE = """<html><head><title>Whales</title></head><body><main><h1>Whales</h1><p>Whales pass the
lighthouse in October, on their way to the south, and can be seen from the terrace of the museum
in the early morning. The museum lends binoculars to everybody who asks for them at the desk, and
the best place to stand is beside the old lamp. Boats keep three hundred metres away from them, as
the law says, and nobody swims with them. In winter the terrace is closed because of the wind.</p>
</main></body></html>"""
SYNC_SECONDS = 120
EXAMPLE_SECONDS = 120


@dataclass
class Service:
    """A running copy with one company, that has a document and an agent."""

    copy: Copy
    site: Site
    wheel: Path
    access_token: str = ""
    api_token: str = ""
    agent_id: str = ""

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        return self.copy.call(path, json.dumps(body).encode(), self.access_token)

    def run_example(self, name: str, **environ: str) -> str:
        """What it prints."""
        runner = {".py": sys.executable, ".mjs": "node", ".sh": "sh"}[Path(name).suffix]
        given = {
            "PATH": os.environ["PATH"],
            "NODE_NO_WARNINGS": "1",  # Debian's, 18, calls File an experiment
            "PYTHONPATH": str(self.wheel),
            "BASE_URL": self.copy.url,
            "TOKEN": self.api_token,
            "QUESTION": QUESTION,
            **environ,
        }
        done = subprocess.run(
            [runner, EXAMPLES / name],
            env=given,
            capture_output=True,
            text=True,
            timeout=EXAMPLE_SECONDS,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


@pytest.fixture(scope="module")
def service(shared_copy: SharedCopy) -> Iterator[Service]:
    wheel = keep_client()
    copy = shared_copy.copy
    with serve_site(port=shared_copy.ports["site"]) as site:
        site.page("/", PAGE)
        copy.create_tenant("examples", plan="pro")
        copy.upload("boats.txt", DOCUMENT)
        service = Service(copy, site, wheel, access_token=copy.log_in())
        service.agent_id = service.post("/agents", name="Marina")["id"]
        token = service.post("/tenants/me/api-tokens", name="Examples", expires_in_days=1)
        service.api_token = token["token"]
        yield service


# --- docs/examples --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ask.py", "ask.mjs", "ask_with_client.py"])
def test_a_first_answer_has_its_sources(service: Service, name: str):
    assert service.run_example(name) == f"{ANSWER}\n[1] boats.txt, paragraph 1\n"


def test_a_first_answer_by_curl(service: Service):
    answer = json.loads(service.run_example("ask.sh"))

    assert answer["answer"] == ANSWER
    assert [source["source_file"] for source in answer["sources"]] == ["boats.txt"]


def test_a_first_answer_over_mcp(service: Service):
    assert service.run_example("mcp_ask.py") == f"{ANSWER}\n[1] boats.txt, paragraph 1\n"


def test_a_first_answer_over_mcp_by_curl(service: Service):
    lines = service.run_example("mcp_ask.sh").splitlines()

    (data,) = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    assert json.loads(data)["result"]["structuredContent"]["answer"] == ANSWER


def test_an_agent_chats_with_openais_package(service: Service):
    assert service.run_example("chat.py") == f"{ANSWER}\n\nSources:\n[1] boats.txt, paragraph 1\n"


def test_an_agent_chats_with_curl(service: Service):
    (choice,) = json.loads(service.run_example("chat.sh", AGENT="marina"))["choices"]

    assert choice["message"]["content"].startswith(ANSWER)


@pytest.mark.parametrize("name", ["stream.py", "stream.mjs"])
def test_an_answer_comes_word_by_word(service: Service, name: str):
    assert service.run_example(name) == f"{ANSWER}\nFrom: boats.txt\n"


def test_an_answer_comes_word_by_word_to_curl(service: Service):
    events = service.run_example("stream.sh")

    names = [line for line in events.splitlines() if line.startswith("event: ")]
    assert names[0] == "event: sources"
    assert set(names[1:-1]) == {"event: delta"}
    assert names[-1] == "event: done"


@pytest.mark.parametrize("name", ["upload.py", "upload.mjs"])
def test_a_file_is_uploaded(service: Service, tmp_path: Path, name: str):
    file = tmp_path / f"{name}.txt"
    file.write_text("Dogs travel in the rear cabin, and pay nothing.")

    said = service.run_example(name, EMAIL=service.copy.email, PASSWORD=PASSWORD, FILE=str(file))

    assert said == f"{file.name}: synced, 1 passages\n"


def test_a_file_is_uploaded_by_curl(service: Service, tmp_path: Path):
    file = tmp_path / "bicycles.txt"
    file.write_text("Bicycles travel on the upper deck, and pay three euros.")

    said = service.run_example("upload.sh", TOKEN=service.copy.log_in(), FILE=str(file))

    assert (json.loads(said)["name"], json.loads(said)["sync_status"]) == ("bicycles.txt", "synced")


@pytest.fixture(scope="module")
def many_agents(service: Service) -> list[str]:
    """More than the examples ask for at once."""
    return [service.post("/agents", name=f"Agent {number}")["id"] for number in range(100)]


@pytest.mark.parametrize("name", ["pages.py", "pages.mjs"])
def test_a_list_is_read_page_by_page(service: Service, many_agents: list[str], name: str):
    ids = [line.split()[0] for line in service.run_example(name).splitlines()]

    assert sorted(ids) == sorted([service.agent_id, *many_agents])


def test_a_list_is_read_page_by_page_by_curl(service: Service, many_agents: list[str]):
    first, second = service.run_example("pages.sh").replace("][", "]\n[").splitlines()

    assert (len(json.loads(first)), len(json.loads(second))) == (100, 1)


def test_every_example_is_in_the_table_and_is_run_here():
    readme = (EXAMPLES / "README.md").read_text()
    tests = Path(__file__).read_text()

    for example in EXAMPLES.iterdir():
        if example.name != "README.md":
            assert f"[{example.name}]({example.name})" in readme
            assert f'"{example.name}"' in tests


# --- The Python client ----------------------------------------------------------------------------


@pytest.fixture
def client(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Logged in as the company's admin."""
    monkeypatch.syspath_prepend(str(service.wheel))
    from knowledge_agents_client import AuthenticatedClient, Client
    from knowledge_agents_client.api.logging_in import log_in
    from knowledge_agents_client.models import LoginInput

    url, timeout = service.copy.url, httpx.Timeout(320)
    with Client(url, timeout=timeout) as anybody:
        login = log_in.sync(
            client=anybody, body=LoginInput(email=service.copy.email, password=PASSWORD)
        )
    assert (login.role, login.tenant_slug) == ("admin", "examples")
    with AuthenticatedClient(url, login.access_token, timeout=timeout) as client:
        yield client


def test_a_website_becomes_a_source_that_answers(service: Service, client: Any):
    from knowledge_agents_client.api.questions import ask_agent
    from knowledge_agents_client.api.sources import (
        check_website,
        create_source,
        delete_source,
        get_source_status,
        list_sources,
        sync_source,
    )
    from knowledge_agents_client.models import NewSource, QueryInput, Website

    url = f"{service.site.url}/"
    checked = check_website.sync(client=client, body=Website(source_type="web", source_url=url))
    assert (checked.indexable, checked.sample_title) == (True, "Whales")

    new = NewSource(name="Museum", source_type="web", source_url=url)
    created = create_source.sync(client=client, body=new)
    sync_source.sync(created.source_id, client=client)

    def status() -> Any:
        return get_source_status.sync(created.source_id, client=client)

    assert wait_until(
        lambda: status().sync_status not in ("pending", "syncing"),
        timeout_seconds=SYNC_SECONDS,
        poll_seconds=1,  # of 300 requests a minute
    )
    assert (status().sync_status, status().chunks_count) == ("synced", 1)
    listed = {source.name: source for source in list_sources.sync(client=client)}
    assert listed["Museum"].source_type == "web"

    query = QueryInput(query="When do whales pass the lighthouse?")
    answer = ask_agent.sync(service.agent_id, client=client, body=query)
    assert answer.confidence == "answered"
    assert answer.sources[0].source_file == url
    assert delete_source.sync(created.source_id, client=client).status == "deleted"


def test_a_file_is_uploaded_once_and_its_original_comes_back(client: Any):
    from knowledge_agents_client.api.sources import get_download_link, upload_file
    from knowledge_agents_client.models import Upload
    from knowledge_agents_client.types import File

    text = b"Luggage is stored at the harbour office, for two euros a day."
    file = File(payload=text, file_name="luggage.txt", mime_type="text/plain")
    uploaded, again = (
        upload_file.sync_detailed(
            client=client, body=Upload(file=file, name="Luggage"), idempotency_key="luggage-1"
        )
        for _ in range(2)
    )

    assert uploaded.status_code == again.status_code == 201
    assert (uploaded.parsed.name, uploaded.parsed.sync_status) == ("Luggage", "synced")
    assert again.parsed == uploaded.parsed
    assert again.headers["Idempotent-Replayed"] == "true"
    link = get_download_link.sync(uploaded.parsed.source_id, client=client)
    assert httpx.get(link.signed_url).content == text


def test_an_agent_is_created_changed_and_deleted(client: Any):
    from knowledge_agents_client.api.agents import (
        change_agent,
        create_agent,
        delete_agent,
        get_agent,
        list_agents,
    )
    from knowledge_agents_client.models import AgentChangesInput, Error, NewAgentInput

    created = create_agent.sync(client=client, body=NewAgentInput(name="Tom", persona="Brief."))
    changes = AgentChangesInput(status="inactive", transcript_retention_days=7)
    seen = get_agent.sync_detailed(created.id, client=client).headers["ETag"]
    changed = change_agent.sync(created.id, client=client, body=changes, if_match=seen)
    assert (changed.name, changed.persona) == ("Tom", "Brief.")
    assert (changed.status, changed.transcript_retention_days) == ("inactive", 7)
    late = change_agent.sync(created.id, client=client, body=changes, if_match=seen)
    assert isinstance(late, Error)
    assert late.error.code == "PRECONDITION_FAILED"
    assert "Tom" in [agent.name for agent in list_agents.sync(client=client)]

    assert delete_agent.sync_detailed(created.id, client=client).status_code == 204
    gone = get_agent.sync(created.id, client=client)
    assert isinstance(gone, Error)
    assert gone.error.code == "AGENT_NOT_FOUND"


def test_refusals_are_typed_answers(service: Service, client: Any):
    from knowledge_agents_client.api.questions import ask_agent
    from knowledge_agents_client.api.sources import list_sources, set_source_schedule
    from knowledge_agents_client.models import Error, Frequency, LegacyError, QueryInput

    source = list_sources.sync(client=client)[0]
    hourly = set_source_schedule.sync_detailed(
        source.source_id, client=client, body=Frequency(frequency="1h")
    )
    assert hourly.status_code == 402
    assert isinstance(hourly.parsed, Error)
    assert hourly.parsed.error.code == "PLAN_LIMIT_REACHED"
    assert hourly.headers["X-Request-ID"]

    unknown = ask_agent.sync_detailed(
        "no-such-agent", client=client, body=QueryInput(query=QUESTION)
    )
    assert unknown.status_code == 404
    assert isinstance(unknown.parsed, LegacyError)


async def ask_later(client: Any, agent_id: str) -> Any:
    from knowledge_agents_client.api.questions import ask_agent
    from knowledge_agents_client.models import QueryInput

    async with client:
        return await ask_agent.asyncio(agent_id, client=client, body=QueryInput(query=QUESTION))


def test_an_answer_is_awaited(service: Service, client: Any):
    answer = asyncio.run(ask_later(client, service.agent_id))

    assert answer.sources[0].source_file == "boats.txt"
