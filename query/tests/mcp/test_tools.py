"""What each tool and resource gives, and to whom it gives nothing."""

import base64
import json
import uuid
from datetime import timedelta
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Role, Tenant
from accounts.tests.factories import client_of
from agents.models import AgentStatus
from agents.services import find_agent, replace_scope
from agents.tests.factories import make_agent
from query.models import Conversation, Lead
from query.services.asking import get_model
from query.services.columns import decide_column
from query.tests.factories import FARO, LIGHTHOUSE, index_texts
from query.tests.mcp.client import HANDSHAKE, Program
from reading.passages import ChunkLevel
from sources.models import Chunk, Source, SyncStatus
from sources.services.editing import delete_source

QUESTION = "How much does a guided visit cost?"
NOBODY = "00000000-0000-4000-8000-000000000007"
NO_AGENT = "AGENT_NOT_FOUND: There is no such agent: list_agents lists them."
NO_PASSAGE = (
    "NOT_FOUND: This passage no longer exists. Its document may have been deleted or"
    " updated: search again."
)


@pytest.fixture
def program(admin_api: APIClient) -> Program:
    return Program(admin_api)


@pytest.fixture
def lighthouse(tenant: Tenant) -> Source:
    return index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt")


def passage_ids(source: Source) -> list[str]:
    chunks = Chunk.objects.for_tenant(source.tenant).filter(source=source).order_by("position")
    return [str(pk) for pk in chunks.values_list("pk", flat=True)]


def make_sources(tenant: Tenant, count: int) -> None:
    Source.objects.for_tenant(tenant).bulk_create(
        Source(tenant=tenant, name=f"source {number}", source_type="web", position=number % 7)
        for number in range(count)
    )


# --- What they say of themselves ------------------------------------------------------------------


def test_each_tool_says_when_it_is_called_and_what_it_takes(program: Program):
    tools = program.result("tools/list")["tools"]

    for tool in tools:
        assert len(tool["description"]) > 60
        assert tool["annotations"]["readOnlyHint"] is True
        assert tool["annotations"]["openWorldHint"] is False
        assert "additionalProperties" not in tool["inputSchema"]  # others are ignored
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    asked = {tool["name"]: tool["inputSchema"] for tool in tools}
    assert asked["ask"]["properties"]["question"]["maxLength"] == 1000
    assert asked["ask"]["required"] == ["question"]
    assert asked["search"]["properties"]["limit"] == {
        "default": 5,
        "maximum": 10,
        "minimum": 1,
        "type": "integer",
    }


def test_what_a_tool_gives_is_of_its_schema(tenant: Tenant, program: Program, lighthouse: Source):
    make_agent(tenant)
    schemas = {tool["name"]: tool["outputSchema"] for tool in program.result("tools/list")["tools"]}
    (passage_id, *_) = passage_ids(lighthouse)
    calls: dict[str, dict[str, Any]] = {
        "ask": {"question": QUESTION},
        "search": {"query": QUESTION},
        "list_agents": {},
        "list_sources": {},
        "read_source_passage": {"passage_id": passage_id},
    }
    assert set(calls) == set(schemas)
    for name, arguments in calls.items():
        data = program.data(name, **arguments)
        jsonschema.Draft202012Validator(schemas[name]).validate(data)


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("ask", {}, "question: Field required."),
    ("ask", {"question": 7}, "question: Input should be a valid string."),
    ("ask", {"question": " \n"}, "question: must not be empty."),
    ("ask", {"question": "x" * 1001}, "question: String should have at most 1000 characters."),
    ("ask", {"question": "a\0b"}, "question: must not contain NUL characters."),
    ("ask", {"question": "\ud800"}, "question: Input should be a valid string, unable"),
    ("ask", {"question": None}, "question: Field required."),
    ("ask", {"question": "x", "conversation": "mine"}, "conversation: String should match"),
    ("search", {"query": "x", "limit": 0}, "limit: Input should be greater than or equal to 1."),
    ("search", {"query": "x", "limit": 11}, "limit: Input should be less than or equal to 10."),
    ("search", {"query": "x", "limit": True}, "limit: Input should be a valid integer."),
    ("search", {"query": "x", "limit": 2.5}, "limit: Input should be a valid integer"),
    ("search", {"query": "x", "limit": "five"}, "limit: Input should be a valid integer"),
    ("search", {"query": "x", "limit": "11"}, "limit: Input should be less than or equal to 10."),
    ("read_source_passage", {"passage_id": True}, "passage_id: Input should be a valid string."),
    ("read_source_passage", {"passage_id": "1", "before": 6}, "before: Input should be less than"),
    ("list_sources", {"cursor": "x" * 401}, "cursor: String should have at most 400 characters."),
]


