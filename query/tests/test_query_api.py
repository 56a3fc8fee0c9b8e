"""POST /agent/query and /agents/{id}/query, rule by rule. Errors are in the legacy format."""

from datetime import datetime

import pytest

from query.tests.factories import LIGHTHOUSE, index_texts, judging_by

PATH = "/agent/query"
QUESTION = {"query": "How much does a guided visit cost?"}


def test_an_answer_has_the_fields_of_the_specification(tenant, admin_api):
    index_texts(tenant, *LIGHTHOUSE, name="lighthouse.txt", section_title="Visits")
    response = admin_api.post(PATH, QUESTION, format="json")
    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"answer", "sources", "model", "confidence"}
    assert "7 euros" in body["answer"]
    assert body["model"] == "extractive"
    first = body["sources"][0]
    assert set(first) == {"source_file", "page_or_row", "section_title", "synced_at", "similarity"}
    assert first["source_file"] == "lighthouse.txt"
    assert first["page_or_row"] == "paragraph 2"
    assert first["section_title"] == "Visits"
    assert 0 < first["similarity"] <= 1
    assert first["synced_at"].endswith("Z")
    assert datetime.fromisoformat(first["synced_at"]).tzinfo is not None


def test_nothing_relevant_is_an_empty_array(tenant, admin_api):
    index_texts(tenant, *LIGHTHOUSE)
    body = admin_api.post(PATH, {"query": "Who painted the Mona Lisa?"}, format="json").json()
    assert body["sources"] == []
    assert body["answer"]


@pytest.mark.parametrize(
    ("weights", "confidence", "begins"),
    [
        ({"relevance": {"bias": 3.0}, "certainty": {"bias": 3.0}}, "answered", ""),
        (
            {"relevance": {"bias": 3.0}, "certainty": {"bias": -3.0}},
            "unsure",
            "I did not find an exact answer",
        ),
        ({"relevance": {"bias": -3.0}}, "none", "I have no information"),
    ],
)
def test_it_says_how_far_it_may_be_relied_on(tenant, admin_api, weights, confidence, begins):
    index_texts(tenant, *LIGHTHOUSE)
    with judging_by(**weights):
        body = admin_api.post(PATH, QUESTION, format="json").json()
    assert body["confidence"] == confidence
    assert body["answer"].startswith(begins)
    assert bool(body["sources"]) == (confidence != "none")


def test_a_second_tenant_never_gets_the_firsts_passages(tenant, admin_api, other_api):
    index_texts(tenant, *LIGHTHOUSE)
    assert admin_api.post(PATH, QUESTION, format="json").json()["sources"] != []
    assert other_api.post(PATH, QUESTION, format="json").json()["sources"] == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"query": None},
        {"query": ""},
        {"query": "   "},
        {"query": 7},
        {"query": ["a"]},
        {"query": "a" * 1001},
        {"query": "a\0b"},
        {**QUESTION, "agent_id": 7},
        {**QUESTION, "session_id": 7},
        {**QUESTION, "session_id": "s" * 201},
        [],
        "text",
    ],
    ids=str,
)
def test_a_body_that_is_wrong_gives_400_in_the_legacy_format(admin_api, body):
    response = admin_api.post(PATH, body, format="json")
    assert response.status_code == 400
    assert set(response.json()) == {"error"}
    assert isinstance(response.json()["error"], str)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded"])
def test_another_content_type_gives_400(admin_api, content_type):
    response = admin_api.generic("POST", PATH, '{"query": "x"}', content_type=content_type)
    assert response.status_code == 400
    assert isinstance(response.json()["error"], str)


def test_text_that_is_no_json_gives_400(admin_api):
    response = admin_api.generic("POST", PATH, "{", content_type="application/json")
    assert response.status_code == 400
    assert isinstance(response.json()["error"], str)


def test_exactly_1000_characters_are_allowed(admin_api):
    assert admin_api.post(PATH, {"query": "a" * 1000}, format="json").status_code == 200


def test_null_and_unknown_fields_are_ignored(admin_api):
    body = {**QUESTION, "agent_id": None, "session_id": None, "temperature": 2}
    assert admin_api.post(PATH, body, format="json").status_code == 200


@pytest.mark.parametrize("agent_id", ["", "  "])
def test_an_empty_agent_id_is_the_default_configuration(tenant, admin_api, agent_id):
    index_texts(tenant, *LIGHTHOUSE)

    body = admin_api.post(PATH, {**QUESTION, "agent_id": agent_id}, format="json").json()

    assert body == admin_api.post(PATH, QUESTION, format="json").json()


def test_another_method_gives_405_in_the_legacy_format(admin_api):
    response = admin_api.get(PATH)
    assert response.status_code == 405
    assert isinstance(response.json()["error"], str)
