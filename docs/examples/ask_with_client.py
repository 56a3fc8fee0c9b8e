"""The same with the Python client that bin/client makes (docs/client.md)."""

import os

import httpx
from knowledge_agents_client import AuthenticatedClient
from knowledge_agents_client.api.agents import list_agents
from knowledge_agents_client.api.questions import ask_agent
from knowledge_agents_client.models import AnswerOutput, QueryInput

client = AuthenticatedClient(
    os.environ["BASE_URL"], os.environ["TOKEN"], timeout=httpx.Timeout(120)
)

with client:
    agents = list_agents.sync(client=client)
    if not isinstance(agents, list):
        raise SystemExit(f"Refused: {agents}")
    query = QueryInput(query=os.environ["QUESTION"])
    answer = ask_agent.sync(agents[0].id, client=client, body=query)
    if not isinstance(answer, AnswerOutput):
        raise SystemExit(f"Refused: {answer}")

print(answer.answer)
for number, source in enumerate(answer.sources, start=1):
    print(f"[{number}] {source.source_file}, {source.page_or_row}")
