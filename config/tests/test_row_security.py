"""The database as the second wall: what PostgreSQL itself says to statements that no code of ours
has scoped. Tables come from the models, rows from rows.py.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from psycopg import errors

from accounts.models import ActivityEntry, StaffAccess, Tenant
from accounts.models.tenancy import TenantModel, TenantQuerySet
from channels.models import ChannelConnection
from config.database import policies
from config.database.acting import DatabaseRole, as_migrations, as_tenant, over_all_tenants
from config.database.policies import apply_policies, changes_of, read_tables
from config.tests.rows import (
    MAKERS,
    make_activity_entry,
    make_chunk,
    make_kept_connection,
    make_source,
)
from sources.models import Chunk, Connection

MODELS: list[Any] = sorted(
    (m for m in apps.get_models() if issubclass(m, TenantModel) or m is Tenant),
    key=lambda model: model._meta.label,
)
SERVING, STAFF, MAINTENANCE = DatabaseRole
OWNER = "NONE"  # as SET ROLE calls whoever has logged in
GARBAGE = "' OR true --"

pytestmark = pytest.mark.django_db


each_model = pytest.mark.parametrize("model", MODELS, ids=[m._meta.label for m in MODELS])


# --- Statements -----------------------------------------------------------------------------------


@contextmanager
def speaking_as(role: str, tenant: object = "", migrating: str = "") -> Iterator[psycopg.Cursor]:
    """Past Django and our engine, in the test's transaction; whatever was done is undone."""
    with psycopg.ClientCursor(connection.connection) as cursor:
        cursor.execute("SAVEPOINT attempt")
        try:
            cursor.execute(f"SET LOCAL ROLE {role}")
            for name, value in ("tenant", str(tenant)), ("migrating", migrating):
                cursor.execute("SELECT set_config(%s, %s, true)", [f"knowledge.{name}", value])
            yield cursor
        finally:
            cursor.execute("ROLLBACK TO SAVEPOINT attempt")


def attempt(statement: Any, *parameters: object, **as_whom: Any) -> int:
    """How many rows it found or changed."""
    with speaking_as(**as_whom) as cursor:
        cursor.execute(statement, parameters or None)
        return cursor.rowcount


def tenant_column(model: Any) -> str:
    return "id" if model is Tenant else "tenant_id"


def tenant_of(row: Any) -> uuid.UUID:
    return row.pk if isinstance(row, Tenant) else row.tenant_id


def statements(row: Any) -> dict[str, tuple[Any, ...]]:
    """Each kind of statement, on every row that it can reach; INSERT writes `row` once more."""
    column, table = tenant_column(type(row)), row._meta.db_table
    read = f"SELECT to_jsonb(t)::text FROM {table} t WHERE {column} = %s"  # noqa: S608 - our names
    with speaking_as(MAINTENANCE) as cursor:
        (content,) = cursor.execute(read, [tenant_of(row)]).fetchone() or ({},)
    copy = f"INSERT INTO {table} SELECT (jsonb_populate_record(NULL::{table}, %s::jsonb)).*"
    return {
        "SELECT": (f"SELECT FROM {table}",),
        "INSERT": (copy, content),
        "UPDATE": (f"UPDATE {table} SET {column} = {column}",),  # noqa: S608
        "DELETE": (f"DELETE FROM {table}",),  # noqa: S608
    }


def reach(statement: tuple[Any, ...], **as_whom: Any) -> str:
    """What became of it: "one" row, "none", or who refused."""
    try:
        return {0: "none", 1: "one"}.get(attempt(*statement, **as_whom), "many")
    except (errors.UniqueViolation, errors.ForeignKeyViolation):
        return "one"  # row-level security is asked first: it let the row through
    except errors.InsufficientPrivilege as error:
        return "policy" if "row-level security" in str(error) else "not granted"
    except errors.InvalidTextRepresentation:
        return "no tenant's id"


# --- Each table -----------------------------------------------------------------------------------


@each_model
def test_a_tenant_reaches_its_own_row_and_no_other(model: Any) -> None:
    row = MAKERS[model]()
    stranger = make_source().tenant_id
    kept = {"SELECT": "one", "INSERT": "one", "UPDATE": "one", "DELETE": "one"}
    if model is ActivityEntry:
        kept |= {"UPDATE": "not granted", "DELETE": "not granted"}
    if model is StaffAccess:
        kept = dict.fromkeys(kept, "not granted")
    if model is Tenant:
        kept |= {"INSERT": "not granted", "DELETE": "not granted"}
    closed = {"SELECT": "none", "INSERT": "policy", "UPDATE": "none", "DELETE": "none"}
    denied = {kind: said for kind, said in kept.items() if said == "not granted"}
    garbage = dict.fromkeys(closed, "no tenant's id")

    found = {
        setting: {
            kind: reach(statement, role=SERVING, tenant=setting)
            for kind, statement in statements(row).items()
        }
        for setting in (tenant_of(row), stranger, uuid.uuid4(), "", GARBAGE)
    }

    if model in (Tenant, type(make_source())):  # the stranger has a row of these of its own
        own = {"SELECT": "one", "UPDATE": "one", "DELETE": "one"}
    else:
        own = {}
    assert found.pop(tenant_of(row)) == kept
    assert found.pop(stranger) == closed | own | denied
    assert found.pop(GARBAGE) == garbage | denied
    assert list(found.values()) == [closed | denied] * 2