@pytest.mark.parametrize(("tool", "arguments", "problem"), WRONG)
def test_wrong_arguments_are_named(
    program: Program, tool: str, arguments: dict[str, Any], problem: str
):
    told = program.failure(tool, **arguments)

    assert told.startswith(f"VALIDATION_ERROR: The arguments of {tool} are wrong. {problem}"), told


@pytest.mark.parametrize("limit", ["2", " 2 ", 2.0, "2.0"])
def test_a_whole_number_may_come_as_text_or_with_a_decimal_point(
    program: Program, lighthouse: Source, limit: object
):
    assert len(program.data("search", query=QUESTION, limit=limit)["passages"]) == 2


def test_null_stands_for_an_argument_that_is_left_out(program: Program, lighthouse: Source):
    everything = program.data("search", query=QUESTION)

    assert program.data("search", query=QUESTION, limit=None, agent=None) == everything
    assert program.data("list_sources", cursor=None) == program.data("list_sources")
    asked = program.data("ask", question=QUESTION, agent=None, conversation=None)
    assert asked["confidence"] == "answered"


def test_arguments_that_a_tool_does_not_know_are_ignored(program: Program, lighthouse: Source):
    """Automation tools send fields of their own beside the arguments."""
    own = {"sessionId": "7", "toolCallId": "call_1", "chatInput": {"text": "x"}, "Limit": 9}

    assert program.data("search", query=QUESTION, **own) == program.data("search", query=QUESTION)


def test_a_passage_is_read_by_its_number_too(program: Program, lighthouse: Source):
    passage_id = passage_ids(lighthouse)[1]

    read = program.data("read_source_passage", passage_id=int(passage_id), before="0", after=0.0)

    assert read == program.data("read_source_passage", passage_id=passage_id, before=0, after=0)


def test_a_tool_without_required_arguments_is_called_with_null(program: Program):
    called = program.result("tools/call", {"name": "list_agents", "arguments": None})

    assert called["isError"] is False


def test_what_is_told_of_wrong_arguments_is_short_whatever_came(program: Program):
    told = program.failure("ask", **{"k" * 100_000 + str(n): 1 for n in range(9)})

    assert len(told) < 1000


# --- ask ------------------------------------------------------------------------------------------


def test_an_answer_comes_with_its_sources(tenant: Tenant, program: Program, lighthouse: Source):
    result = program.call("ask", question=QUESTION)

    data = result["structuredContent"]
    assert data["confidence"] == "answered"
    assert data["answer"].startswith("A guided visit costs 7 euros.")
    assert data["model"] == "extractive"
    cited = data["sources"][0]
    synced_at = lighthouse.last_synced_at
    assert synced_at is not None
    assert cited == {
        "passage_id": passage_ids(lighthouse)[1],
        "source_id": str(lighthouse.pk),
        "file": "lighthouse.txt",
        "place": "paragraph 2",
        "section": "",
        "link": "",
        "synced_at": f"{synced_at:%Y-%m-%dT%H:%M:%SZ}",
        "freshness": "green",
        "similarity": cited["similarity"],
    }
    answer, sources = (block["text"] for block in result["content"])
    assert answer == data["answer"]
    listed = json.loads(sources.removeprefix("Sources, as JSON: "))
    assert listed == [{"n": n, **one} for n, one in enumerate(data["sources"], start=1)]


