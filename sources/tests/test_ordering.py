"""A source to another place (sources/services/ordering.py)."""

import uuid

import pytest
from django.utils import timezone

from accounts.models import Tenant
from sources.errors import SourceNotFound
from sources.models import Source
from sources.services.ordering import Step, move_source, place_source
from sources.services.reading import list_sources
from sources.tests.factories import make_source

pytestmark = pytest.mark.django_db


@pytest.fixture
def sources(tenant: Tenant) -> dict[str, Source]:
    """Five, with gaps between their positions."""
    return {
        name: make_source(tenant, name=name, position=number * 10)
        for number, name in enumerate("abcde")
    }


def names(tenant: Tenant) -> str:
    return "".join(source.name for source in list_sources(tenant))


@pytest.mark.parametrize(
    ("name", "step", "expected", "place"),
    [
        ("c", Step.UP, "acbde", 1),
        ("c", Step.DOWN, "abdce", 3),
        ("d", Step.TOP, "dabce", 0),
        ("a", Step.UP, "abcde", 0),
        ("a", Step.TOP, "abcde", 0),
        ("e", Step.DOWN, "abcde", 4),
    ],
)
def test_a_step(
    tenant: Tenant, sources: dict[str, Source], name: str, step: Step, expected: str, place: int
):
    assert move_source(tenant, sources[name].pk, step=step) == place
    assert names(tenant) == expected


@pytest.mark.parametrize(
    ("name", "beside", "is_after", "expected", "place"),
    [
        ("e", "b", False, "aebcd", 1),
        ("e", "b", True, "abecd", 2),
        ("a", "d", False, "bcade", 2),
        ("a", "d", True, "bcdae", 3),
        ("a", "e", True, "bcdea", 4),
        ("b", "b", True, "abcde", 1),
        ("b", "a", True, "abcde", 1),
    ],
)
def test_beside_another(
    tenant: Tenant,
    sources: dict[str, Source],
    name: str,
    beside: str,
    is_after: bool,
    expected: str,
    place: int,
):
    moved, other = sources[name], sources[beside]

    assert place_source(tenant, moved.pk, beside_id=other.pk, is_after=is_after) == place
    assert names(tenant) == expected


def test_only_those_between_the_two_places_move(tenant: Tenant, sources: dict[str, Source]):
    move_source(tenant, sources["d"].pk, step=Step.UP)

    assert list(list_sources(tenant).values_list("name", "position")) == [
        ("a", 0),
        ("b", 10),
        ("d", 20),
        ("c", 21),
        ("e", 40),
    ]


def test_sources_that_share_a_position_are_told_apart_first(tenant: Tenant):
    made = [make_source(tenant, name=name, position=7) for name in "abc"]

    move_source(tenant, made[2].pk, step=Step.UP)

    assert names(tenant) == "acb"


def test_a_deleted_or_foreign_source_moves_nothing(
    tenant: Tenant, other_tenant: Tenant, sources: dict[str, Source]
):
    deleted = make_source(tenant, deleted_at=timezone.now())
    for unknown in (deleted.pk, make_source(other_tenant).pk, uuid.uuid4()):
        with pytest.raises(SourceNotFound):
            move_source(tenant, unknown, step=Step.TOP)
        with pytest.raises(SourceNotFound):
            place_source(tenant, sources["a"].pk, beside_id=unknown, is_after=True)

    assert names(tenant) == "abcde"


def test_another_tenants_sources_stay(
    tenant: Tenant, other_tenant: Tenant, sources: dict[str, Source]
):
    theirs = make_source(other_tenant, position=20)

    move_source(tenant, sources["e"].pk, step=Step.TOP)

    assert Source.objects.for_tenant(other_tenant).get(pk=theirs.pk).position == 20


def test_far_away_costs_as_many_queries_as_near(
    tenant: Tenant, sources: dict[str, Source], django_assert_num_queries
):
    with django_assert_num_queries(9):  # with two of a savepoint
        move_source(tenant, sources["b"].pk, step=Step.UP)
    with django_assert_num_queries(9):
        move_source(tenant, sources["e"].pk, step=Step.TOP)
