"""Schemathesis asks every endpoint what nobody would, and holds each answer to the description.

SCHEMATHESIS_EXAMPLES=200 for a long run: so many generated requests an endpoint and a caller,
beside those that schemathesis derives from the borders of the description, which a run leaves out
that leaves out slow tests. SCHEMATHESIS_SEED=7 for other requests than yesterday's. How many there
were is in the report of `pytest --junitxml`.
"""

import functools
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict
from typing import Any

import pytest
import schemathesis
from celery import Task
from django.conf import settings
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from schemathesis import Case, CheckContext, CheckFunction, Response
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import (
    AcceptedNegativeData,
    CustomFailure,
    FailureGroup,
    ServerError,
)
from schemathesis.core.result import Ok
from schemathesis.openapi.checks import JsonSchemaError, MissingHeaders, UndefinedStatusCode
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.http.errors import Unreachable
from config.rest.documentation import make_schema
from config.rest.request_body import StrictCharField
from config.tests.described_world import NUMERIC_ADDRESS, World, make_world, with_real_values
from config.tests.suite.selection import SELECTION
from reasons import as_reason
from sources.connectors.interface import Account, Checked, Preflight
from sources.tasks import check_account
from sources.tests.conftest import FakeEmbedder, fake_embedder, inline_worker, stored_files  # noqa: F401 - fixtures

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "4"))
SEED = os.environ.get("SCHEMATHESIS_SEED", "")
HAS_BORDERS = os.environ.get("SCHEMATHESIS_BORDERS", "1") == "1"  # the same with every seed
APPS = (
    "accounts",
    "agents",
    "channels",
    "config.rest",
    "connectors",
    "language",
    "query",
    "reading",
    "sources",
    "webhooks",
)
pytestmark = [
    pytest.mark.slow(reaches=APPS),
    pytest.mark.django_db,
    pytest.mark.timeout(600 + 60 * EXAMPLES),
]

CHECKS: list[CheckFunction] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


def described_bodies_are_read(context: CheckContext, response: Response, case: Case[Any]) -> None:
    """What the description allows is never malformed. It may still be refused by a rule.

    schemathesis' own positive_data_acceptance allows no rules that a description cannot tell.
    """
    is_positive = case.meta is not None and case.meta.generation.mode.is_positive
    if isinstance(case.body, dict) and not getattr(case.body.get("file"), "data", True):
        return  # an empty file, which schemathesis sends as a field
    if response.status_code != 400 or not is_positive or case.operation.label in HAS_MORE_RULES:
        return
    error = response.json()["error"]
    code = error["code"] if isinstance(error, dict) else error.partition(":")[0]
    assert code not in ("INVALID_REQUEST_BODY", "MISSING_FIELDS", "Missing"), response.text


def wrong_data_is_refused(context: CheckContext, response: Response, case: Case[Any]) -> None:
    """schemathesis' own rule, but for forms: there a value of another type is its text."""
    if case.media_type != "multipart/form-data":
        negative_data_rejection(context, response, case)


# A website must have an address, a connector need not; each channel needs its own fields.
HAS_MORE_RULES = {"POST /ingest/sources", "PUT /agents/{agent_id}/channels/{channel_type}"}


class NoLimits:
    """Stands for the limiter: else nearly all answers would be 429."""

    def hit(self, *key: Any) -> bool:
        return True

    def test(self, *key: Any) -> bool:
        return True

    def clear(self, *key: Any) -> None:
        return None


def resolve(host: str, port: int, *, seconds: float) -> list[Any]:
    """Stands for the name server."""
    if host != NUMERIC_ADDRESS:
        raise Unreachable(as_reason("The name was not found."))
    return [(2, (host, port))]


