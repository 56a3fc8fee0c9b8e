"""Pages of conversations."""

import pytest
from django.test import Client

from accounts.models import Tenant
from agents.tests.factories import make_agent
from query.models import Outcome
from query.tests.factories import make_conversation, make_group, make_lead, make_message

URL = "/dashboard/conversations"
POISON = '<script>alert("x")</script>'


def test_a_company_that_keeps_nothing_is_told_how_to(pages: Client, tenant: Tenant) -> None:
    make_agent(tenant)

    page = pages.get(URL).content.decode()

    assert "No agent keeps conversations" in page
    assert 'href="/dashboard/agents"' in page


def test_a_company_that_keeps_them_and_has_none_is_told_so(pages: Client, tenant: Tenant) -> None:
    make_agent(tenant, store_transcripts=True)

    assert b"No conversations yet" in pages.get(URL).content


def test_what_was_kept_can_be_read_also_when_nothing_is_kept_any_more(
    pages: Client, tenant: Tenant
) -> None:
    conversation = make_conversation(make_agent(tenant, name="Sales"), channel="web")
    make_message(conversation, question="How much is a visit?", outcome=Outcome.UNSURE)

    page = pages.get(URL).content.decode()

    assert f'href="/dashboard/conversations/{conversation.pk}"' in page
    assert all(text in page for text in ("How much is a visit?", "Sales", "Website chat", "Unsure"))


def test_a_conversation_shows_what_was_said_with_sources_and_outcome(
    pages: Client, tenant: Tenant
) -> None:
    agent = make_agent(tenant)
    conversation = make_conversation(agent)
    shown = {"source_file": "prices.pdf", "page_or_row": "page 3"}
    message = make_message(conversation, outcome=Outcome.REDIRECTED, sources=[shown])
    group, lead = make_group(tenant, message), make_lead(agent)

    page = pages.get(f"{URL}/{conversation.pk}").content.decode()

    for text in ("How much is a visit?", "7 euros.", "Not answered", "prices.pdf · page 3"):
        assert text in page
    assert f'href="/dashboard/unanswered/{group.pk}"' in page
    assert f'href="/dashboard/leads/{lead.pk}"' in page


def test_a_long_conversation_is_read_from_its_end(pages: Client, tenant: Tenant) -> None:
    conversation = make_conversation(make_agent(tenant))
    for number in range(101):
        make_message(conversation, question=f"Question {number:03}")

    first = pages.get(f"{URL}/{conversation.pk}")
    place = {"before": first.context["page"].older}
    older = pages.get(f"{URL}/{conversation.pk}", place)

    assert b"Question 100" in first.content
    assert b"Question 000" not in first.content
    assert [message.question for message in older.context["messages_said"]] == ["Question 000"]


def test_pages_of_the_list_follow_each_other(pages: Client, tenant: Tenant) -> None:
    agent = make_agent(tenant)
    made = [make_conversation(agent, session_id=str(number)) for number in range(51)]

    first = pages.get(f"{URL}?channel=api")
    second = pages.get(URL, {"channel": "api", "before": first.context["page"].older})

    assert [*first.context["page"].rows, *second.context["page"].rows] == made[::-1]
    assert b"Older" in first.content
    assert (b"Older" in second.content, b"Newest" in second.content) == (False, True)


@pytest.mark.parametrize("before", ["x", "2026-01-01T00:00:00Z~x", "2026-01-01~1", "~", "\0~\0"])
def test_what_is_no_place_in_the_list_is_its_beginning(
    pages: Client, tenant: Tenant, before: str
) -> None:
    make_conversation(make_agent(tenant))

    answer = pages.get(URL, {"before": before})

    assert (answer.status_code, len(answer.context["page"].rows)) == (200, 1)


def test_a_search_keeps_what_was_typed_and_says_when_nothing_is_found(
    pages: Client, tenant: Tenant
) -> None:
    make_message(make_conversation(make_agent(tenant)))

    found = pages.get(URL, {"words": "visit"})
    nothing = pages.get(URL, {"words": "lighthouse"})

    assert len(found.context["lines"]) == 1
    assert b"Nothing found" in nothing.content
    assert b'value="lighthouse"' in nothing.content


@pytest.mark.parametrize(
    ("name", "value"), [("outcome", "x"), ("agent", "x"), ("words", "x" * 201)]
)
def test_a_wrong_filter_is_told_at_its_field(pages: Client, name: str, value: str) -> None:
    assert pages.get(URL, {name: value}).status_code == 400


def test_stored_text_does_not_run(pages: Client, tenant: Tenant) -> None:
    conversation = make_conversation(make_agent(tenant, name=POISON), channel=POISON[:20])
    make_message(
        conversation,
        question=POISON,
        answer=POISON,
        sources=[{"source_file": POISON, "page_or_row": POISON}],
    )

    for url in (URL, f"{URL}/{conversation.pk}"):
        page = pages.get(url).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page


def test_more_conversations_cost_no_more_queries(
    pages: Client, tenant: Tenant, django_assert_num_queries
) -> None:
    pages.get(URL)  # which notes the visit
    for count in (2, 18):
        for number in range(count):
            make_message(make_conversation(make_agent(tenant), session_id=str(number)))
        with django_assert_num_queries(5):
            assert b"How much" in pages.get(URL).content
