"""Every endpoint × {own, another tenant's, missing, malformed id} × {no token, each role, an API
token}: config/tests/isolation. A new endpoint without a row fails here.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import ApiToken, Role, Tenant
from accounts.models.tenancy import TenantQuerySet
from accounts.services.signing_in.sessions import revoke_session
from accounts.signing_in.tokens import make_challenge, make_tokens
from accounts.tests.factories import bearer, make_membership, make_session, make_user
from config.database.acting import Acting, DatabaseRole, as_nobody, as_tenant
from config.database.base import preamble_for
from config.tests.isolation.body_rows import BODY_ROWS, BodyRow, find_body_problems
from config.tests.isolation.leaky import LEAKY_BODY_ROW, LEAKY_PUBLIC_ROW, VIEWS, leaky_row
from config.tests.isolation.matrix import (
    MISSING,
    MISSING_ID,
    Answer,
    Cell,
    Row,
    as_json,
    find_problems,
    find_problems_of_foreign,
    send,
    undone,
)
from config.tests.isolation.public_rows import PUBLIC_ROWS, PublicRow, find_public_problems
from config.tests.isolation.rows import ROWS
from config.tests.isolation.shared_world import whole_world  # noqa: F401 - a fixture
from config.tests.isolation.url_table import Endpoint, list_endpoints
from config.tests.isolation.world import NOBODY, World, tenant_models
from reasons import as_reason
from sources.connectors.interface import Preflight
from sources.models import Source
from sources.tests.conftest import inline_worker  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("inline_worker")


ALL_ROWS: list[Row | PublicRow] = [*ROWS, *PUBLIC_ROWS]


@pytest.fixture(autouse=True)
def nothing_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker, no website."""
    found = Preflight(is_indexable=False, error=as_reason("There is too little text."))
    monkeypatch.setattr("connectors.web.preflight.check_site", lambda *a, **k: found)
    monkeypatch.setattr("config.health.CHECKS", {})


@pytest.fixture
def world(whole_world: World) -> Iterator[World]:  # noqa: F811 - the fixture
    with undone():
        yield whole_world


def listed(problems: list[Any]) -> str:
    return "\n".join(map(str, problems))


# --- The matrix -----------------------------------------------------------------------------------


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.endpoint))
def test_each_cell_answers_as_its_row_says(row: Row, world: World) -> None:
    assert listed(find_problems(row, world)) == ""


@pytest.mark.parametrize("row", PUBLIC_ROWS, ids=lambda row: str(row.endpoint))
def test_where_no_token_is_needed_none_makes_a_difference(row: PublicRow, world: World) -> None:
    assert listed(find_public_problems(row, world)) == ""


# --- Without the scope in the code ----------------------------------------------------------------


@pytest.fixture
def forgotten_scope(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault of every view at once: `for_tenant` asks for all tenants' rows."""

    def scoped(rows: TenantQuerySet[Any], tenant: Tenant) -> TenantQuerySet[Any]:
        rows._tenant = tenant
        return rows

    monkeypatch.setattr(TenantQuerySet, "scoped", scoped)


@pytest.mark.usefixtures("forgotten_scope")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.endpoint))
def test_when_views_forget_the_tenant_the_database_does_not(row: Row, world: World) -> None:
    """Who is refused for lack of a token or of a role is so before any row is asked for: above."""
    assert listed(find_problems_of_foreign(row, world)) == ""


@pytest.mark.usefixtures("forgotten_scope")
def test_what_forgets_the_tenant_would_see_all_without_the_database(world: World) -> None:
    """Else the test above would show nothing: here we are behind the wall."""
    seen = Source.objects.for_tenant(world.ours.tenant).filter(pk=world.theirs.source.pk)

    assert seen.exists()
    with as_tenant(world.ours.tenant.pk):
        assert not seen.exists()
    with as_nobody():
        assert not seen.exists()


# --- Nothing is left out --------------------------------------------------------------------------


def without_row(endpoints: list[Endpoint]) -> list[str]:
    known = {row.endpoint for row in ALL_ROWS}
    return [
        f"{endpoint}: add its row to config/tests/isolation/rows.py (or public_rows.py)"
        for endpoint in endpoints
        if endpoint not in known
    ]


@pytest.mark.django_db  # else pytest-django makes no database for this file
def test_every_endpoint_has_a_row() -> None:
    assert listed(without_row(list_endpoints())) == ""


def test_every_row_has_an_endpoint() -> None:
    known = list_endpoints()

    assert [str(row.endpoint) for row in ALL_ROWS if row.endpoint not in known] == []


def test_both_tenants_have_a_row_of_every_table(world: World) -> None:
    for model in tenant_models():
        for side in (world.ours, world.theirs):
            assert model.all_tenants.filter(tenant=side.tenant).exists(), model.__name__


# --- Ids inside bodies ----------------------------------------------------------------------------