def look(task: Task[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    """Stands for the worker that looks at websites and accounts."""
    if task is check_account:
        return asdict(Checked(Account("7", "The shop"), {"items": "/data"}))
    return asdict(Preflight(is_indexable=True, pages_found=3, max_pages=25))


@pytest.fixture
def world(
    db: None,
    fake_embedder: None,  # noqa: F811
    stored_files: object,  # noqa: F811
    inline_worker: None,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    """Neither network nor workers nor limits."""
    monkeypatch.setattr("config.security.rate_limits.limiter", NoLimits)
    monkeypatch.setattr("config.http.addresses.resolve", resolve)
    monkeypatch.setattr("sources.services.checking.ask_worker", look)
    monkeypatch.setattr("query.search.retrieval.get_embedder", FakeEmbedder)
    monkeypatch.setattr("query.search.relevance.get_embedder", FakeEmbedder)
    monkeypatch.setattr("config.health.CHECKS", {})
    for name in ("MESSENGER_A_API_URL", "MESSENGER_B_API_URL"):
        monkeypatch.setattr(settings, name, "http://127.0.0.1:1")  # nobody listens there
    for signal in (request_started, request_finished):  # the connection is the test's
        signal.disconnect(close_old_connections)
    yield make_world()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


class Run:
    """All endpoints, for one caller. Counts the answers by status."""

    def __init__(self, world: World, headers: dict[str, str]) -> None:
        self.world = world
        self.headers = headers
        self.answers: Counter[int] = Counter()

    def check(self, case: Case[Any]) -> None:
        """As it was generated, then with names of what is really there."""
        checks = [*CHECKS, wrong_data_is_refused, described_bodies_are_read]
        case.validate_response(self.ask(case), checks=checks)
        for real in with_real_values(case, self.world):
            real.validate_response(self.ask(real), checks=CHECKS)

    def ask(self, case: Case[Any]) -> Any:
        """What the request wrote is undone: each meets the same rows."""
        headers = dict(self.headers)
        if not case.path.startswith("/public/"):
            headers.pop("Origin", None)  # only visitors' browsers name the page that asks
        with transaction.atomic():
            response = case.call(headers=headers)
            transaction.set_rollback(True)
        self.answers[response.status_code] += 1
        return response


application = functools.cache(get_wsgi_application)


def read_to_end(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Our application, whose answers are closed when they are read."""
    answer: Any = application()(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


def make_tests(description: dict[str, Any], run: Run, *, with_borders: bool) -> Iterator[Any]:
    """A test, to be called, of each endpoint, and its name.

    Args:
        with_borders: also the requests that schemathesis derives from the borders of each field.
    """
    settings: dict[str, Any] = {
        "generation": {
            "max-examples": EXAMPLES if with_borders else max(1, EXAMPLES // 2),
            "deterministic": True,
            "database": "none",
            "with-security-parameters": False,  # `run` brings its own token
        },
        # That other methods are wrong ones: test_errors.py.
        "phases": {"coverage": {"enabled": with_borders, "unexpected-methods": []}},
    }
    if SEED:
        settings["seed"] = int(SEED)
    schema = schemathesis.openapi.from_dict(
        deepcopy(description), config=schemathesis.Config.from_dict(settings)
    )
    schema.app = read_to_end

    def check(case: Case[Any]) -> None:
        run.check(case)

    # What its pytest plugin does, which breaks with pytest 9.
    for result in get_all_tests(schema=schema, test_func=check, settings=None, given_kwargs=None):
        assert isinstance(result, Ok)
        operation, test = result.ok()
        yield operation.label, test


def check_all(
    subtests: pytest.Subtests, record_property: Any, run: Run, *, with_borders: bool
) -> None:
    for name, test in make_tests(make_schema(), run, with_borders=with_borders):
        with subtests.test(name):
            test()
    for status, count in sorted(run.answers.items()):
        record_property(f"answers_{status}", count)


class TestAsAdmin:
    def test_answers_as_described(self, subtests, record_property, world: World, pytestconfig):
        run = Run(world, world.as_admin)
        with_borders = HAS_BORDERS and pytestconfig.stash[SELECTION].is_whole
        check_all(subtests, record_property, run, with_borders=with_borders)


class TestAsOthers:
    """Fewer requests: most are refused before they are read."""

    @pytest.mark.parametrize("caller", ["viewer", "nobody"])
    def test_answers_as_described(self, subtests, record_property, world: World, caller: str):
        run = Run(world, world.as_viewer if caller == "viewer" else {})
        check_all(subtests, record_property, run, with_borders=HAS_BORDERS and EXAMPLES > 10)


class TestTheChecks:
    """They can fail."""

    def failures(self, world: World, label: str, description: dict[str, Any]) -> set[type]:
        run = Run(world, world.as_admin)
        tests = dict(make_tests(description, run, with_borders=True))
        with pytest.raises(FailureGroup) as raised:
            tests[label]()
        return {type(failure) for failure in raised.value.exceptions}

    def test_an_answer_of_another_form_is_found(self, world: World):
        description = deepcopy(make_schema())
        me = description["components"]["schemas"]["MeOutput"]
        me["properties"]["user_id"] = {"type": "integer"}

        assert self.failures(world, "GET /auth/me", description) == {JsonSchemaError}

    def test_an_undocumented_status_is_found(self, world: World):
        description = deepcopy(make_schema())
        del description["paths"]["/auth/refresh"]["post"]["responses"]["401"]

        assert self.failures(world, "POST /auth/refresh", description) == {UndefinedStatusCode}

    def test_a_missing_header_is_found(self, world: World, settings):
        settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if "request_id" not in name]
        application.cache_clear()
        try:
            assert self.failures(world, "GET /auth/me", make_schema()) == {MissingHeaders}
        finally:
            application.cache_clear()

    def test_an_error_of_ours_is_found(self, world: World, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("accounts.api.sessions.me_output", lambda caller: 1 / 0)

        assert self.failures(world, "GET /auth/me", make_schema()) == {ServerError}

    def test_a_lenient_reader_is_found(self, world: World, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(StrictCharField, "to_internal_value", lambda self, data: str(data))

        assert self.failures(world, "PATCH /tenants/me", make_schema()) == {AcceptedNegativeData}

    def test_a_field_that_is_needed_and_not_said_to_be_is_found(self, world: World):
        description = deepcopy(make_schema())
        del description["components"]["schemas"]["TenantInput"]["required"]

        assert self.failures(world, "PATCH /tenants/me", description) == {CustomFailure}
