"""Runs the cells of a row, and says what is wrong with each."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from rest_framework.test import APIClient

from accounts.models import Role
from config.errors import Forbidden, ServiceError, Unauthorized
from config.rest.error_forms import STANDARD, ErrorForm
from config.rest.handling import envelope
from config.tests.isolation.snapshot import Snapshot, changed_places, take_snapshot
from config.tests.isolation.url_table import Endpoint
from config.tests.isolation.world import API_TOKEN, CREDENTIALS, NOBODY, Side, World

MISSING_ID = "00000000-0000-4000-8000-000000000007"
MALFORMED_ID = "not-an-id"
OWN, FOREIGN, MISSING, MALFORMED = TARGETS = ("own", "foreign", "missing", "malformed")
# They differ from answer to answer, whatever was asked.
FREE_HEADERS = {"X-Request-ID", "Date"}

ADMINS = frozenset({Role.ADMIN})
ADMINS_AND_MEMBERS = frozenset({Role.ADMIN, Role.MEMBER})
EVERYBODY = frozenset(Role)


@dataclass(frozen=True)
class Cell:
    """One request: who asks, and for whose object."""

    endpoint: Endpoint
    credential: str
    target: str  # "own" where the address names nothing
    world: World

    @property
    def side(self) -> Side:
        return self.world.ours

    def __str__(self) -> str:
        return f"{self.endpoint} [{self.credential}, {self.target}]"


@dataclass(frozen=True)
class Row:
    """What an endpoint is for. The expectation of each of its cells follows from this.

    Args:
        may: roles that may do it; all others get FORBIDDEN.
        status: of a success.
        not_found: what an id that is not there answers.
        own_id: where the address names an object: which one a tenant has, as text.
        body: of a request that succeeds. It may write what must be there first.
        in_person: an API token may not, whatever its role may.
        error_form: of its errors.
        fixed: what stands for the address's other parameters, by name.
        challenge: the WWW-Authenticate of who has no token.
    """

    method: str
    route: str
    may: frozenset[Role]
    status: int = 200
    not_found: type[ServiceError] | None = None
    own_id: Callable[[Side], Any] | None = None
    body: Callable[[Cell], Any] | None = None
    format: str = "json"
    in_person: bool = False
    error_form: ErrorForm = STANDARD
    fixed: dict[str, str] = field(default_factory=dict)
    challenge: str = "Bearer"

    @property
    def endpoint(self) -> Endpoint:
        return Endpoint(self.method, self.route)

    def allows(self, credential: str) -> bool:
        if credential == API_TOKEN:
            return Role.API_USER in self.may and not self.in_person
        return credential in self.may

    def id_of(self, target: str, world: World) -> str:
        if self.own_id is None:
            return ""
        own, foreign = self.own_id(world.ours), self.own_id(world.theirs)
        ids = {OWN: own, FOREIGN: foreign, MISSING: MISSING_ID, MALFORMED: MALFORMED_ID}
        return str(ids[target])


@dataclass(frozen=True)
class Answer:
    """Of one request; `changes` are the (table, owner) whose rows it left otherwise."""

    status: int
    body: bytes
    headers: dict[str, str]
    changes: list[tuple[str, str]]

    def is_like(self, other: Answer) -> bool:
        return (self.status, self.body, self.headers) == (other.status, other.body, other.headers)


@dataclass(frozen=True)
class Problem:
    cell: str
    what: str

    def __str__(self) -> str:
        return f"{self.cell}: {self.what}"


# --- Running --------------------------------------------------------------------------------------


def find_problems(row: Row, world: World) -> list[Problem]:
    """Of all cells of the row; each starts from the same state."""
    targets = TARGETS if row.endpoint.has_id else (OWN,)
    problems: list[Problem] = []
    for credential in CREDENTIALS:
        cells = [Cell(row.endpoint, credential, target, world) for target in targets]
        answers = {cell: ask(row, cell) for cell in cells}
        problems += judge(row, answers)
    return problems


def find_problems_of_foreign(row: Row, world: World) -> list[Problem]:
    """Of the cells alone that a view without its scope answers otherwise: somebody who may do it
    asks for what is another tenant's, for what never was, or where no id is named for all."""
    targets = (FOREIGN, MISSING) if row.endpoint.has_id else (OWN,)
    credential = next((one for one in CREDENTIALS if row.allows(one)), CREDENTIALS[0])
    cells = [Cell(row.endpoint, credential, target, world) for target in targets]
    return judge(row, {cell: ask(row, cell) for cell in cells})