@pytest.mark.parametrize("row", BODY_ROWS, ids=lambda row: f"{row.method} /{row.route} {row.field}")
def test_what_is_another_tenants_in_a_body_was_never_there(row: BodyRow, world: World) -> None:
    assert listed(find_body_problems(row, world)) == ""


def test_inviting_somebody_of_another_tenant_is_like_inviting_anybody(world: World) -> None:
    def invite(email: str) -> tuple[int, dict[str, Any], list[str]]:
        with undone():
            body = {"email": email, "role": "viewer"}
            headers = world.ours.headers[Role.ADMIN]
            answer = send("POST", "/tenants/me/members", headers, body)
        told = as_json(answer)
        assert told.pop("email") == email
        assert told.pop("user_id")
        changed = [table for table, owner in answer.changes if owner in world.their_owners]
        return answer.status, told, changed

    theirs = world.theirs.colleague.email

    assert invite(theirs) == invite("nobody@nowhere.example")


# --- What no row needs to say ---------------------------------------------------------------------

READS = [row for row in ROWS if row.method == "GET"]


@pytest.mark.parametrize("row", READS, ids=lambda row: str(row.endpoint))
def test_head_is_get_without_a_body(row: Row, world: World) -> None:
    for target in ("own", "foreign") if row.endpoint.has_id else ("own",):
        path = row.endpoint.path(row.id_of(target, world), **row.fixed)
        for credential in (NOBODY, Role.ADMIN, Role.VIEWER):
            headers = world.ours.headers[credential]
            get, head = send("GET", path, headers), send("HEAD", path, headers)

            assert (head.status, head.body, head.changes) == (get.status, b"", get.changes)


