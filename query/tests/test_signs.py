"""The signs of a large source's vectors: what the dense search of a large tenant looks through, so
that it compares few of them exactly."""

from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from language.message import read_message
from query.search import retrieval
from query.search.retrieval import find_candidates, read_question, sign_digits
from query.tests.factories import index_texts
from sources.indexing import postings
from sources.indexing.postings import post_chunks
from sources.models import ChunkEmbedding, ChunkTerms, Source, VectorSigns
from sources.syncing import dispatch

TEXTS = [
    *(f"Boat {number} of the harbour is painted blue." for number in range(18)),
    *(f"La barca {number} del puerto se pinta de azul cada año." for number in range(18)),
]
QUESTIONS = ("Which boat is number 7?", "¿De qué color se pinta la barca?", "Who sells fish?")


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(postings, "POSTED_AT_LEAST", 5)
    monkeypatch.setattr(postings, "CHUNKS_AT_ONCE", 16)


@pytest.fixture
def every_scope_is_large(monkeypatch):
    monkeypatch.setattr(retrieval, "EXACT_UP_TO", 0)


def signs_of(source):
    return VectorSigns.objects.for_tenant(source.tenant).filter(source=source)


def index_boats(tenant):
    """Two batches of sixteen are signed; of four chunks the vectors are compared."""
    source = index_texts(tenant, *TEXTS)
    assert post_chunks(tenant, source.pk, seconds=60)
    source.refresh_from_db()
    return source


def told(tenant, **scope):
    """By question: what is told of each candidate."""
    return [
        [
            (chunk.chunk_id, chunk.similarity, chunk.mean, chunk.deviation, chunk.neighbours)
            for chunk in find_candidates(tenant, read_question(read_message(text)), **scope)[1]
        ]
        for text in QUESTIONS
    ]


def about(rows):
    """But for the last digits."""
    return [[pytest.approx(row, abs=1e-5) for row in of_question] for of_question in rows]


def chunks_found(tenant):
    return [[chunk_id for chunk_id, *_ in rows] for rows in told(tenant)]


def test_signs_and_mean_are_those_of_the_vectors(tenant):
    source = index_boats(tenant)
    vectors = {
        row.chunk_id: np.array(row.embedding, np.float32)
        for row in ChunkEmbedding.objects.for_tenant(tenant).filter(source=source)
    }
    rows = list(signs_of(source))
    signed = [pk for row in rows for pk in row.chunk_ids]
    assert sorted(signed) == sorted(vectors)[:32]
    assert {row.language for row in rows} == {"es", "en"}
    for row in rows:
        assert len(row.chunk_ids) == row.vectors_count
        assert row.last_chunk in signed
        for pk, signs in zip(row.chunk_ids, row.signs, strict=True):
            assert signs == "".join("1" if value > 0 else "0" for value in vectors[pk])
        mean = np.mean([vectors[pk] for pk in row.chunk_ids], axis=0)
        assert np.allclose(row.mean, mean, atol=1e-5)
        assert row.sample.count("[") == row.vectors_count  # of so few, all


def test_a_numbers_digits_tell_its_level():
    vector = np.array([1, 0.6, 0.1, -0.1, -0.6, -1], np.float32)
    high, middle, low = sign_digits(vector)
    levels = [4 * int(a) + 2 * int(b) + int(c) for a, b, c in zip(high, middle, low, strict=True)]
    assert levels == [7, 7, 4, 3, 0, 0]


def test_the_same_is_found_by_signs_as_without(tenant, monkeypatch):
    source = index_boats(tenant)
    scopes: tuple[dict[str, Any], ...] = (
        {},
        {"source_ids": [source.pk]},
        {"source_ids": []},
    )
    before = [about(told(tenant, **scope)) for scope in scopes]
    monkeypatch.setattr(retrieval, "EXACT_UP_TO", 0)
    assert [told(tenant, **scope) for scope in scopes] == before


def test_only_a_large_scope_is_searched_by_signs(tenant, monkeypatch):
    """Else the test before could not fail."""
    source = index_boats(tenant)
    before = chunks_found(tenant)
    signs_of(source).update(chunk_ids=[], signs="{}")
    monkeypatch.setattr(retrieval, "EXACT_UP_TO", len(TEXTS))
    assert chunks_found(tenant) == before
    monkeypatch.setattr(retrieval, "EXACT_UP_TO", len(TEXTS) - 1)
    assert chunks_found(tenant) != before


def test_signed_chunks_that_do_not_answer_are_passed_over(tenant, every_scope_is_large):
    source = index_boats(tenant)
    [best, *_], *_ = chunks_found(tenant)
    for table in (ChunkEmbedding, ChunkTerms):
        hidden = table.objects.for_tenant(tenant).filter(chunk_id=best)
        assert hidden.update(removed_in=source.generation) == 1
    assert best not in chunks_found(tenant)[0]


def test_another_tenants_signs_are_not_read(tenant, other_tenant, every_scope_is_large):
    foreign = index_boats(other_tenant)
    assert told(tenant) == [[], [], []]
    assert told(tenant, source_ids=[foreign.pk]) == [[], [], []]


def test_vectors_of_a_space_without_signs_are_all_compared(tenant, every_scope_is_large):
    source = index_boats(tenant)
    before = about(told(tenant))
    signs_of(source).update(space=9)
    assert told(tenant) == before


def test_signs_of_another_space_are_made_anew(tenant):
    source = index_boats(tenant)
    signs_of(source).update(space=9)
    Source.objects.for_tenant(tenant).update(signs_space=9)
    assert post_chunks(tenant, source.pk, seconds=60)
    source.refresh_from_db()
    assert source.signs_space == 1
    assert set(signs_of(source).values_list("space", flat=True)) == {1}
    assert sum(row.vectors_count for row in signs_of(source)) == 32


def test_beat_makes_the_signs_of_what_earlier_versions_posted(tenant):
    source = index_boats(tenant)
    signs_of(source).delete()
    hour_ago = timezone.now() - timedelta(hours=1)
    Source.objects.for_tenant(tenant).update(signs_space=0, last_synced_at=hour_ago)
    dispatch.clear_leftovers()
    assert sum(row.vectors_count for row in signs_of(source)) == 32


def test_what_is_posted_anew_is_signed_anew(tenant):
    source = index_boats(tenant)
    source.ghosts_count = 100
    source.save()
    assert post_chunks(tenant, source.pk, seconds=60)
    assert sum(row.vectors_count for row in signs_of(source)) == 32
