"""Pages of what could not be answered, and of the company's own answers."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Role, Tenant
from agents.tests.factories import make_agent
from dashboard.tests.factories import pages_of
from query.models import Message, Outcome, QuestionGroup
from query.tests.factories import make_conversation, make_group, make_message
from reasons import as_reason
from sources.models import ENTRY_QUESTION_MAX_CHARS, Entry, Source
from sources.services.entries import find_entries_source
from sources.tests.conftest import stored_files  # noqa: F401 - a fixture
from sources.tests.factories import make_entry

pytestmark = pytest.mark.usefixtures("stored_files")

URL = "/dashboard/unanswered"
ENTRIES = f"{URL}/entries"
POISON = '<script>alert("x")</script>'
ANSWER = {"question": "Do you rent boats?", "answer": "Yes, by the hour."}


def make_asked(tenant: Tenant, *questions: str, **over: Any) -> QuestionGroup:
    conversation = make_conversation(make_agent(tenant, store_transcripts=True))
    asked = [
        make_message(conversation, question=text, outcome=Outcome.REDIRECTED)
        for text in questions or ("Do you rent boats?",)
    ]
    return make_group(tenant, *asked, **over)


# --- Groups ---------------------------------------------------------------------------------------


def test_what_was_asked_most_often_comes_first(pages: Client, tenant: Tenant) -> None:
    make_asked(tenant, "Are dogs allowed?")
    make_asked(tenant, "Do you rent boats?", "Boats for rent?")

    lines = pages.get(URL).context["lines"]

    assert [(title, group.asked_count) for group, title in lines] == [
        ("Do you rent boats?", 2),
        ("Are dogs allowed?", 1),
    ]


@pytest.mark.parametrize(
    ("state", "shown"),
    [("", "Open one?"), ("x", "Open one?"), ("answered", "Answered?"), ("dismissed", "Aside?")],
)
def test_each_state_has_its_list(pages: Client, tenant: Tenant, state: str, shown: str) -> None:
    make_asked(tenant, "Open one?")
    make_asked(tenant, "Answered?", entry=make_entry(tenant))
    make_asked(tenant, "Aside?", dismissed_at="2026-01-01T00:00:00Z")

    lines = pages.get(URL, {"state": state}).context["lines"]

    assert [title for _, title in lines] == [shown]


def test_a_company_that_keeps_nothing_is_told_how_to(pages: Client, tenant: Tenant) -> None:
    assert "turn on “Keep conversations”".encode() in pages.get(URL).content
    make_agent(tenant, store_transcripts=True)
    assert b"No unanswered questions" in pages.get(URL).content


def test_a_group_shows_its_questions_and_a_form_with_the_clearest(
    pages: Client, tenant: Tenant
) -> None:
    group = make_asked(tenant, "boats", "Do you rent boats by the hour?")
    rows = Message.objects.for_tenant(tenant)
    rows.filter(question__contains="hour").update(clarity=9)

    answer = pages.get(f"{URL}/{group.pk}")

    assert answer.context["form"].initial == {"question": "Do you rent boats by the hour?"}
    page = answer.content.decode()
    assert all(text in page for text in ("Asked 2 times", "7 euros.", "Not answered"))


def test_a_question_that_is_too_long_for_the_form_is_cut(pages: Client, tenant: Tenant) -> None:
    group = make_asked(tenant, "why " * 200)

    form = pages.get(f"{URL}/{group.pk}").context["form"]

    assert len(form.initial["question"]) == ENTRY_QUESTION_MAX_CHARS


def test_a_group_is_answered_there_and_then(pages: Client, tenant: Tenant) -> None:
    group = make_asked(tenant)

    answer = pages.post(f"{URL}/{group.pk}", ANSWER)

    assert (answer.status_code, answer["Location"]) == (302, f"{URL}/{group.pk}")
    entry = Entry.objects.for_tenant(tenant).get()
    assert (entry.question, entry.answer) == (ANSWER["question"], ANSWER["answer"])
    group.refresh_from_db()
    assert group.entry == entry
    page = pages.get(f"{URL}/{group.pk}").content.decode()
    assert "Yes, by the hour." in page
    assert 'hx-get="/dashboard/unanswered/entries/state"' in page
    assert f'href="{ENTRIES}/{entry.pk}"' in page


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(
    pages: Client, tenant: Tenant
) -> None:
    group = make_asked(tenant)

    empty = pages.post(f"{URL}/{group.pk}", {"question": "Boats?", "answer": ""})
    make_entry(tenant, question="boats?")
    same = pages.post(f"{URL}/{group.pk}", {"question": "Boats?", "answer": "Typed by hand"})

    assert (empty.status_code, same.status_code) == (400, 400)
    assert list(empty.context["form"].errors) == ["answer"]
    assert b"already has an answer" in same.content
    assert b"Typed by hand" in same.content
    assert Entry.objects.for_tenant(tenant).count() == 1


def test_a_member_reads_and_sets_aside_and_does_not_answer(tenant: Tenant) -> None:
    group = make_asked(tenant)
    pages = pages_of(tenant, role=Role.MEMBER)

    page = pages.get(f"{URL}/{group.pk}")
    refused = pages.post(f"{URL}/{group.pk}", ANSWER)
    pages.post(f"{URL}/{group.pk}/dismiss")

    assert b"An admin can write the answer" in page.content
    assert b"<textarea" not in page.content
    assert refused.status_code == 403
    assert Entry.objects.for_tenant(tenant).count() == 0
    group.refresh_from_db()
    assert group.is_dismissed


def test_setting_aside_can_be_taken_back(pages: Client, tenant: Tenant) -> None:
    group = make_asked(tenant)

    pages.post(f"{URL}/{group.pk}/dismiss")
    assert pages.get(URL).context["lines"] == []
    assert b"Reopen" in pages.get(f"{URL}/{group.pk}").content
    pages.post(f"{URL}/{group.pk}/reopen")

    assert len(pages.get(URL).context["lines"]) == 1


# --- Entries --------------------------------------------------------------------------------------


def test_entries_are_added_changed_and_deleted(pages: Client, tenant: Tenant) -> None:
    pages.post(f"{ENTRIES}/add", ANSWER)
    entry = Entry.objects.for_tenant(tenant).get()
    assert b"Yes, by the hour." in pages.get(ENTRIES).content

    pages.post(f"{ENTRIES}/{entry.pk}", {**ANSWER, "answer": "Yes, by the day."})
    assert b"Yes, by the day." in pages.get(ENTRIES).content

    answer = pages.post(f"{ENTRIES}/{entry.pk}/delete", {"word": " delete "})
    assert answer["Location"] == ENTRIES
    assert Entry.objects.for_tenant(tenant).count() == 0
    assert find_entries_source(tenant) is None


@pytest.mark.parametrize("word", ["", "remove"])
def test_without_the_word_nothing_is_deleted(pages: Client, tenant: Tenant, word: str) -> None:
    entry = make_entry(tenant)

    answer = pages.post(f"{ENTRIES}/{entry.pk}/delete", {"word": word})

    assert answer["Location"] == f"{ENTRIES}/{entry.pk}"
    assert list(Entry.objects.for_tenant(tenant)) == [entry]


@pytest.mark.parametrize("path", ["add", "one"])
def test_an_entry_that_is_wrong_keeps_what_was_typed(
    pages: Client, tenant: Tenant, path: str
) -> None:
    entry = make_entry(tenant)
    url = f"{ENTRIES}/{entry.pk if path == 'one' else path}"

    answer = pages.post(url, {"question": "", "answer": "Typed by hand"})

    assert answer.status_code == 400
    assert list(answer.context["form"].errors) == ["question"]
    assert b"Typed by hand" in answer.content


@pytest.mark.parametrize(
    ("status", "words", "asks_again"),
    [
        ("syncing", b"Being read", True),
        ("synced", b"In use", False),
        ("error", b"The file is damaged.", False),
    ],
)
def test_how_far_their_source_is_tells_itself(
    pages: Client, tenant: Tenant, status: str, words: bytes, asks_again: bool
) -> None:
    pages.post(f"{ENTRIES}/add", ANSWER)
    Source.objects.for_tenant(tenant).update(
        sync_status=status, error=as_reason("The file is damaged.")
    )

    part = pages.get(f"{ENTRIES}/state", headers={"HX-Request": "true"}).content

    assert words in part
    assert (b"every 3s" in part) == asks_again


def test_entries_whose_source_was_deleted_say_so(pages: Client, tenant: Tenant) -> None:
    make_entry(tenant)

    assert b"Save any of them" in pages.get(ENTRIES).content


def test_stored_text_does_not_run(pages: Client, tenant: Tenant) -> None:
    entry = make_entry(tenant, question=POISON, answer=POISON, created_by="a@a.es")
    asked, answered = make_asked(tenant, POISON), make_asked(tenant, POISON, entry=entry)

    for url in (URL, f"{URL}/{asked.pk}", f"{URL}/{answered.pk}", ENTRIES, f"{ENTRIES}/{entry.pk}"):
        page = pages.get(url).content.decode()
        assert "<script>alert" not in page
        assert "&lt;script&gt;" in page


def test_more_groups_and_entries_cost_no_more_queries(
    pages: Client, tenant: Tenant, django_assert_num_queries
) -> None:
    group = make_asked(tenant, *map(str, range(2)))
    pages.get(URL)  # which notes the visit
    for count in (1, 20):
        for _ in range(count):
            make_asked(tenant)
            make_entry(tenant)
            make_message(make_conversation(make_agent(tenant)), group=group)
        with django_assert_num_queries(4):
            pages.get(URL)
        with django_assert_num_queries(4):
            pages.get(f"{URL}/{group.pk}")
        with django_assert_num_queries(3):
            pages.get(ENTRIES)