def test_it_answers_as_the_api_does(program: Program, lighthouse: Source):
    data = program.data("ask", question=QUESTION)

    rest = program.api.post("/agent/query", {"query": QUESTION}, "json").json()

    assert data["answer"] == rest["answer"]
    assert data["confidence"] == rest["confidence"]
    assert [one["similarity"] for one in data["sources"]] == [
        one["similarity"] for one in rest["sources"]
    ]


def test_what_the_documents_do_not_say_is_not_answered(program: Program, lighthouse: Source):
    result = program.call("ask", question="Who painted the Mona Lisa?")

    assert result["structuredContent"]["confidence"] == "none"
    assert result["structuredContent"]["sources"] == []
    assert result["content"][1]["text"] == "Sources: none."


@pytest.mark.parametrize("called", ["id", "name", "upper"])
def test_an_agent_answers_from_its_own_sources(
    tenant: Tenant, program: Program, lighthouse: Source, called: str
):
    bakery = index_texts(tenant, "The bakery opens at six.", name="bakery.txt")
    agent = make_agent(tenant, name="Baker")
    replace_scope(tenant, agent.pk, [bakery.pk])
    name = {"id": str(agent.pk), "name": "Baker", "upper": "BAKER"}[called]

    assert program.data("ask", question=QUESTION, agent=name)["confidence"] == "none"
    found = program.data("search", query=QUESTION, agent=name)
    assert {one["source_id"] for one in found["passages"]} <= {str(bakery.pk)}


def test_of_two_names_that_look_alike_each_is_its_own_agents(tenant: Tenant):
    """Not alike to the constraint, and alike in capitals: ſ, and the ς that ends a word."""
    for one, other in (("Sales", "Saleſ"), ("Λόγοσ", "Λόγος")):
        agents = [make_agent(tenant, name=name) for name in (one, other)]

        assert [find_agent(tenant, name).pk for name in (one, other)] == [a.pk for a in agents]
        assert [get_model(tenant, name).pk for name in (one, other)] == [a.pk for a in agents]


@pytest.mark.parametrize("tool", ["ask", "search"])
def test_an_agent_of_another_tenant_is_as_unknown_as_none(
    other_tenant: Tenant, program: Program, tool: str
):
    theirs = make_agent(other_tenant, name="Theirs")
    text = {"ask": "question", "search": "query"}[tool]
    for agent in (str(theirs.pk), "Theirs", NOBODY, "nobody"):
        assert program.failure(tool, **{text: QUESTION, "agent": agent}) == NO_AGENT


@pytest.mark.parametrize("tool", ["ask", "search"])
def test_an_inactive_agent_does_not_answer(tenant: Tenant, program: Program, tool: str):
    make_agent(tenant, name="Away", status=AgentStatus.INACTIVE)
    text = {"ask": "question", "search": "query"}[tool]

    assert program.failure(tool, **{text: QUESTION, "agent": "Away"}).startswith("CONFLICT: ")


def test_a_conversation_goes_on_by_its_handle_alone(program: Program, lighthouse: Source):
    asked = "How much is the guided visit to the lighthouse?"
    first = program.data("ask", question=asked)
    follow_up = "and for the two of us?"

    on = program.data("ask", question=follow_up, conversation=first["conversation"])
    alone = program.data("ask", question=follow_up)

    assert "7 euros" in on["answer"]
    assert on["conversation"] == first["conversation"]
    assert alone["sources"] == []


def sessions_of(tenant: Tenant) -> list[str]:
    kept = Conversation.objects.for_tenant(tenant)
    return list(kept.order_by("created_at").values_list("session_id", flat=True))