def ask(row: Row, cell: Cell) -> Answer:
    path = row.endpoint.path(row.id_of(cell.target, cell.world), **row.fixed)
    with undone():
        body = row.body(cell) if row.body else None
        return send(row.method, path, cell.side.headers[cell.credential], body, row.format)


@contextmanager
def undone() -> Iterator[None]:
    """What happens inside has never happened; tasks that it enqueued are not sent."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def send(
    method: str, path: str, headers: dict[str, str], body: Any = None, body_format: str = "json"
) -> Answer:
    before = take_snapshot()
    call = getattr(caller(), method.lower())
    given = {} if body is None else {"data": body, "format": body_format}
    if isinstance(body, str):  # a form, encoded already
        given = {"data": body, "content_type": "application/x-www-form-urlencoded"}
    response = call(path, headers=headers, **given)
    caller().cookies.clear()
    return read_answer(response, before)


@functools.cache
def caller() -> APIClient:
    """One for all cells, without cookies or a token: each new one builds all middleware anew."""
    return APIClient(raise_request_exception=False)


def read_answer(response: Any, before: Snapshot) -> Answer:
    return Answer(
        status=response.status_code,
        body=response.getvalue(),
        headers={k: v for k, v in response.items() if k not in FREE_HEADERS},
        changes=changed_places(before, take_snapshot()),
    )


# --- Judging --------------------------------------------------------------------------------------


def judge(row: Row, answers: dict[Cell, Answer]) -> list[Problem]:
    """Of one credential's cells."""
    problems: list[Problem] = []
    for cell, answer in answers.items():
        found = [*judge_answer(row, cell, answer), *judge_effects(row, cell, answer)]
        problems += [Problem(str(cell), what) for what in found]
    return problems + judge_likeness(row, answers)


def judge_answer(row: Row, cell: Cell, answer: Answer) -> Iterator[str]:
    expected = expected_error(row, cell)
    if expected is None:
        if answer.status != row.status:
            yield f"answered {answer.status}, not {row.status}: {answer.body[:200]!r}"
        return
    if answer.status != expected.status:
        yield f"answered {answer.status}, not {expected.status}: {answer.body[:200]!r}"
    elif as_json(answer) != envelope(expected, row.error_form):
        yield f"answered {answer.body[:200]!r}, not {expected.code}: {expected.message}"
    for name, value in expected.headers.items():
        if answer.headers.get(name) != value:
            yield f"has no header {name}: {value}"


def expected_error(row: Row, cell: Cell) -> ServiceError | None:
    """None for a success."""
    if cell.credential == NOBODY:
        error = Unauthorized()
        error.headers["WWW-Authenticate"] = row.challenge
        return error
    if not row.allows(cell.credential):
        return Forbidden()
    if cell.target == OWN:
        return None
    assert row.not_found is not None, f"{row.endpoint}: the row must say what is not found"
    return row.not_found()


def judge_effects(row: Row, cell: Cell, answer: Answer) -> Iterator[str]:
    refused = expected_error(row, cell) is not None
    for table, owner in answer.changes:
        if owner in cell.world.their_owners:
            yield f"changed {table} of the other tenant"
        elif refused:
            yield f"changed {table} although it is refused"
    said = answer.body.decode(errors="replace") + repr(answer.headers)
    seen = sorted(mark for mark in cell.world.their_marks if mark in said.lower())
    if seen:
        yield f"shows something of the other tenant: {', '.join(seen)}"


def judge_likeness(row: Row, answers: dict[Cell, Answer]) -> list[Problem]:
    """All refusals of one credential are one answer, byte for byte and header for header."""
    refusals = [(c, a) for c, a in answers.items() if expected_error(row, c) is not None]
    return [
        Problem(str(cell), f"does not answer as [{refusals[0][0].target}] does: {answer}")
        for cell, answer in refusals
        if not answer.is_like(refusals[0][1])
    ]


def as_json(answer: Answer) -> Any:
    try:
        return json.loads(answer.body)
    except ValueError:
        return None
