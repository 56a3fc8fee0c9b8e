"""Who may do what with sources: one table (interface.md, Sources and Authentication 4)."""

import uuid

import pytest
from rest_framework.test import APIClient

from accounts.models import Role, Tenant
from conftest import AsRole
from sources.api.urls import urlpatterns
from sources.tests.factories import make_source

READ = "read"  # admins and members
WRITE = "write"  # admins
# Without a body, a write that is allowed is refused for that; none of these does anything.
ENDPOINTS = [
    ("get", "/ingest/sources", READ),
    ("post", "/ingest/sources", WRITE),
    ("post", "/ingest/sources/preflight", WRITE),
    ("post", "/ingest/sources/upload", WRITE),
    ("patch", "/ingest/sources/reorder", WRITE),
    ("patch", "/ingest/sources/{id}", WRITE),
    ("delete", "/ingest/sources/{id}", WRITE),
    ("post", "/ingest/sources/{id}/sync", WRITE),
    ("get", "/ingest/sources/{id}/status", READ),
    ("get", "/ingest/sources/{id}/preview", READ),
    ("get", "/ingest/sources/{id}/history", READ),
    ("get", "/ingest/sources/{id}/schedule", READ),
    ("put", "/ingest/sources/{id}/schedule", WRITE),
    ("get", "/ingest/sources/{id}/download", READ),
]
MAY = {
    Role.ADMIN: {READ, WRITE},
    Role.MEMBER: {READ},
    Role.VIEWER: set[str](),
    Role.API_USER: set[str](),
}
METHODS = ("get", "post", "put", "patch", "delete", "options")
PUBLIC = ("files/<str:token>",)  # whoever holds a link of a download


def call(client: APIClient, method: str, path: str, source_id: object):
    return getattr(client, method)(path.format(id=source_id))


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize(("method", "path", "need"), ENDPOINTS)
def test_each_role_may_do_what_the_table_says(
    as_role: AsRole, tenant: Tenant, method: str, path: str, need: str, role: Role
):
    source = make_source(tenant)

    response = call(as_role(role), method, path, source.pk)

    if need in MAY[role]:
        assert response.status_code not in (401, 403, 405, 500)
    else:
        assert response.status_code == 403
        assert response.json()["error"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize(("method", "path", "need"), ENDPOINTS)
def test_without_a_token_the_answer_is_401(
    api: APIClient, tenant: Tenant, method: str, path: str, need: str
):
    response = call(api, method, path, make_source(tenant).pk)

    assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    assert response["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(("method", "path", "need"), ENDPOINTS)
def test_who_may_not_learns_nothing_of_ids(
    as_role: AsRole, tenant: Tenant, method: str, path: str, need: str
):
    viewer = as_role(Role.VIEWER)
    there = call(viewer, method, path, make_source(tenant).pk)
    not_there = call(viewer, method, path, uuid.UUID(int=7))

    assert (there.status_code, there.content) == (not_there.status_code, not_there.content)


@pytest.mark.parametrize("path", sorted({path for _, path, _ in ENDPOINTS}))
def test_other_methods_are_not_allowed(admin_api: APIClient, tenant: Tenant, path: str):
    source = make_source(tenant)
    known = {method for method, its_path, _ in ENDPOINTS if its_path == path}

    for method in set(METHODS) - known:
        response = call(admin_api, method, path, source.pk)
        assert (response.status_code, response.json()["error"]["code"]) == (
            405,
            "METHOD_NOT_ALLOWED",
        )


def test_the_table_has_every_endpoint():
    routes = {str(route.pattern).replace("<str:source_id>", "{id}") for route in urlpatterns}

    assert routes - set(PUBLIC) == {path.removeprefix("/") for _, path, _ in ENDPOINTS}