def test_another_callers_handle_is_another_conversation(tenant: Tenant, lighthouse: Source):
    agent = make_agent(tenant, name="Keeper", store_transcripts=True)
    mine, theirs = (Program(client_of(tenant, role=Role.ADMIN)) for _ in range(2))
    handle = mine.data("ask", question=QUESTION, agent="Keeper")["conversation"]

    mine.data("ask", question=QUESTION, agent="Keeper", conversation=handle)
    theirs.data("ask", question=QUESTION, agent=str(agent.pk), conversation=handle)

    mine_session, theirs_session = sessions_of(tenant)
    assert mine_session != theirs_session
    assert handle not in mine_session


def test_a_colleague_who_asks_in_an_assistant_becomes_no_lead(program: Program, tenant: Tenant):
    make_agent(
        tenant, name="Keeper", lead_capture_enabled=True, lead_notification_email="k@example.com"
    )

    program.data("ask", question="I want to buy ten guided visits.", agent="Keeper")

    assert not Lead.objects.for_tenant(tenant).exists()


# --- search ---------------------------------------------------------------------------------------


def test_passages_are_found_with_their_places(program: Program, lighthouse: Source):
    result = program.call("search", query=QUESTION, limit=2)

    data = result["structuredContent"]
    assert data["has_relevant"] is True
    assert [one["is_relevant"] for one in data["passages"]] == [True, False]
    assert data["passages"][0]["text"] == LIGHTHOUSE[1]
    assert data["passages"][0]["place"] == "paragraph 2"
    assert json.loads(result["content"][0]["text"]) == data


def test_a_search_that_finds_nothing_relevant_says_so(program: Program, lighthouse: Source):
    data = program.data("search", query="Who painted the Mona Lisa?")

    assert data["has_relevant"] is False
    assert not any(one["is_relevant"] for one in data["passages"])


def test_a_search_shows_no_column_that_answers_hide(tenant: Tenant, program: Program):
    rows = ("Wine: Lareira; Price: 12 €; Supplier: Castro Vello; Trade price: 7 €",)
    index_texts(tenant, *rows, name="wines.csv", level=ChunkLevel.ROW)
    index_texts(tenant, f"Our wines.\n{rows[0]}\n\nAll of them.", name="wines.docx")

    def texts() -> set[str]:
        found = program.data("search", query="How much is the Lareira wine?")["passages"]
        return {passage["text"] for passage in found}

    told = "Wine: Lareira; Price: 12 €"
    assert texts() == {told, f"Our wines.\n{told}\n\nAll of them."}

    decide_column(tenant, "price", is_told=False)
    decide_column(tenant, "trade price", is_told=True)
    told = "Wine: Lareira; Trade price: 7 €"
    assert texts() == {told, f"Our wines.\n{told}\n\nAll of them."}


def test_a_passage_of_hidden_columns_alone_is_not_found(tenant: Tenant, program: Program):
    index_texts(tenant, "Internal note: Lareira goes", name="a.csv", level=ChunkLevel.ROW)

    assert program.data("search", query="Where does Lareira go?") == {
        "passages": [],
        "has_relevant": False,
    }


def test_a_search_without_sources_finds_nothing(program: Program):
    assert program.data("search", query=QUESTION) == {"passages": [], "has_relevant": False}


def test_no_search_finds_another_tenants_passages(other_tenant: Tenant, program: Program):
    index_texts(other_tenant, *LIGHTHOUSE)

    assert program.data("search", query=QUESTION) == {"passages": [], "has_relevant": False}


# --- list_agents, list_sources --------------------------------------------------------------------


