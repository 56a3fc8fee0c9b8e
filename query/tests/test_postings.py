"""A large source's chunks by term: made afterwards, of what is there, and only as long as it is."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from config.database.acting import as_migrations
from language.message import read_message
from query.search import retrieval
from query.search.retrieval import find_candidates, read_question
from query.tests.factories import index_texts
from sources.indexing import postings
from sources.indexing.postings import post_chunks
from sources.models import Chunk, ChunkEmbedding, ChunkTerms, Source, TermPostings
from sources.services.editing import delete_source
from sources.syncing import dispatch

LARGE = 20  # chunks of a large source, here
TEXTS = [f"Boat {number} of the harbour is painted blue." for number in range(LARGE)]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(postings, "POSTED_AT_LEAST", 5)
    monkeypatch.setattr(postings, "CHUNKS_AT_ONCE", 8)


def posted_weights(source):
    """By chunk, of each of its terms."""
    found: dict[int, dict[int, float]] = {}
    for row in TermPostings.objects.for_tenant(source.tenant).filter(source=source):
        for posting in row.postings:
            found.setdefault(posting >> 22, {})[row.term] = (posting & (1 << 22) - 1) / 1e6
    return found


def stored_weights(source):
    return {
        row.chunk_id: {
            index + 1: pytest.approx(value, abs=1e-6)
            for index, value in zip(row.weights.indices(), row.weights.values(), strict=True)
        }
        for row in ChunkTerms.objects.for_tenant(source.tenant).filter(source=source)
    }


def test_each_chunk_is_posted_with_all_its_weights(tenant):
    source = index_texts(tenant, *TEXTS)
    assert post_chunks(tenant, source.pk, seconds=60)
    source.refresh_from_db()
    # Twenty are two batches of eight; four are too few for one.
    ids = sorted(Chunk.objects.for_tenant(tenant).values_list("pk", flat=True))
    stored = stored_weights(source)
    assert posted_weights(source) == {pk: stored[pk] for pk in ids[:16]}
    assert (source.posted_through, source.posted_count, source.ghosts_count) == (ids[15], 16, 0)


def test_posting_again_changes_nothing(tenant):
    source = index_texts(tenant, *TEXTS)
    post_chunks(tenant, source.pk, seconds=60)
    before = posted_weights(source)
    post_chunks(tenant, source.pk, seconds=60)
    assert posted_weights(source) == before


def test_a_small_source_is_not_posted(tenant):
    source = index_texts(tenant, *TEXTS[:4])
    assert post_chunks(tenant, source.pk, seconds=60)
    assert not TermPostings.objects.for_tenant(tenant).exists()


def test_what_is_deleted_of_a_source_is_counted_and_then_posted_anew(tenant):
    source = index_texts(tenant, *TEXTS)
    post_chunks(tenant, source.pk, seconds=60)
    source.refresh_from_db()
    with transaction.atomic():
        postings.forget_posted(source, [source.posted_through, source.posted_through + 1])
    assert (source.posted_count, source.ghosts_count) == (15, 1)
    source.ghosts_count = 7  # more than five and a tenth of what is posted
    source.save()
    post_chunks(tenant, source.pk, seconds=60)
    source.refresh_from_db()
    assert (source.posted_count, source.ghosts_count) == (16, 0)


def test_a_deleted_source_has_no_postings(tenant):
    source = index_texts(tenant, *TEXTS)
    post_chunks(tenant, source.pk, seconds=60)
    delete_source(tenant, source.pk)
    assert not TermPostings.objects.for_tenant(tenant).exists()


def test_beat_posts_what_earlier_versions_indexed(tenant, monkeypatch):
    monkeypatch.setattr(dispatch, "POSTED_AT_LEAST", 5)
    source = index_texts(tenant, *TEXTS)
    Source.objects.for_tenant(tenant).update(last_synced_at=timezone.now() - timedelta(hours=1))
    dispatch.clear_leftovers()
    source.refresh_from_db()
    assert source.posted_count == 16


# --- The search -----------------------------------------------------------------------------------

QUESTIONS = (
    "Which boat is number 7?",
    "What colour is the harbour painted?",
    "Who sells blue fish?",
    "xyzzy",
)


def found(tenant, **scope):
    """All that the search tells of each question, to be compared."""
    return [
        [
            (chunk.chunk_id, chunk.similarity, chunk.lexical, chunk.score, chunk.mean)
            for chunk in find_candidates(tenant, read_question(read_message(text)), **scope)[1]
        ]
        for text in QUESTIONS
    ]


@pytest.fixture
def few_candidates(monkeypatch):
    """So that which are the best of the lexical search decides what is found."""
    monkeypatch.setattr(retrieval, "CANDIDATES_PER_SEARCH", 3)


def index_companies(tenant):
    large = index_texts(tenant, *TEXTS, name="boats.txt")
    small = index_texts(tenant, "Blue fish is sold at boat 7.", "The bar is open.", name="fish.txt")
    return large, small


def test_the_same_is_found_of_what_is_posted_as_of_what_is_not(tenant, few_candidates):
    large, small = index_companies(tenant)
    scopes: tuple[dict[str, Any], ...] = (
        {},
        {"source_ids": [large.pk]},
        {"source_ids": [small.pk]},
        {"source_ids": []},
    )
    before = [found(tenant, **scope) for scope in scopes]
    post_chunks(tenant, large.pk, seconds=60)
    assert TermPostings.objects.for_tenant(tenant).exists()
    assert [found(tenant, **scope) for scope in scopes] == before


def test_postings_are_what_is_read_of_posted_chunks(tenant, few_candidates):
    """Else the test before could not fail."""
    large, _ = index_companies(tenant)
    post_chunks(tenant, large.pk, seconds=60)
    before = found(tenant)
    TermPostings.objects.for_tenant(tenant).delete()
    assert found(tenant) != before


def test_chunks_that_do_not_answer_are_passed_over(tenant, few_candidates):
    large, _ = index_companies(tenant)
    post_chunks(tenant, large.pk, seconds=60)
    [(best, *_), *_], *_ = found(tenant)
    chunk = ChunkTerms.objects.for_tenant(tenant).filter(chunk_id=best)
    assert chunk.update(removed_in=large.generation) == 1
    hidden = ChunkEmbedding.objects.for_tenant(tenant).filter(chunk_id=best)
    hidden.update(removed_in=large.generation)
    without = found(tenant)
    assert best not in {row[0] for row in without[0]}
    Source.objects.for_tenant(tenant).update(posted_through=0)  # all are scanned
    TermPostings.objects.for_tenant(tenant).delete()
    assert found(tenant) == without


def test_another_tenants_postings_are_not_read(tenant, other_tenant):
    foreign = index_texts(other_tenant, *TEXTS)
    post_chunks(other_tenant, foreign.pk, seconds=60)
    assert found(tenant) == [[], [], [], []]
    assert found(tenant, source_ids=[foreign.pk]) == [[], [], [], []]


# --- The plan -------------------------------------------------------------------------------------

BIG_TABLES = {
    "sources_chunkembedding",
    "sources_chunkterms",
    "sources_chunkreading",
    "sources_termpostings",
    "sources_vectorsigns",
}
PARAMETERS = {
    "of_tenant": "uuid",
    "in_sources": "uuid[]",
    "in_space": "smallint",
    "asked": "halfvec",
    "asked_terms": "integer[]",
    "most": "integer",
    "most_kept": "integer",
    "exact_up_to": "integer",
    "asked_signs": "bit varying[]",
}


def plan_of_the_search(tenant):
    """The plan that the function keeps, with the settings that it brings."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT prosrc, proconfig FROM pg_proc WHERE proname = %s", [retrieval.FUNCTION.name]
        )
        body, given = cursor.fetchone()
        _, _, statement = body.partition("RETURN QUERY")
        statement, _, _ = statement.rpartition(";\nEND")
        for number, name in enumerate(PARAMETERS, start=1):
            statement = re.sub(rf"\b{name}\b", f"${number}", statement)
        for setting in given:
            cursor.execute("SELECT set_config(%s, %s, true)", setting.split("="))
        cursor.execute(f"PREPARE search ({', '.join(PARAMETERS.values())}) AS {statement}")
        values = "%s, NULL, 1::smallint, %s, '{1,2}', 30, 9, 4000, '{1,1,1}'"
        zeros = "[" + ",".join(["0"] * 384) + "]"
        cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE search ({values})", [tenant.pk, zeros])
        ((plan,),) = cursor.fetchall()
        cursor.execute("DEALLOCATE search")
    return (json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]


