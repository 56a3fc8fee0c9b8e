"""The rights of each role of PostgreSQL, and the rows that it sees: row-level security on every
table with a tenant.

`migrate` applies it at its end, to the tables that it finds: those with a column `tenant_id`, and
the tenants' own. Nothing is granted anywhere else, so a table that a crash left without its policy
is one that nobody but its owner can read. What is already as it should be is not touched, and no
lock is taken on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from config.database.acting import DatabaseRole, as_migrations

SERVING, STAFF, MAINTENANCE = ROLES = tuple(DatabaseRole)
LOCK = 20_033  # of pg_advisory_xact_lock: one process of a database at a time

TENANTS = "accounts_tenant"  # whose rows are each their own
ALL = frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"})
NONE: frozenset[str] = frozenset()
# Where a role may do something else than all (of a table with a tenant, or to maintenance and
# staff) or nothing (of one without a tenant, to serving).
RIGHTS: dict[tuple[str, str], frozenset[str]] = {
    # What people did is added to. Maintenance ends what is older than two years.
    (SERVING, "accounts_activityentry"): frozenset({"SELECT", "INSERT"}),
    (STAFF, "accounts_activityentry"): frozenset({"SELECT", "INSERT"}),
    # UPDATE: a pseudonym, of who is erased just now. A trigger refuses all else (decision 0041).
    (MAINTENANCE, "accounts_activityentry"): frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"}),
    # Receipts hold nobody's data; a trigger keeps them.
    (SERVING, "accounts_erasurereceipt"): frozenset({"SELECT", "INSERT", "UPDATE"}),
    # Staff read a tenant's words by these, so nobody else writes them.
    (SERVING, "accounts_staffaccess"): NONE,
    # A workspace begins with a signup and ends with its erasure: neither is a tenant's own doing.
    (SERVING, TENANTS): frozenset({"SELECT", "UPDATE"}),
    # People belong to several tenants, programs and codes to none yet.
    (SERVING, "accounts_user"): ALL,
    (SERVING, "accounts_twofactor"): ALL,
    (SERVING, "accounts_recoverycode"): ALL,
    (SERVING, "accounts_onetimecode"): ALL,
    (SERVING, "accounts_signup"): ALL,
    (SERVING, "accounts_program"): ALL,
    (SERVING, "accounts_codealarm"): frozenset({"SELECT", "INSERT", "UPDATE"}),
    (SERVING, "accounts_plan"): frozenset({"SELECT"}),
    # UPDATE: code that writes vectors locks the space that they are of.
    (SERVING, "sources_embeddingspace"): frozenset({"SELECT", "INSERT", "UPDATE"}),
    # Migrations are the owner's.
    (STAFF, "django_migrations"): NONE,
    (MAINTENANCE, "django_migrations"): frozenset({"SELECT"}),
}

# As PostgreSQL writes them, to compare. The subselect is run once a query, not once a row.
OF_THE_TENANT = (
    "({column} = ( SELECT (NULLIF(current_setting('knowledge.tenant'::text, true), ''::text))::uuid"
    ' AS "nullif"))'
)
WHILE_MIGRATING = "(current_setting('knowledge.migrating'::text, true) = 'on'::text)"

READ_TABLES = """
SELECT c.relname,
       CASE WHEN c.relname = %(tenants)s THEN 'id' ELSE tenant.attname END,
       c.relrowsecurity AND c.relforcerowsecurity,
       ARRAY(
           SELECT concat_ws(' ', polname,
                            CASE WHEN polpermissive THEN polcmd::text ELSE 'restrictive' END,
                            (SELECT string_agg(rolname, ', ' ORDER BY rolname)
                             FROM pg_roles WHERE pg_roles.oid = ANY (polroles)),
                            pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
           FROM pg_policy WHERE polrelid = c.oid
       ),
       ARRAY(SELECT polname::text FROM pg_policy WHERE polrelid = c.oid),
       ARRAY(
           SELECT coalesce(rolname, 'public') || ' ' || privilege_type
           FROM aclexplode(c.relacl) LEFT JOIN pg_roles ON pg_roles.oid = grantee
           WHERE grantee = 0 OR rolname = ANY (%(roles)s::text[])
       )
FROM pg_class c
LEFT JOIN pg_attribute tenant
  ON tenant.attrelid = c.oid AND tenant.attname = 'tenant_id' AND NOT tenant.attisdropped
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
ORDER BY c.relname
"""
READ_ROLES = """
SELECT rolname, rolsuper OR rolbypassrls OR rolcanlogin, pg_has_role(rolname, 'SET')
FROM pg_roles WHERE rolname = ANY (%s::text[])
"""


def apply_policies(connection: BaseDatabaseWrapper) -> None:
    """Applies all roles, rights and policies, or none, as the owner of the tables.

    Raises ImproperlyConfigured, with the SQL to run, when the owner may not make the roles.
    """
    with (
        as_migrations(),
        transaction.atomic(using=connection.alias),
        connection.cursor() as cursor,
    ):
        # Several copies of the service may be started, and migrate, at the same time.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        cursor.execute("SELECT quote_ident(current_user), quote_ident(current_database())")
        owner, database = cursor.fetchone() or ("", "")
        make_roles(cursor, owner)
        close_database(cursor, database)
        tables = read_tables(cursor)
        if changes := [change for table in tables for change in changes_of(table, owner)]:
            cursor.execute(";\n".join(changes))


# --- Roles ----------------------------------------------------------------------------------------


def make_roles(cursor: CursorWrapper, owner: str) -> None:
    cursor.execute(READ_ROLES, [[*ROLES]])
    found = {name: (is_strong, is_ours) for name, is_strong, is_ours in cursor.fetchall()}
    strong = [name for name, (is_strong, _) in found.items() if is_strong]
    if strong:
        raise ImproperlyConfigured(
            f"The database role {strong[0]} may log in or look past row-level security. Run, as a"
            f" superuser of PostgreSQL:\nALTER ROLE {strong[0]} NOLOGIN NOSUPERUSER NOBYPASSRLS;"
        )
    missing = [name for name in ROLES if name not in found]
    not_ours = [name for name in ROLES if not found.get(name, (False, False))[1]]
    statements = [f"CREATE ROLE {name} NOLOGIN;" for name in missing]
    statements += [f"GRANT {name} TO {owner} WITH INHERIT FALSE, SET TRUE;" for name in not_ours]
    if not statements:
        return
    cursor.execute("SELECT rolcreaterole OR rolsuper FROM pg_roles WHERE rolname = current_user")
    (may_make_roles,) = cursor.fetchone() or (False,)
    if not may_make_roles:
        raise ImproperlyConfigured(
            "The database lacks roles of the service. Run, as a superuser of PostgreSQL:\n"
            + "\n".join(statements)
        )
    cursor.execute("\n".join(statements))


def close_database(cursor: CursorWrapper, database: str) -> None:
    """Lets nobody but its owner make anything in the database, not even temporary tables."""
    statements = (
        f"REVOKE CREATE, TEMPORARY ON DATABASE {database} FROM PUBLIC;",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC;",
        f"GRANT USAGE ON SCHEMA public TO {', '.join(ROLES)};",
    )
    cursor.execute("\n".join(statements))
    cursor.execute(
        "SELECT bool_or(has_database_privilege(role, current_database(), 'CREATE, TEMPORARY')"
        "               OR has_schema_privilege(role, 'public', 'CREATE'))"
        " FROM unnest(%s::text[]) AS role",
        [[*ROLES]],
    )
    if cursor.fetchone() != (False,):
        raise ImproperlyConfigured(
            "Roles of the service may make tables in the database. Run, as a superuser of"
            " PostgreSQL:\n" + "\n".join(statements)
        )


# --- Tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """A table as it is in the database. `tenant_column` None: its rows have no tenant."""

    name: str
    tenant_column: str | None
    is_forced: bool
    policies: frozenset[str]
    policy_names: tuple[str, ...]
    grants: frozenset[str]


def read_tables(cursor: CursorWrapper) -> list[Table]:
    cursor.execute(READ_TABLES, {"tenants": TENANTS, "roles": [*ROLES]})
    return [
        Table(name, column, is_forced, frozenset(policies), tuple(names), frozenset(grants))
        for name, column, is_forced, policies, names, grants in cursor.fetchall()
    ]


@dataclass(frozen=True)
class Policy:
    """A policy for all commands: rows that may not be seen may not be written either."""

    name: str
    roles: tuple[str, ...]
    condition: str

    def __str__(self) -> str:
        """Returns the policy in the form in which READ_TABLES tells it."""
        return f"{self.name} * {', '.join(sorted(self.roles))} {self.condition}"


def policies_of(table: Table, owner: str) -> list[Policy]:
    if table.tenant_column is None:
        return []
    return [
        Policy("serving", (SERVING,), OF_THE_TENANT.format(column=table.tenant_column)),
        Policy("all_tenants", (MAINTENANCE, STAFF), "true"),
        Policy("migrations", (owner,), WHILE_MIGRATING),
    ]


def changes_of(table: Table, owner: str) -> Iterator[str]:
    """Yields the statements that make the table as it should be."""
    policies = policies_of(table, owner)
    if table.tenant_column is not None and not table.is_forced:
        yield f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
    if table.policies != {str(policy) for policy in policies}:
        for name in table.policy_names:
            yield f'DROP POLICY "{name}" ON {table.name}'
        for policy in policies:
            to = f"TO {', '.join(policy.roles)} USING ({policy.condition})"
            yield f"CREATE POLICY {policy.name} ON {table.name} {to}"
    wanted = {}
    for role in ROLES:
        is_usual = table.tenant_column is not None or role != SERVING
        wanted[role] = RIGHTS.get((role, table.name), ALL if is_usual else NONE)
    if table.grants != {f"{role} {right}" for role, rights in wanted.items() for right in rights}:
        yield f"REVOKE ALL ON {table.name} FROM PUBLIC, {', '.join(ROLES)}"
        for role, rights in wanted.items():
            if rights:
                yield f"GRANT {', '.join(sorted(rights))} ON {table.name} TO {role}"
