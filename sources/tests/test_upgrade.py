"""What a running product brings with it from an older version.

Going back and forth takes long: it is done once, for all cases. A case makes its rows, and goes on
after its `yield` in the upgraded database.
"""

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from accounts.models import Tenant
from accounts.tests.factories import make_tenant
from config.tests.isolation.matrix import undone
from sources.indexing.generations import mark_removed, stage_documents
from sources.indexing.index import embed_documents
from sources.language.terms import term_number
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Document,
    Lane,
    Source,
    SourceTerm,
)
from sources.syncing.lanes import claim_next_run
from sources.tests.conftest import FakeEmbedder
from sources.tests.factories import make_event, make_source
from sources.tests.indexing import replace_documents
from sources.tests.migrating import migrate_back, upgrade
from sources.tests.test_index import read_document

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

Case = Callable[[Tenant, Tenant], Iterator[None]]

BEFORE = "0008_languages_of_vectors"


# --- What answers (migration 0009) ----------------------------------------------------------------


def index(source: Source, *texts: str) -> None:
    documents = [read_document(text, name=text) for text in texts]
    embedded = embed_documents(source.tenant, source.pk, documents)
    replace_documents(source.tenant, source.pk, embedded)


def answering(tenant: Tenant) -> list[str]:
    chunks = Chunk.objects.for_tenant(tenant).live()
    return sorted(chunks.values_list("text", flat=True))


def searched(tenant: Tenant) -> list[int]:
    tables = (Chunk, ChunkEmbedding, ChunkReading, ChunkTerms, Document)
    return [table.objects.for_tenant(tenant).count() for table in tables]


def count_of(tenant: Tenant, word: str) -> int:
    rows = SourceTerm.objects.for_tenant(tenant).filter(term=term_number(f"={word}"))
    return sum(rows.values_list("chunks_count", flat=True))


def what_answered_goes_on_answering(tenant: Tenant, other_tenant: Tenant) -> Iterator[None]:
    source, theirs = make_source(tenant), make_source(other_tenant)
    index(source, "Boats sail.", "Ships sink.")
    index(theirs, "Trains run.")

    yield

    assert (answering(tenant), answering(other_tenant)) == (
        ["Boats sail.", "Ships sink."],
        ["Trains run."],
    )
    assert count_of(tenant, "boats") == 1
    source.refresh_from_db()
    assert (source.generation, source.cleared_generation) == (0, 0)
    index(source, "Boats sail.", "Planes fly.")
    assert answering(tenant) == ["Boats sail.", "Planes fly."]
    assert (count_of(tenant, "boats"), count_of(tenant, "ships")) == (1, 0)


def backwards_only_what_answers_is_kept(tenant: Tenant, _: Tenant) -> Iterator[None]:
    source = make_source(tenant)
    index(source, "Boats sail.", "Ships sink.")
    source.refresh_from_db()
    ships = Document.objects.for_tenant(tenant).get(external_id="Ships sink.")
    staged = embed_documents(tenant, source.pk, [read_document("Boats fly.", name="Boats sail.")])
    with transaction.atomic():
        stage_documents(source, [(0, staged[0])])
        mark_removed(source, [ships.pk])

    yield

    assert answering(tenant) == ["Boats sail.", "Ships sink."]
    assert searched(tenant) == [2] * 5
    assert (count_of(tenant, "boats"), count_of(tenant, "ships"), count_of(tenant, "fly")) == (
        1,
        1,
        0,
    )


# --- What waits, and what failed (migration 0010) -------------------------------------------------


def a_source_in_error_gets_the_code_of_its_last_failure(
    tenant: Tenant, other_tenant: Tenant
) -> Iterator[None]:
    failed = make_source(tenant, sync_status="error", error_message="No text.")
    for code in ("SYNC_FAILED", "FILE_PROCESSING_FAILED"):
        make_event(failed, action="sync_failed", details={"code": code})
    make_event(failed, action="source_renamed")
    account = make_source(other_tenant, sync_status="reauth_required")
    make_event(account, action="reauth_required", details={"code": "REAUTH_REQUIRED"})
    unknown = make_source(tenant, sync_status="error")
    well = make_source(tenant)
    make_event(well, action="sync_failed", details={"code": "SYNC_FAILED"})

    yield

    sources = (failed, account, unknown, well)
    codes = [Source.all_tenants.get(pk=source.pk).error_code for source in sources]
    assert codes == ["FILE_PROCESSING_FAILED", "REAUTH_REQUIRED", "", ""]


def a_run_that_waited_for_its_task_waits_in_the_background(
    tenant: Tenant, _: Tenant
) -> Iterator[None]:
    source = make_source(
        tenant,
        sync_status="syncing",
        sync_run_id=uuid.uuid4(),
        sync_started_at=timezone.now(),
        sync_lease_until=timezone.now() + timedelta(minutes=5),  # as it had in its queue
    )

    yield

    claimed = claim_next_run(Lane.BACKGROUND)
    assert claimed is not None
    assert claimed.pk == source.pk


# --- The upgrade ----------------------------------------------------------------------------------

CASES: list[Case] = [
    what_answered_goes_on_answering,
    backwards_only_what_answers_is_kept,
    a_source_in_error_gets_the_code_of_its_last_failure,
    a_run_that_waited_for_its_task_waits_in_the_background,
]


@pytest.fixture(scope="module")
def upgraded(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[Case, Iterator[None]]]:
    """All cases, to go on. In a transaction that ends with the module."""
    with (
        pytest.MonkeyPatch.context() as patch,
        django_db_blocker.unblock(),
        undone(),
    ):
        patch.setattr("sources.indexing.index.get_embedder", FakeEmbedder)
        cases = {case: case(make_tenant(), make_tenant()) for case in CASES}
        for case in cases.values():
            next(case)
        migrate_back(BEFORE)
        upgrade()
        yield cases


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_after_the_upgrade(case: Case, upgraded: dict[Case, Iterator[None]]):
    with undone(), pytest.raises(StopIteration):
        next(upgraded[case])
