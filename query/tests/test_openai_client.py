"""The `openai` package against the product, over HTTP: what people's programs see of /v1."""

import asyncio
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import openai
import pytest
from django.utils import timezone
from openai import AsyncOpenAI, OpenAI

from accounts.models import Tenant, UsageCounter
from accounts.tests.factories import make_api_token, make_tenant, make_user
from agents.models import Agent
from agents.tests.factories import make_agent
from config.tests.running_product import Product
from query.pipeline import Piece, SourcesFound
from query.tests.chat_server import WAIT_SECONDS, ChatServer, serve_chat, stream
from query.tests.factories import FARO, LIGHTHOUSE, index_texts
from query.tests.pipeline import StandIn
from sources.models import Source

NAMES = "Amber Birch Cedar Daisy Ebony Fern Ginger Hazel Iris Jade Laurel Maple Olive"
ROOMS = [f"Room {name} costs {price} euros." for price, name in enumerate(NAMES.split(), 51)]


@pytest.fixture(scope="module")
def product() -> Iterator[str]:
    """Its address."""
    product = Product()
    product.start()
    yield product.url
    product.stop()


@pytest.fixture
def workspace(committed_tenant: Tenant) -> Iterator[Tenant]:
    """With an agent, "Guide"."""
    make_agent(committed_tenant, name="Guide")
    yield committed_tenant
    Agent.objects.for_tenant(committed_tenant).delete()
    Source.objects.for_tenant(committed_tenant).delete()


@pytest.fixture
def key(workspace: Tenant) -> str:
    return make_api_token(make_user(workspace), workspace)


@pytest.fixture
def client(product: str, key: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{product}/v1", api_key=key, max_retries=0) as client:
        yield client


def ask(client: OpenAI, *said: str, model: str = "Guide", **more: Any) -> Any:
    """`said`: by turns, the user first."""
    roles = ("user", "assistant")
    messages: Any = [
        {"role": roles[number % 2], "content": text} for number, text in enumerate(said)
    ]
    return client.chat.completions.create(model=model, messages=messages, **more)


def join(chunks: Any) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


def test_agents_are_listed(client: OpenAI, workspace: Tenant):
    agent = Agent.objects.for_tenant(workspace).get()

    (model,) = client.models.list()

    assert (model.id, model.object, model.owned_by) == (str(agent.pk), "model", workspace.slug)
    assert model.created == int(agent.created_at.timestamp())
    assert client.models.retrieve("Guide") == client.models.retrieve(model.id)


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("texts", "title", "questions", "expected"),
    [
        (
            LIGHTHOUSE,
            "Sources:",
            ("How much does a guided visit cost?", "When is it open?", "and on Sundays?"),
            ("7 euros", "10:00", "Sunday"),
        ),
        (
            FARO,
            "Fuentes:",
            ("¿Cuánto cuesta la visita guiada?", "¿Cuándo abre el faro?", "¿y los domingos?"),
            ("7 euros", "10:00", "domingo"),
        ),
    ],
)
def test_three_turns_are_a_conversation(
    client: OpenAI,
    workspace: Tenant,
    texts: tuple[str, ...],
    title: str,
    questions: tuple[str, ...],
    expected: tuple[str, ...],
    streams: bool,
):
    index_texts(workspace, *texts)
    said: list[str] = []
    for question, words in zip(questions, expected, strict=True):
        said.append(question)
        answer = ask(client, *said, stream=streams)
        said.append(join(answer) if streams else answer.choices[0].message.content)
        assert words in said[-1]
        assert re.search(rf"\n\n{title}\n\[\d\] notes\.txt, ", said[-1])


def test_an_answer_is_of_the_packages_types(client: OpenAI, workspace: Tenant):
    index_texts(workspace, *LIGHTHOUSE)

    answer = ask(client, "How much does a guided visit cost?")

    (choice,) = answer.choices
    annotations = choice.message.annotations
    cited = annotations[0].url_citation
    assert choice.finish_reason == "stop"
    assert choice.message.content[cited.start_index : cited.end_index] == "[1]"
    assert cited.title == "notes.txt"
    assert answer.usage.total_tokens == 0
    assert answer.confidence == "answered"
    assert answer.sources[0]["source_file"] == "notes.txt"


def test_the_packages_own_collector_puts_a_stream_together(client: OpenAI, workspace: Tenant):
    index_texts(workspace, *LIGHTHOUSE)
    question: Any = [{"role": "user", "content": "How much does a guided visit cost?"}]

    with client.chat.completions.stream(
        model="Guide", messages=question, stream_options={"include_usage": True}
    ) as events:
        collected = events.get_final_completion()

    whole = ask(client, "How much does a guided visit cost?")
    assert collected.choices[0].message.content == whole.choices[0].message.content
    assert collected.usage is not None
    assert collected.usage.total_tokens == 0