@each_model
def test_a_row_does_not_move_to_another_tenant(model: Any) -> None:
    row, stranger = MAKERS[model](), make_source().tenant_id
    move = f"UPDATE {model._meta.db_table} SET {tenant_column(model)} = %s"  # noqa: S608

    assert reach((move, stranger), role=SERVING, tenant=tenant_of(row)) in ("policy", "not granted")


@each_model
def test_the_owner_sees_nothing_but_while_it_migrates(model: Any) -> None:
    row = MAKERS[model]()
    others = {kind: said for kind, said in statements(row).items() if kind != "INSERT"}
    read = {"SELECT": others["SELECT"]}

    for statement in others.values():
        assert reach(statement, role=OWNER, tenant=tenant_of(row)) == "none"
    assert reach(statements(row)["INSERT"], role=OWNER, tenant=tenant_of(row)) == "policy"
    assert reach(read["SELECT"], role=OWNER, migrating="on") != "none"


@each_model
def test_staff_and_maintenance_see_all_tenants(model: Any) -> None:
    MAKERS[model](), MAKERS[model]()

    for role in (STAFF, MAINTENANCE):
        assert reach((f"SELECT FROM {model._meta.db_table}",), role=role) == "many"


@pytest.mark.parametrize("model", [m for m in MODELS if m is not StaffAccess], ids=str)
def test_a_scope_that_lost_its_tenant_finds_its_own_rows_alone(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first wall down: `objects` of every model gives everything."""
    ours: Any = MAKERS[model]()
    theirs = MAKERS[model]()
    monkeypatch.setattr(TenantQuerySet, "scoped", lambda rows, tenant: rows)
    rows = Tenant.objects if model is Tenant else model.objects.for_tenant(ours.tenant)

    with as_tenant(tenant_of(ours)):
        assert [row.pk for row in rows.all()] == [ours.pk]
        assert not rows.filter(pk=theirs.pk).exists()


# --- A table without its wall ---------------------------------------------------------------------


def open_tables() -> list[str]:
    """Which the next `migrate` would change."""
    with as_migrations(), connection.cursor() as cursor:
        owner = connection.settings_dict["USER"]
        return [t.name for t in read_tables(cursor) if list(changes_of(t, owner))]


HOLES = {
    "a new table": "CREATE TABLE agents_agent_2 (tenant_id uuid)",
    "not enabled": "ALTER TABLE agents_agent DISABLE ROW LEVEL SECURITY",
    "not forced": "ALTER TABLE agents_agent NO FORCE ROW LEVEL SECURITY",
    "no policy": "DROP POLICY serving ON agents_agent",
    "a weaker one": "ALTER POLICY serving ON agents_agent USING (true)",
    "for everybody": "ALTER POLICY serving ON agents_agent TO PUBLIC",
    "one beside it": "CREATE POLICY report ON agents_agent TO knowledge_serving USING (true)",
    "a right too many": "GRANT TRUNCATE ON agents_agent TO knowledge_serving",
    "open to all": "GRANT SELECT ON agents_agent TO PUBLIC",
    "a table of our own": "GRANT SELECT ON django_session TO knowledge_serving",
}


def test_no_table_is_open() -> None:
    assert open_tables() == []


@pytest.mark.parametrize("hole", HOLES.values(), ids=HOLES)
def test_a_hole_is_found_and_closed_by_the_next_migrate(hole: str) -> None:
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute(hole)
    assert len(open_tables()) == 1

    apply_policies(connection)

    assert open_tables() == []


def test_a_table_of_which_migrate_knows_nothing_yet_is_read_by_nobody() -> None:
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute("CREATE TABLE agents_agent_2 (tenant_id uuid)")

    for role in DatabaseRole:
        assert reach(("SELECT FROM agents_agent_2",), role=role) == "not granted"


def test_every_model_with_a_tenant_has_the_column_that_policies_look_for() -> None:
    with as_migrations(), connection.cursor() as cursor:
        guarded = {t.name for t in read_tables(cursor) if t.tenant_column}

    assert guarded == {model._meta.db_table for model in MODELS}


def test_django_makes_no_table_between_rows_of_tenants_by_itself() -> None:
    """An automatic table of a many-to-many field would have no tenant."""
    between = [m for m in apps.get_models(include_auto_created=True) if m._meta.auto_created]
    related = [f.related_model for m in between for f in m._meta.fields if f.related_model]

    assert [m for m in related if m is Tenant or issubclass(m, TenantModel)] == []


# --- What serving may not do ----------------------------------------------------------------------


FORBIDDEN = [  # also to the service's login (test_service_login.py)
    "CREATE TABLE mine (id int)",
    "CREATE TEMPORARY TABLE mine (id int)",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "DROP EXTENSION vector CASCADE",
    "CREATE ROLE mine SUPERUSER",
    "ALTER TABLE agents_agent ADD COLUMN mine int",
    "ALTER TABLE agents_agent DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE agents_agent NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE accounts_activityentry DISABLE TRIGGER ALL",
    "ALTER POLICY serving ON agents_agent USING (true)",
    "CREATE POLICY mine ON agents_agent USING (true)",
    "DROP POLICY serving ON agents_agent",
    "DROP TABLE agents_agent",
    "CREATE INDEX ON agents_agent (name)",
    "TRUNCATE agents_agent CASCADE",
    "LOCK TABLE accounts_activityentry IN EXCLUSIVE MODE",
    "UPDATE accounts_activityentry SET actor = 'nobody'",
    "DELETE FROM accounts_activityentry",
    "TRUNCATE accounts_activityentry",
    "UPDATE accounts_plan SET name = 'free'",
    "SELECT FROM django_session",
    "SELECT FROM django_admin_log",
    "SELECT FROM django_migrations",
    "SELECT FROM auth_group",
    "SELECT FROM pg_authid",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY agents_agent TO '/tmp/agents'",
    "GRANT knowledge_maintenance TO knowledge_serving",
    "SET session_replication_role = replica",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_serving_may_not(statement: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        attempt(statement, role=SERVING, tenant=make_source().tenant_id)


def test_copy_does_not_write_past_the_policy() -> None:
    with (
        pytest.raises(errors.FeatureNotSupported, match="COPY FROM not supported"),
        speaking_as(SERVING, make_source().tenant_id) as cursor,
        cursor.copy("COPY agents_agent FROM STDIN"),
    ):
        pass


def test_switching_row_security_off_is_an_error_and_no_way_out() -> None:
    with speaking_as(SERVING, make_source().tenant_id) as cursor:
        cursor.execute("SET LOCAL row_security = off")
        with pytest.raises(errors.InsufficientPrivilege, match="affected by row-level security"):
            cursor.execute("SELECT FROM sources_source")


def test_serving_adds_to_the_activity_log_of_its_tenant_alone() -> None:
    entry = make_activity_entry()
    add = "INSERT INTO accounts_activityentry (tenant_id, actor, action, created_at, target_kind,"
    add += " target_id, target_name, details, address, user_agent)"
    add += " VALUES (%s, 'ana', 'sign_in', now(), '', '', '', '{}', '', '')"

    assert reach((add, entry.tenant_id), role=SERVING, tenant=entry.tenant_id) == "one"
    assert reach((add, make_source().tenant_id), role=SERVING, tenant=entry.tenant_id) == "policy"


# --- Roles ----------------------------------------------------------------------------------------


def test_a_role_that_sees_past_the_policies_stops_migrate(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of ours does; a superuser may have made it so."""
    monkeypatch.setattr(policies, "ROLES", ("postgres", *DatabaseRole))

    with pytest.raises(ImproperlyConfigured, match="ALTER ROLE postgres NOLOGIN NOSUPERUSER"):
        apply_policies(connection)


def test_where_the_owner_may_not_make_roles_the_operator_reads_what_to_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(policies, "ROLES", (*DatabaseRole, "knowledge_new"))

    with pytest.raises(ImproperlyConfigured, match="CREATE ROLE knowledge_new NOLOGIN;"):
        apply_policies(connection)


# --- What the policies stand in the way of, and must not ------------------------------------------


def test_triggers_are_known_here() -> None:
    """One that reads or writes a table with a tenant may run as the owner, who sees nothing."""
    read = "SELECT proname, prosecdef FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid"
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute(f"{read} WHERE NOT tgisinternal ORDER BY 1")

        assert cursor.fetchall() == [
            ("accounts_keep_activity", False),  # whoever may delete entries sees all tenants
            ("accounts_keep_receipts", False),  # looks at the row alone
            ("channels_forget_connection", True),
        ]


def test_what_hangs_on_a_row_goes_with_it() -> None:
    """Cascades and triggers of the database run as the owner, who sees nothing itself."""
    chunk, channel = make_chunk(), make_kept_connection()
    agent = channel.agent

    with as_tenant(chunk.tenant_id), connection.cursor() as cursor:
        cursor.execute("DELETE FROM sources_source")
    with as_tenant(agent.tenant_id), connection.cursor() as cursor:
        cursor.execute("DELETE FROM agents_agent")

    with over_all_tenants():
        assert not Chunk.all_tenants.exists()
        assert not ChannelConnection.all_tenants.exists()
        assert not Connection.all_tenants.exists()


def test_the_activity_log_goes_with_its_tenant_alone() -> None:
    """Its trigger looks for the tenant: one that it may not see must not count as gone."""
    entry, other = make_activity_entry(), make_activity_entry()
    end = "DELETE FROM accounts_activityentry WHERE tenant_id = %s"

    with pytest.raises(errors.IntegrityConstraintViolation):
        attempt(end, entry.tenant_id, role=MAINTENANCE)
    with over_all_tenants(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM accounts_tenant WHERE id = %s", [entry.tenant_id])

    assert [row.pk for row in ActivityEntry.all_tenants.all()] == [other.pk]