def nodes_of(plan):
    yield plan
    for part in plan.get("Plans", ()):
        yield from nodes_of(part)


def conditions_of_big_tables(plan):
    """By table: what its rows are looked up by, each time that it is read."""
    found: dict[str, list[str]] = {}
    for node in nodes_of(plan):
        table = node.get("Relation Name")
        if table in BIG_TABLES:
            inner = [node, *node.get("Plans", ())]
            found.setdefault(table, []).append(
                next((part["Index Cond"] for part in inner if "Index Cond" in part), "all")
            )
    return found


@pytest.mark.parametrize("is_analyzed", [False, True], ids=["just written", "with statistics"])
def test_every_read_of_a_big_table_goes_through_tenant_and_source(tenant, is_analyzed):
    """Also for a single tenant of few rows, where reading all of them would seem to cost less: the
    plan is kept while the tables grow."""
    source, _ = index_companies(tenant)
    post_chunks(tenant, source.pk, seconds=60)
    if is_analyzed:
        with as_migrations(), connection.cursor() as cursor:
            cursor.execute(f"ANALYZE {', '.join(sorted(BIG_TABLES))}, sources_source")
    conditions = conditions_of_big_tables(plan_of_the_search(tenant))
    assert conditions.keys() == BIG_TABLES
    for table, lookups in conditions.items():
        for condition in lookups:
            assert "tenant_id = $1" in condition, table
            assert "source_id = " in condition, table
