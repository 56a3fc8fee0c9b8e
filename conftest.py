"""Fixtures that the tests of all apps share. Rows are made by the factories of their app."""

import ast
import gc
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError
from django.test.client import MULTIPART_CONTENT, RequestFactory
from django.test.utils import setup_databases, teardown_databases
from django.utils.http import urlencode
from hypothesis import HealthCheck, settings
from pytest_django import DjangoDbBlocker
from rest_framework.test import APIClient

from accounts.models import Program, Role, Tenant, User
from accounts.tests.factories import client_of, make_tenant
from config.database.acting import as_migrations, over_all_tenants
from config.database.owner import log_in_as_owner
from config.tests.suite.template import give_template
from sources.models import Source

pytest_plugins = [
    "config.tests.suite.selection",
    "config.tests.suite.durations",
    "config.tests.suite.shared_copy",
]

# Of a busy machine hypothesis would say that the test is slow.
settings.register_profile(
    "without a clock", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("without a clock")

AsRole = Callable[[Role], APIClient]

_parse = ast.parse


def parse_uncollected(*source: Any, **options: Any) -> Any:
    """`ast.parse`, without a garbage collection in the middle: one that formats a warning parses
    too, and makes Python 3.11 fail with "AST constructor recursion depth mismatch" (seen in
    hypothesis, in pytest's own imports and in tests that read code).
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _parse(*source, **options)
    finally:
        if was_enabled:
            gc.enable()


ast.parse = parse_uncollected

_post = RequestFactory.post


def post_as_browsers_do(
    self: RequestFactory,
    path: str,
    data: Any = None,
    content_type: str = MULTIPART_CONTENT,
    **options: Any,
) -> Any:
    """Send forms without a file as browsers do. Multipart is taken only where files are, and
    Django's client makes it of every form: a sixth of the tests of pages would be refused."""
    values = list(data.values()) if isinstance(data, dict) else []
    has_file = any(hasattr(one, "read") for value in values for one in as_list(value))
    if content_type == MULTIPART_CONTENT and not has_file:
        content_type, data = "application/x-www-form-urlencoded", urlencode(data or {}, doseq=True)
    return _post(self, path, data, content_type, **options)


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


RequestFactory.post = post_as_browsers_do  # type: ignore[method-assign, assignment]


_as_sql = SQLCompiler.as_sql


def as_sql_of_the_product(self: SQLCompiler, *args: Any, **options: Any) -> Any:
    """Refuse a lock outside of a transaction, as Django does in the product. A test's own
    transaction would hide the mistake, and fifty places of the product lock rows."""
    blocks = self.connection.atomic_blocks
    if self.query.select_for_update and all(
        block._from_testcase  # type: ignore[attr-defined]
        for block in blocks
    ):
        raise TransactionManagementError("select_for_update outside of a transaction")
    return _as_sql(self, *args, **options)


SQLCompiler.as_sql = as_sql_of_the_product  # type: ignore[method-assign]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """The owner of the tables makes the database, as a copy of one that is migrated."""
    log_in_as_owner(connection)
    with as_migrations():
        with django_db_blocker.unblock():
            give_template(connection)
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    django_test_environment: None,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Make the test database, and what fixtures make once for many tests behind the wall.

    pytest-django's own fixture makes it only if a test asks for `db` or has its mark: a file of
    tests with committed rows could not be run alone.
    """
    with django_db_blocker.unblock():
        databases = setup_databases(verbosity=0, interactive=False)
    with over_all_tenants():
        yield
    with django_db_blocker.unblock():
        try:
            teardown_databases(databases, verbosity=0)
        except DatabaseError as error:  # a process that a test left is still connected
            request.node.warn(pytest.PytestWarning(f"The test database stays: {error}"))


@pytest.fixture(autouse=True)
def behind_the_wall() -> Iterator[None]:
    """Tests see the rows of all tenants. Requests and tasks begin as nobody, in tests too."""
    with over_all_tenants():
        yield


@pytest.fixture(autouse=True)
def no_heartbeat(monkeypatch: pytest.MonkeyPatch) -> None:
    """A heartbeat's own connection does not see the rows of a test's transaction: it would take
    the run for lost. Tests of committed rows set their own pace.
    """
    monkeypatch.setattr("sources.syncing.runs.HEARTBEAT_SECONDS", 3600.0)


@pytest.fixture(autouse=True)
def limits_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis outlives a test, and all tests come from the same address."""
    monkeypatch.setattr("config.security.rate_limits.KEY_PREFIX", f"limits-{uuid.uuid4().hex}")


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def other_tenant(db: None) -> Tenant:
    """Whose rows must never be seen from `tenant`."""
    return make_tenant("umbrella")


@pytest.fixture
def committed_tenant(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Tenant]:
    """A tenant, on a plan of its own, that other connections see. All of it is deleted after, but
    receipts of erasures, which the database keeps: tests look for their own.

    For tests with threads and processes. Not `django_db(transaction=True)`: that empties all
    tables afterwards, the seeded plans too.
    """
    with django_db_blocker.unblock():
        programs = set(Program.objects.values_list("pk", flat=True))
        people = set(User.objects.values_list("pk", flat=True))
        tenant = make_tenant()
        plan = tenant.plan
        plan.pk = f"plan-of-{tenant.slug}"
        plan.save(force_insert=True)
        tenant.plan = plan
        tenant.save()
        try:
            yield tenant
        finally:
            # Also those who are no members: strangers, staff, and whoever has left.
            User.objects.exclude(pk__in=people).delete()
            with transaction.atomic():
                # A worker may still tidy up after a sync, with the source locked: it ends first, or
                # finds no source.
                list(Source.objects.with_deleted(tenant).select_for_update())
                tenant.delete()
            plan.delete()
            Program.objects.exclude(pk__in=programs).delete()  # they are of no tenant
            connection.close()


@pytest.fixture
def api() -> APIClient:
    """A caller without a token. An exception becomes the 500 answer that a client would get."""
    return APIClient(raise_request_exception=False)


@pytest.fixture
def as_role(tenant: Tenant) -> AsRole:
    """`as_role(Role.MEMBER).get("/agents")`: a logged-in member of `tenant`."""

    def client(role: Role) -> APIClient:
        return client_of(tenant, role=role)

    return client


@pytest.fixture
def admin_api(tenant: Tenant) -> APIClient:
    """A logged-in admin of `tenant`."""
    return client_of(tenant, role=Role.ADMIN)


@pytest.fixture
def other_api(other_tenant: Tenant) -> APIClient:
    """A logged-in admin of `other_tenant`."""
    return client_of(other_tenant, role=Role.ADMIN)