@pytest.mark.parametrize("route", sorted({row.route for row in ROWS}))
def test_other_methods_are_refused_and_change_nothing(route: str, world: World) -> None:
    known = {row.method for row in ROWS if row.route == route}
    if "GET" in known:
        known.add("HEAD")
    for method in sorted({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - known):
        path = Endpoint(method, route).path(str(world.theirs.source.pk))
        with undone():
            answer = send(method, path, world.ours.headers[Role.ADMIN])

        assert (method, answer.status, answer.changes) == (method, 405, [])


def dead_tokens(world: World) -> dict[str, str]:
    """What once was a token, or never for this."""
    side = world.ours
    admin = side.people[Role.ADMIN]
    expired = make_session(admin, side.tenant, expires_at=timezone.now() - timedelta(seconds=1))
    revoked = make_session(admin, side.tenant)
    revoke_session(revoked.pk)
    disabled = make_user(side.tenant, is_active=False)
    return {
        "expired": make_tokens(expired).access_token,
        "revoked": make_tokens(revoked).access_token,
        "of a disabled person": bearer(disabled, side.tenant)["Authorization"].split()[1],
        "a refresh token": make_tokens(make_session(admin, side.tenant)).refresh_token,
        "a challenge": make_challenge(admin.memberships.get()),
    }


def test_a_dead_token_is_no_token(world: World) -> None:
    path = f"/ingest/sources/{world.ours.source.pk}/status"
    nothing = send("GET", path, {})
    for name, token in dead_tokens(world).items():
        assert send("GET", path, {"Authorization": f"Bearer {token}"}).is_like(nothing), name


@pytest.mark.parametrize("over", ["revoked_at", "expires_at"])
def test_a_dead_api_token_is_no_token(world: World, over: str) -> None:
    headers = world.ours.headers["API token"]
    assert send("GET", "/auth/me", headers).status == 200

    now = timezone.now()
    ApiToken.objects.for_tenant(world.ours.tenant).update(**{over: now})

    assert send("GET", "/auth/me", headers).is_like(send("GET", "/auth/me", {}))


def test_somebody_in_both_tenants_acts_in_the_one_of_the_token(world: World) -> None:
    admin = world.ours.people[Role.ADMIN]
    make_membership(world.theirs.tenant, admin, role=Role.ADMIN)
    headers = world.ours.headers[Role.ADMIN]

    def status_of(source_id: object) -> Answer:
        return send("GET", f"/ingest/sources/{source_id}/status", headers)

    assert status_of(world.ours.source.pk).status == 200
    assert status_of(world.theirs.source.pk).is_like(status_of(MISSING_ID))


ODD_IDS = ["0", "a" * 3000, "%00", "%F0%9F%A6%86", "%FF", "%2e%2e", "{source_id}", "' OR 1=1 --"]
WITH_ID = [row for row in ROWS if row.endpoint.has_id]


@pytest.mark.parametrize("row", WITH_ID, ids=lambda row: str(row.endpoint))
def test_whatever_stands_for_an_id_was_never_there(row: Row, world: World) -> None:
    headers = world.ours.headers[Role.ADMIN]

    def ask(target: str) -> Answer:
        with undone():
            body = row.body(Cell(row.endpoint, Role.ADMIN, MISSING, world)) if row.body else None
            return send(row.method, row.endpoint.path(target, **row.fixed), headers, body)

    missing = ask(MISSING_ID)
    assert [odd for odd in ODD_IDS if not ask(odd).is_like(missing)] == []


# --- The canary -----------------------------------------------------------------------------------

# What must be found of each faulty view, in words of the report.
FAULTS = {
    "anybodys": [
        "[admin, foreign]: answered 200, not 404",
        "[admin, foreign]: changed sources_source of the other tenant",
        "[admin, missing]: does not answer as [foreign] does",
    ],
    "list": [
        "[admin, own]: shows something of the other tenant",
    ],
    "any-role": [
        "[member, own]: answered 200, not 403",
        "[member, own]: changed sources_source although it is refused",
        "[member, foreign]: answered 404, not 403",
        "[API token, own]: answered 200, not 403",
    ],
    "no-token": [
        "[no token, own]: answered 200, not 401",
        "[no token, own]: has no header WWW-Authenticate: Bearer",
        "[no token, foreign]: changed sources_source of the other tenant",
        "[viewer, own]: answered 200, not 403",
    ],
    "talkative": [
        "[admin, foreign]: answered",
        "not SOURCE_NOT_FOUND: There is no such source.",
        "[admin, missing]: does not answer as [foreign] does",
    ],
    "talkative-header": ["[admin, missing]: does not answer as [foreign] does"],
    "other-status": ["[admin, foreign]: answered 403, not 404"],
    "hasty": ["[admin, foreign]: changed sources_source of the other tenant"],
    "hasty-for-roles": [
        "[member, own]: changed sources_source although it is refused",
        "[admin, missing]: changed sources_source although it is refused",
    ],
    "wrong-code": ["[admin, missing]: answered", "not SOURCE_NOT_FOUND"],
    "crashing": [
        "[admin, missing]: answered 500, not 404",
        "[admin, malformed]: answered 400, not 404",
    ],
}


@pytest.mark.urls("config.tests.isolation.leaky")
@pytest.mark.parametrize("fault", FAULTS)
def test_the_matrix_finds_the_fault(fault: str, world: World) -> None:
    found = listed(find_problems(leaky_row(fault), world))

    assert [words for words in FAULTS[fault] if words not in found] == [], found


@pytest.mark.urls("config.tests.isolation.leaky")
@pytest.mark.parametrize("fault", ["anybodys", "list", "talkative", "hasty", "other-status"])
def test_the_pass_without_the_scope_finds_the_fault_too(fault: str, world: World) -> None:
    """Those are what a view that forgets its tenant does, wherever the database lets it."""
    found = listed(find_problems_of_foreign(leaky_row(fault), world))

    assert [words for words in FAULTS[fault] if words not in found] == [], found


@pytest.mark.usefixtures("forgotten_scope")
def test_the_pass_without_the_scope_finds_what_no_database_refuses(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The views as they are, without their scope and without the wall of the database."""
    rows = {str(row.endpoint): row for row in ROWS}
    monkeypatch.setattr("config.database.base.preamble_for", preamble_without_wall)

    of_a_list = listed(find_problems_of_foreign(rows["GET /agents"], world))
    of_one = listed(find_problems_of_foreign(rows["GET /agents/<str:agent_id>"], world))

    assert "shows something of the other tenant" in of_a_list
    assert "[admin, foreign]: answered 200, not 404" in of_one


def preamble_without_wall(connection: Any) -> str:
    """Everybody reads over all tenants."""
    return preamble_for(connection) and Acting(DatabaseRole.MAINTENANCE).preamble


@pytest.mark.urls("config.tests.isolation.leaky")
def test_the_matrix_finds_a_public_endpoint_that_heeds_a_token(world: World) -> None:
    found = listed(find_public_problems(LEAKY_PUBLIC_ROW, world))

    assert "[a token that is none, own]: answered 401, not 200" in found
    assert "[another tenant's admin, own]: shows something of the other tenant" in found
    assert "[no token" not in found


@pytest.mark.urls("config.tests.isolation.leaky")
def test_the_matrix_finds_who_tells_of_an_id_in_a_body(world: World) -> None:
    found = listed(find_body_problems(LEAKY_BODY_ROW, world))

    assert found.startswith("POST /body [admin, foreign] source_id: answered ")
    assert "\n" not in found


@pytest.mark.urls("config.tests.isolation.leaky")
def test_the_matrix_finds_nothing_where_nothing_is_wrong(world: World) -> None:
    assert listed(find_problems(leaky_row("own"), world)) == ""


def test_every_faulty_view_is_looked_for() -> None:
    assert FAULTS.keys() == {*VIEWS, "list"} - {"own"}


def test_an_endpoint_without_a_row_is_named() -> None:
    found = without_row(list_endpoints("config.tests.isolation.leaky"))

    assert "POST /added/<str:source_id>: add its row to" in listed(found)