def test_agents_are_listed_with_the_size_of_their_scope(
    tenant: Tenant, other_tenant: Tenant, program: Program, lighthouse: Source
):
    free = make_agent(tenant, name="Free")
    bound = make_agent(tenant, name="Bound", status=AgentStatus.INACTIVE)
    replace_scope(tenant, bound.pk, [lighthouse.pk])
    make_agent(other_tenant)

    assert program.data("list_agents") == {
        "agents": [
            {
                "agent_id": str(free.pk),
                "name": "Free",
                "status": "active",
                "sources_count": None,
            },
            {
                "agent_id": str(bound.pk),
                "name": "Bound",
                "status": "inactive",
                "sources_count": 1,
            },
        ],
        "next_cursor": "",
    }


def test_sources_are_listed_with_their_state_and_its_reason(
    tenant: Tenant, other_tenant: Tenant, program: Program, lighthouse: Source
):
    index_texts(other_tenant, *FARO)
    broken = Source.objects.for_tenant(tenant).create(
        name="site",
        source_type="web",
        position=9,
        sync_status=SyncStatus.ERROR,
        error_message="The website does not answer.",
        last_synced_at=timezone.now() - timedelta(days=31),
    )

    first, second = program.data("list_sources")["sources"]

    assert first == {
        "source_id": str(lighthouse.pk),
        "name": "lighthouse.txt",
        "type": "file",
        "state": "synced",
        "reason": "",
        "last_synced_at": first["last_synced_at"],
        "freshness": "green",
        "documents": 1,
        "passages": 3,
    }
    assert (second["source_id"], second["freshness"]) == (str(broken.pk), "red")
    assert second["reason"] == "The website does not answer."


@pytest.mark.parametrize(
    ("days", "badge"),
    [(0, "green"), (6.9, "green"), (7.1, "yellow"), (29.9, "yellow"), (30.1, "red")],
)
def test_freshness_is_the_age_of_the_last_sync(
    tenant: Tenant, program: Program, lighthouse: Source, days: float, badge: str
):
    synced_at = timezone.now() - timedelta(days=days)
    Source.objects.for_tenant(tenant).update(last_synced_at=synced_at)

    assert program.data("list_sources")["sources"][0]["freshness"] == badge
    assert program.data("ask", question=QUESTION)["sources"][0]["freshness"] == badge


def test_a_long_list_comes_in_pages_each_row_once(tenant: Tenant, program: Program):
    make_sources(tenant, 120)
    expected = [
        str(pk)
        for pk in Source.objects.for_tenant(tenant)
        .order_by("position", "created_at", "id")
        .values_list("pk", flat=True)
    ]

    pages, cursor = [], ""
    while True:
        page = program.data("list_sources", cursor=cursor)
        pages.append([one["source_id"] for one in page["sources"]])
        if not (cursor := page["next_cursor"]):
            break

    assert [len(page) for page in pages] == [50, 50, 20]
    assert sum(pages, []) == expected


def test_a_page_costs_the_same_however_many_rows_it_has(tenant: Tenant, program: Program):
    def cost() -> int:
        with CaptureQueriesContext(connection) as queries:
            program.data("list_sources")
        return len(queries)

    make_sources(tenant, 2)
    few = cost()
    make_sources(tenant, 40)
    assert cost() == few


NO_CURSOR = "VALIDATION_ERROR: The cursor does not belong to this list. Start again without one."
MADE_UP = [
    "[null, null]",
    "[null, null, null]",
    "[1e999, 0]",
    "[1e999, 0, 0]",
    '["9999-12-31T23:59:59-23:59", "00000000-0000-0000-0000-000000000000"]',
    '[1, "9999-12-31T23:59:59-23:59", "00000000-0000-0000-0000-000000000000"]',
]


@pytest.mark.parametrize("tool", ["list_agents", "list_sources"])
@pytest.mark.parametrize("cursor", ["x", "e30=", "W10=", "WyJhIiwgImIiLCAiYyJd", "bnVsbA==", "7"])
def test_a_cursor_that_is_none_is_refused(program: Program, tool: str, cursor: str):
    assert program.failure(tool, cursor=cursor) == NO_CURSOR


