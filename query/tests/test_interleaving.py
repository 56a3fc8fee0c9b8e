"""Two companies that are asked at once, by many threads of one process: each hears of its own."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker
from rest_framework.test import APIClient

from accounts.models import Tenant, User
from accounts.tests.factories import client_of, make_tenant
from config.tests.parallel import in_parallel
from query.tests.factories import index_texts

# The same words, and other facts: what is mixed up answers the wrong one.
VISITS = "A guided visit costs {} euros. Children under ten years of age come in for free."
QUESTIONS = ("How much does a guided visit cost?", "Who painted the Mona Lisa?")
FACTS = {"7": "lighthouse visits", "19": "castle visits"}


@pytest.fixture
def companies(
    committed_tenant: Tenant, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, APIClient]]:
    """By the price of a visit there."""
    with django_db_blocker.unblock():
        other = make_tenant()
        try:
            pairs = zip(FACTS.items(), (committed_tenant, other), strict=True)
            yield {price: company_of(tenant, price, name) for (price, name), tenant in pairs}
        finally:
            User.objects.filter(memberships__tenant=other).delete()
            other.delete()


def company_of(tenant: Tenant, price: str, name: str) -> APIClient:
    index_texts(tenant, VISITS.format(price), name=name, section_title=name)
    return client_of(tenant)


def test_each_answer_is_of_the_company_that_was_asked(companies: dict[str, APIClient]):
    turns = itertools.cycle(itertools.product(companies, QUESTIONS))

    def ask_the_next() -> tuple[str, Any]:
        price, question = next(turns)
        client = companies[price]
        return price, client.post("/agent/query", {"query": question}, "json").json()

    answers = in_parallel(ask_the_next, times=100)

    found = dict.fromkeys(FACTS, 0)
    for price, answer in answers:
        (foreign_price,) = FACTS.keys() - {price}
        assert FACTS[foreign_price] not in str(answer)
        assert f"{foreign_price} euros" not in str(answer)
        found[price] += f"{price} euros" in answer["answer"]
        named = {source["source_file"] for source in answer["sources"]}
        assert named <= {FACTS[price]}
    assert found == dict.fromkeys(FACTS, 25)
