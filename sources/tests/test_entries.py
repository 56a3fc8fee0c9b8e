"""Questions and answers that a company's people write: one source, always whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from accounts.models import Tenant
from accounts.tests.factories import make_tenant
from config.errors import Conflict, InvalidValue, NotFound, PlanLimitReached
from reading.cutting import chunk_document
from sources.documents import extract_document, read_request
from sources.models import Chunk, Entry, Lane, Source, SyncEvent, SyncStatus
from sources.originals.files import fetch_original
from sources.services import entries as module
from sources.services.editing import delete_source
from sources.services.entries import (
    add_entry,
    change_entry,
    delete_entry,
    find_entries_source,
    get_entry,
    list_entries,
)
from sources.syncing.sync import sync_to_end
from sources.tests.conftest import files_below
from sources.tests.factories import make_entry, make_source

BY = "ana@acme.example"


def add(
    tenant: Tenant, question: str = "Do you rent boats?", answer: str = "By the hour."
) -> Entry:
    return add_entry(tenant, question=question, answer=answer, by=BY)[0]


def source_of(tenant: Tenant) -> Source:
    source = find_entries_source(tenant)
    assert source is not None
    return source


def read(tenant: Tenant) -> list[str]:
    """The passages that answer after a worker has read them."""
    source = source_of(tenant)
    assert source.sync_run_id is not None
    sync_to_end(tenant, source.pk, run_id=source.sync_run_id)
    source.refresh_from_db()
    assert source.sync_status == SyncStatus.SYNCED, source.error_message
    live = Chunk.objects.for_tenant(tenant).filter(document__in=source.documents.all())
    return [chunk.text for chunk in live.order_by("position") if is_live(chunk, source)]


def is_live(chunk: Chunk, source: Source) -> bool:
    document = chunk.document
    return document.generation <= source.generation < document.removed_in


def passages(tenant: Tenant, folder: Path) -> list[tuple[str, str]]:
    """(section title, text) of each."""
    original = fetch_original(source_of(tenant), folder)
    document = extract_document(
        original.path, read_request(content_type="text/markdown", title="a.md")
    )
    return [(passage.section_title, passage.text) for passage in chunk_document(document)]


def test_an_entry_is_a_source_that_is_being_read(tenant: Tenant) -> None:
    entry, source = add_entry(tenant, question=" Do you  rent\nboats? ", answer="Yes.", by=BY)

    assert (entry.question, entry.answer, entry.created_by) == ("Do you rent boats?", "Yes.", BY)
    assert source == source_of(tenant)
    assert (source.name, source.original_name) == (
        "Preguntas y respuestas",
        "Preguntas y respuestas.md",
    )
    assert (source.source_type, source.sync_status, source.sync_lane) == (
        "file",
        SyncStatus.SYNCING,
        Lane.UPLOADS,
    )
    actions = SyncEvent.objects.for_tenant(tenant).filter(source=source).order_by("created_at")
    assert [event.action for event in actions] == ["source_created", "sync_started"]


def test_its_name_is_in_the_companys_language(db: None) -> None:
    add(english := make_tenant(language="en"))

    assert source_of(english).name == "Questions and answers"


def test_each_pair_is_a_passage_of_its_own(tenant: Tenant, tmp_path: Path) -> None:
    long_question = "Do you also rent boats " + "to people who have never sailed before " * 6 + "?"
    add(tenant)
    add(tenant, long_question, "Only with a skipper.\n\nAsk at the office.")

    assert passages(tenant, tmp_path) == [
        ("Do you rent boats?", "Do you rent boats?\nBy the hour."),
        (long_question, f"{long_question}\nOnly with a skipper.\nAsk at the office."),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Not a heading",
        "- one\n- two",
        "1. one\n2. two",
        "a_b_c and *d* and `e` and [f](http://g.example) and <b>h</b> &amp; ~~i~~ | j\\k",
        "Prices\n======\n---\n=1+1",
        "<script>alert(1)</script>",
        "    four blanks",
        "+34 600 111 222",
    ],
)
def test_an_answer_is_read_as_it_was_written(tenant: Tenant, tmp_path: Path, text: str) -> None:
    add(tenant, "What is it?", text)

    ((title, told),) = passages(tenant, tmp_path)

    assert title == "What is it?"
    assert told == f"What is it?\n{text.strip()}"


def test_more_entries_are_the_same_source_and_until_it_is_read_the_old_ones_answer(
    tenant: Tenant, stored_files: Path
) -> None:
    first = add(tenant)
    assert read(tenant) == ["Do you rent boats?\nBy the hour."]
    source = source_of(tenant)

    change_entry(tenant, first.pk, question="Do you rent boats?", answer="By the day.")
    assert source_of(tenant).chunks_count == 1
    add(tenant, "Is it far?", "No.")

    assert read(tenant) == ["Do you rent boats?\nBy the day.", "Is it far?\nNo."]
    assert source_of(tenant) == source


def test_the_text_before_goes_after_the_commit(
    tenant: Tenant, stored_files: Path, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        add(tenant)
        assert len(files_below(stored_files)) == 1
    with django_capture_on_commit_callbacks(execute=True):
        add(tenant, "Is it far?", "No.")
        assert len(files_below(stored_files)) == 2

    (kept,) = files_below(stored_files)
    assert kept == source_of(tenant).original_file.name


def test_a_run_that_reads_the_text_before_commits_nothing(tenant: Tenant) -> None:
    entry = add(tenant)
    stale = source_of(tenant).sync_run_id
    assert stale is not None
    change_entry(tenant, entry.pk, question=entry.question, answer="By the day.")

    sync_to_end(tenant, source_of(tenant).pk, run_id=stale)

    assert source_of(tenant).sync_status == SyncStatus.SYNCING
    assert read(tenant) == ["Do you rent boats?\nBy the day."]


def test_the_last_entry_takes_its_source_along(tenant: Tenant) -> None:
    first, second = add(tenant), add(tenant, "Is it far?", "No.")
    read(tenant)

    delete_entry(tenant, first.pk)
    assert read(tenant) == ["Is it far?\nNo."]
    delete_entry(tenant, second.pk)

    assert find_entries_source(tenant) is None
    assert Entry.objects.for_tenant(tenant).count() == 0


def test_a_source_that_somebody_deleted_is_made_again_with_all_entries(tenant: Tenant) -> None:
    add(tenant)
    read(tenant)
    delete_source(tenant, source_of(tenant).pk)

    add(tenant, "Is it far?", "No.")

    assert len(read(tenant)) == 2


@pytest.mark.parametrize(
    ("question", "answer"),
    [("", "Yes."), ("   ", "Yes."), ("?", "Yes."), ("Why?", ""), ("Why?", "\0x"), ("x" * 401, "y"),
     ("Why?", "y" * 4001)],
)  # fmt: skip
def test_what_is_no_question_or_no_answer_is_refused(
    tenant: Tenant, question: str, answer: str
) -> None:
    with pytest.raises(InvalidValue):
        add(tenant, question, answer)

    assert Entry.objects.for_tenant(tenant).count() == 0
    assert find_entries_source(tenant) is None


def test_a_question_has_one_answer(tenant: Tenant) -> None:
    first, other = add(tenant), add(tenant, "Is it far?", "No.")

    with pytest.raises(Conflict):
        add(tenant, "do you rent BOATS?", "No.")
    with pytest.raises(Conflict):
        change_entry(tenant, other.pk, question=first.question, answer="No.")

    assert change_entry(tenant, first.pk, question=first.question, answer="No.").answer == "No."


def test_there_is_an_end_to_them(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ENTRIES_MAX", 1)
    add(tenant)

    with pytest.raises(Conflict, match="at most 1"):
        add(tenant, "Is it far?", "No.")


def test_a_plan_without_a_place_for_their_source_keeps_no_entry(db: None) -> None:
    tenant = make_tenant(plan="free")
    for _ in range(25):
        make_source(tenant)

    with pytest.raises(PlanLimitReached):
        add(tenant)

    assert Entry.objects.for_tenant(tenant).count() == 0


def test_another_tenants_entry_is_not_there(tenant: Tenant, other_tenant: Tenant) -> None:
    entry = make_entry(other_tenant)

    with pytest.raises(NotFound):
        get_entry(tenant, entry.pk)
    with pytest.raises(NotFound):
        change_entry(tenant, entry.pk, question="Why?", answer="No.")
    with pytest.raises(NotFound):
        delete_entry(tenant, entry.pk)
    assert list(list_entries(other_tenant)) == [entry]