def test_the_asynchronous_client_hears_the_same(product: str, key: str, workspace: Tenant):
    index_texts(workspace, *LIGHTHOUSE)
    question: Any = [{"role": "user", "content": "How much does a guided visit cost?"}]

    async def hear() -> tuple[str, str]:
        async with AsyncOpenAI(base_url=f"{product}/v1", api_key=key) as client:
            create = client.chat.completions.create
            whole = await create(model="Guide", messages=question)
            chunks = [
                one async for one in await create(model="Guide", messages=question, stream=True)
            ]
        return whole.choices[0].message.content or "", join(chunks)

    whole, streamed = asyncio.run(hear())

    assert "7 euros" in whole
    assert streamed == whole


# --- Errors ---------------------------------------------------------------------------------------


@pytest.mark.django_db  # so that pytest-django makes tables, of which the tests below see nothing
def test_a_key_that_is_none_is_an_authentication_error(product: str):
    with pytest.raises(openai.AuthenticationError) as nobody:
        OpenAI(base_url=f"{product}/v1", api_key="sk-nonsense").models.list()

    assert (nobody.value.type, nobody.value.code) == ("authentication_error", "UNAUTHORIZED")


@pytest.mark.parametrize("streams", [False, True])
def test_refusals_are_the_packages_exceptions(client: OpenAI, workspace: Tenant, streams: bool):
    with pytest.raises(openai.BadRequestError) as bad:
        ask(client, "a" * 1001, stream=streams)
    with pytest.raises(openai.NotFoundError) as unknown:
        ask(client, "Hello?", model="gpt-4o", stream=streams)

    assert (bad.value.param, bad.value.code) == ("messages", "VALIDATION_ERROR")
    assert (unknown.value.param, unknown.value.code) == ("model", "model_not_found")
    assert not UsageCounter.objects.for_tenant(workspace).exists()


def test_what_fails_in_the_middle_is_raised_while_it_is_read(
    client: OpenAI, workspace: Tenant, monkeypatch: pytest.MonkeyPatch
):
    broken = StandIn(SourcesFound(()), Piece("It costs "), RuntimeError("a secret of ours"))
    monkeypatch.setattr("query.services.asking.stream_answer", broken)
    chunks = ask(client, "How much does a guided visit cost?", stream=True)

    assert [next(chunks).choices[0].delta.content for _ in range(2)] == ["", "It costs "]
    with pytest.raises(openai.APIError) as failed:
        next(chunks)

    assert (failed.value.type, failed.value.code) == ("server_error", "INTERNAL_ERROR")
    assert "secret" not in failed.value.message


def test_limits_are_the_packages_exceptions(client: OpenAI, workspace: Tenant):
    plan = workspace.plan
    plan.max_queries_per_month, plan.blocks_overage = 0, True
    plan.save()
    with pytest.raises(openai.APIStatusError) as full:
        ask(client, "How much does a guided visit cost?")

    plan.max_requests_per_minute = 1
    plan.save()
    client.models.list()
    with pytest.raises(openai.RateLimitError) as often:
        ask(client, "How much does a guided visit cost?")

    assert (full.value.status_code, full.value.code) == (402, "PLAN_LIMIT_REACHED")
    assert full.value.type == "insufficient_quota"
    assert often.value.code == "TOO_MANY_REQUESTS"
    assert int(often.value.response.headers["Retry-After"]) > 0


def test_another_companys_agent_is_no_model(client: OpenAI, workspace: Tenant):
    other = make_tenant()
    theirs = make_agent(other, name="Theirs")
    try:
        for model in (str(theirs.pk), "Theirs"):
            with pytest.raises(openai.NotFoundError) as refused:
                ask(client, "How much does a guided visit cost?", model=model)
            assert refused.value.code == "model_not_found"
        assert [model.id for model in client.models.list()] != [str(theirs.pk)]
    finally:
        theirs.delete()
        other.delete()


def test_a_key_that_has_ended_opens_nothing(product: str, workspace: Tenant):
    ended = timezone.now() - timedelta(seconds=1)
    old = make_api_token(make_user(workspace), workspace, expires_at=ended)

    with pytest.raises(openai.AuthenticationError):
        OpenAI(base_url=f"{product}/v1", api_key=old).models.list()


# --- Leaving --------------------------------------------------------------------------------------


@pytest.fixture
def model(settings: Any) -> Iterator[ChatServer]:
    with serve_chat() as server:
        settings.LLM_BASE_URL, settings.LLM_MODEL = server.url, "slow-model"
        yield server


def test_who_leaves_in_the_middle_ends_the_models_work(
    client: OpenAI, workspace: Tenant, model: ChatServer
):
    index_texts(workspace, " ".join(ROOMS), name="rooms.txt")
    model.says(stream(*(f"{room} [1] " for room in ROOMS), seconds_between=0.1))

    chunks = ask(client, "What do the rooms cost?", stream=True)
    heard = ""
    for chunk in chunks:
        heard += chunk.choices[0].delta.content or ""
        if "Room Amber costs 51 euros." in heard:
            break
    chunks.close()

    assert model.was_left.wait(WAIT_SECONDS)
    assert "Olive" not in heard
    (counter,) = UsageCounter.objects.for_tenant(workspace)
    assert counter.used == 1