@pytest.mark.parametrize("tool", ["list_agents", "list_sources"])
@pytest.mark.parametrize("values", MADE_UP)
def test_a_cursor_that_was_made_up_is_refused(program: Program, tool: str, values: str):
    cursor = base64.urlsafe_b64encode(values.encode()).decode()

    assert program.failure(tool, cursor=cursor) == NO_CURSOR


def test_a_cursor_of_another_tenant_or_of_another_list_is_refused(
    tenant: Tenant, program: Program, other_tenant: Tenant
):
    make_sources(tenant, 51)
    cursor = program.data("list_sources")["next_cursor"]
    other = Program(client_of(other_tenant))

    assert program.failure("list_agents", cursor=cursor) == NO_CURSOR
    assert other.failure("list_sources", cursor=cursor) == NO_CURSOR


# --- read_source_passage --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("which", "before", "after", "places"),
    [
        (1, 1, 1, [1, 2, 3]),
        (1, 0, 0, [2]),
        (0, 5, 1, [1, 2]),
        (2, 1, 5, [2, 3]),
        (0, 0, 5, [1, 2, 3]),
    ],
)
def test_a_passage_is_read_with_its_neighbours(
    program: Program, lighthouse: Source, which: int, before: int, after: int, places: list[int]
):
    index_texts(lighthouse.tenant, *FARO)
    passage_id = passage_ids(lighthouse)[which]

    data = program.data("read_source_passage", passage_id=passage_id, before=before, after=after)

    assert data["passage_id"] == passage_id
    assert [one["place"] for one in data["passages"]] == [f"paragraph {n}" for n in places]
    assert [one["text"] for one in data["passages"]] == [LIGHTHOUSE[n - 1] for n in places]


def test_no_passage_of_another_tenant_of_nobody_or_of_a_deleted_source_is_read(
    tenant: Tenant, other_tenant: Tenant, program: Program
):
    theirs = index_texts(other_tenant, *LIGHTHOUSE)
    gone = index_texts(tenant, *FARO)
    gone_ids = passage_ids(gone)
    Source.objects.for_tenant(tenant).filter(pk=gone.pk).update(deleted_at=timezone.now())
    for passage_id in (
        *passage_ids(theirs),
        *gone_ids,
        "0",
        "999999999",
        "9" * 18,
        "-1",
        "1.0",
        "x",
        "١",
        NOBODY,
    ):
        assert program.failure("read_source_passage", passage_id=passage_id) == NO_PASSAGE
        answer = program.send("resources/read", {"uri": f"knowledge://passages/{passage_id}"})
        assert json.loads(answer.content)["error"]["message"] == "Resource not found"


def test_a_passage_that_was_replaced_is_gone(tenant: Tenant, program: Program, lighthouse: Source):
    (passage_id, *_) = passage_ids(lighthouse)
    program.data("read_source_passage", passage_id=passage_id)

    document = Chunk.objects.for_tenant(tenant).get(pk=passage_id).document
    document.removed_in = lighthouse.generation
    document.save()

    assert program.failure("read_source_passage", passage_id=passage_id) == NO_PASSAGE


# --- Resources ------------------------------------------------------------------------------------


def test_sources_are_resources(program: Program, lighthouse: Source):
    lighthouse.size_bytes = 2048
    lighthouse.save(update_fields=["size_bytes"])

    (resource,) = program.result("resources/list")["resources"]

    assert resource == {
        "uri": f"knowledge://sources/{lighthouse.pk}",
        "name": "lighthouse.txt",
        "title": "lighthouse.txt",
        "description": "file, synced; passages: 3",
        "mimeType": "application/json",
        "size": 2048,
        "annotations": {"lastModified": resource["annotations"]["lastModified"]},
    }


def test_resources_come_in_pages(tenant: Tenant, program: Program):
    make_sources(tenant, 51)

    first = program.result("resources/list")
    second = program.result("resources/list", {"cursor": first["nextCursor"]})

    assert (len(first["resources"]), len(second["resources"])) == (50, 1)
    assert "nextCursor" not in second


def read(program: Program, uri: str) -> dict[str, Any]:
    (content,) = program.result("resources/read", {"uri": uri})["contents"]
    assert content["uri"] == uri
    assert content["mimeType"] == "application/json"
    data: dict[str, Any] = json.loads(content["text"])
    return data


def test_a_source_is_read_with_its_first_passages_and_what_was_left_out(
    tenant: Tenant, program: Program
):
    source = index_texts(tenant, *LIGHTHOUSE, *FARO, name="both.txt")

    data = read(program, f"knowledge://sources/{source.pk}")

    assert data["name"] == "both.txt"
    (document,) = data["contents"]
    assert [one["text"] for one in document["passages"]] == list(LIGHTHOUSE)
    assert data["left_out"] == {"documents": 0, "passages": 3}


def test_what_is_read_of_a_source_is_bounded(
    tenant: Tenant, program: Program, lighthouse: Source, monkeypatch
):
    monkeypatch.setattr("query.mcp.resources.TEXT_SHOWN_CHARS", len(LIGHTHOUSE[0]))

    data = read(program, f"knowledge://sources/{lighthouse.pk}")

    assert [one["text"] for one in data["contents"][0]["passages"]] == [LIGHTHOUSE[0]]
    assert data["left_out"] == {"documents": 0, "passages": 2}


def test_a_passage_is_read_by_the_template(program: Program, lighthouse: Source):
    passage_id = passage_ids(lighthouse)[1]

    data = read(program, f"knowledge://passages/{passage_id}")

    assert data["passage_id"] == passage_id
    assert [one["text"] for one in data["passages"]] == list(LIGHTHOUSE)


@pytest.mark.parametrize(("revision", "code"), [("2026-07-28", -32602), (HANDSHAKE, -32002)])
def test_a_resource_of_another_tenant_is_as_unknown_as_one_that_never_was(
    other_tenant: Tenant, admin_api: APIClient, revision: str, code: int
):
    theirs = index_texts(other_tenant, *LIGHTHOUSE)
    program = Program(admin_api, revision)
    if revision == HANDSHAKE:
        program.begin()
    for uri in (
        f"knowledge://sources/{theirs.pk}",
        f"knowledge://sources/{NOBODY}",
        "knowledge://sources/",
        "knowledge://sources/\0",
        "knowledge://sources/\ud800",
        f"knowledge://other/{NOBODY}",
        "file:///etc/passwd",
        "http://127.0.0.1/",
        "",
    ):
        answer = program.send("resources/read", {"uri": uri})
        error = json.loads(answer.content)["error"]
        assert error == {"code": code, "message": "Resource not found", "data": {"uri": uri}}


def test_an_address_that_is_none_is_told_no_longer_than_one_is(admin_api: APIClient):
    program = Program(admin_api, HANDSHAKE)
    program.begin()
    uri = "knowledge://sources/" + "é" * 100_000

    answer = program.send("resources/read", {"uri": uri})

    assert answer.json()["error"]["data"] == {"uri": uri[:500]}


def test_one_spelling_names_a_source(program: Program, lighthouse: Source):
    assert lighthouse.pk != uuid.UUID(int=0)
    for spelled in (lighthouse.pk.hex, f"{{{lighthouse.pk}}}", f"urn:uuid:{lighthouse.pk}"):
        answer = program.send("resources/read", {"uri": f"knowledge://sources/{spelled}"})
        assert answer.status_code == 400


def test_a_deleted_source_is_no_resource(tenant: Tenant, program: Program, lighthouse: Source):
    delete_source(tenant, lighthouse.pk)

    assert program.result("resources/list")["resources"] == []
    answer = program.send("resources/read", {"uri": f"knowledge://sources/{lighthouse.pk}"})
    assert answer.status_code == 400
