"""A database of the last commit before version 0.1 becomes one of this version
(docs/decisions/0069-squashed-migrations.md). How it was made stands beside it, in
files/database-before-0.1.md.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connection as database
from django.db.migrations.loader import MigrationLoader

from config.management.commands.migrate import LAST_BEFORE_0_1
from config.settings import BASE_DIR
from query.tests.factories import LIGHTHOUSE

pytestmark = pytest.mark.slow

DUMP = Path(__file__).parent / "files" / "database-before-0.1.sql.gz"
OWNER = "knowledge_agents"  # of the tables, where the dump was made
KEY = b64encode(hashlib.sha256(b"of a test").digest()).decode()

ASK = """
import json
from accounts.models import Tenant
from agents.models import Agent
from channels.connections import find_connection, open_config
from config.database.acting import as_tenant
from query.pipeline import answer_question
from query.understanding.inquiries import Inquiry

said = {}
for slug, question in {
    "lighthouse": "On which days can the lighthouse be visited?",
    "harbour": "When does the harbour office open?",
}.items():
    tenant = Tenant.objects.get(slug=slug)
    with as_tenant(tenant.pk):
        said[slug] = answer_question(Inquiry(tenant, question)).text
keeper = Agent.all_tenants.get(name="Keeper")
said["config"] = open_config(find_connection(keeper.pk, "messenger_a"))
print(json.dumps(said))
"""

# Casts and brackets: what reads a dump puts them elsewhere in a list of words.
PUT_ELSEWHERE = re.compile(r"::character varying|::text(\[\])?|[()]")
# All that a schema consists of, extensions aside: what it is called, and what it is.
SCHEMA = {
    "tables": """
        SELECT relname, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions,
               reltoastrelid <> 0, relacl::text
        FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'S')
    """,
    "columns": """
        SELECT relname, rank() OVER (PARTITION BY relname ORDER BY attnum), attname,
               format_type(atttypid, atttypmod), attnotnull, attidentity,
               attgenerated, attstorage, attcompression, attoptions,
               pg_get_expr(adbin, adrelid)
        FROM pg_attribute
        JOIN pg_class ON pg_class.oid = attrelid
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0
          AND NOT attisdropped
    """,
    "indexes": """
        SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisvalid,
               indnullsnotdistinct
        FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
        WHERE relnamespace = 'public'::regnamespace
    """,
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid), convalidated,
               condeferrable, condeferred
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    """,
    "triggers": """
        SELECT pg_get_triggerdef(oid), tgenabled FROM pg_trigger WHERE NOT tgisinternal
    """,
    "functions": """
        SELECT proname, pg_get_functiondef(oid), proacl::text
        FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND NOT EXISTS (
            SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e'
        )
    """,
    "policies": """
        SELECT tablename, policyname, permissive, roles, cmd, qual, with_check FROM pg_policies
    """,
    "sequences": """
        SELECT sequencename, data_type::text, start_value, increment_by, cycle FROM pg_sequences
    """,
    "plans": "SELECT * FROM accounts_plan",
    "permissions": """
        SELECT app_label, model, codename, name
        FROM auth_permission JOIN django_content_type kind ON kind.id = content_type_id
    """,
}
# Grow with each model; what stands in them is compared above.
LISTS_OF_MODELS = {"django_content_type": 0, "auth_permission": 0}


@dataclass(frozen=True)
class Database:
    """One of its own, which only this module knows."""

    name: str

    def url(self, url: str) -> str:
        return urlsplit(url)._replace(path=f"/{self.name}").geturl()

    def manage(self, *words: str) -> subprocess.CompletedProcess[str]:
        """`manage.py`, as the product runs it."""
        return subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=BASE_DIR,
            env={
                **os.environ,
                "DATABASE_URL": self.url(os.environ["DATABASE_URL"]),
                "DATABASE_OWNER_URL": self.url(settings.DATABASE_OWNER_URL),
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "CHANNEL_ENCRYPTION_KEYS": KEY,
            },
            capture_output=True,
            text=True,
            timeout=120,
        )

    @contextmanager
    def open(self) -> Iterator[psycopg.Cursor]:
        """As the owner, who sees all rows."""
        with psycopg.connect(self.url(settings.DATABASE_OWNER_URL)) as connection:
            connection.execute("SELECT set_config('knowledge.migrating', 'on', false)")
            yield connection.cursor()

    def restore(self) -> None:
        with psycopg.connect(self.url(settings.DATABASE_OWNER_URL)) as connection:
            (owner,) = connection.execute("SELECT quote_ident(current_user)").fetchone() or ("",)
            dump = gzip.decompress(DUMP.read_bytes()).decode()
            connection.execute(dump.replace(f"TO {OWNER}", f"TO {owner}").encode())

    def describe(self) -> dict[str, list[str]]:
        with self.open() as cursor:
            return {
                part: sorted(
                    PUT_ELSEWHERE.sub("", str(row)) for row in cursor.execute(query.encode())
                )
                for part, query in SCHEMA.items()
            }

    def migrations(self) -> set[tuple[str, str]]:
        with self.open() as cursor:
            cursor.execute("SELECT app, name FROM django_migrations")
            return {(app, name) for app, name in cursor}

    def count_rows(self) -> dict[str, int]:
        with self.open() as cursor:
            cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            tables = [name for (name,) in cursor.fetchall() if name != "django_migrations"]
            counts = {}
            for table in tables:
                cursor.execute(f"SELECT count(*) FROM {table}".encode())  # noqa: S608 - a table's name
                counts[table] = (cursor.fetchone() or (0,))[0]
            return counts


@contextmanager
def new_database() -> Iterator[Database]:
    made = Database(f"upgraded_{uuid.uuid4().hex}")
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {made.name}".encode())
        try:
            yield made
        finally:
            server.execute(f"DROP DATABASE {made.name} WITH (FORCE)".encode())


@pytest.fixture
def older() -> Iterator[Database]:
    with new_database() as restored:
        restored.restore()
        yield restored


@pytest.mark.django_db
def test_a_database_from_before_version_0_1_is_upgraded_and_answers(older: Database) -> None:
    rows = older.count_rows()

    migrated = older.manage("migrate", "--no-input")

    assert (migrated.returncode, migrated.stderr) == (0, "")
    assert older.migrations() >= set(MigrationLoader(None).disk_migrations)
    fresh = Database(str(database.settings_dict["NAME"]))
    assert older.describe() == fresh.describe()
    kept = {table: count for table, count in older.count_rows().items() if table in rows}
    assert {**kept, **LISTS_OF_MODELS} == {**rows, **LISTS_OF_MODELS}
    answered = older.manage("shell", "--verbosity", "0", "--command", ASK)
    assert answered.returncode == 0, answered.stderr
    assert json.loads(answered.stdout) == {
        "lighthouse": f"{LIGHTHOUSE[0]} [1]",
        "harbour": "The harbour office opens at nine. [1]",
        "config": {"bot_token": "700000001:bot-token-of-a-test", "secret_token": "of-a-test"},
    }


# What a sync has read and not finished: seven passages of each source.
STAGE = """
INSERT INTO sources_document (
    id, tenant_id, source_id, title, external_id, content_type, content_hash, etag, last_modified,
    position, warnings, coverage, chunks_count, synced_at, generation
)
SELECT gen_random_uuid(), tenant_id, id, 'Rates', 'rates', 'text/plain', '', '', '',
       9, '[]', '{}', 7, now(), generation + 1
FROM sources_source
"""


@pytest.mark.django_db
def test_an_upgrade_counts_the_passages_of_plans_and_of_syncs_under_way(older: Database) -> None:
    with older.open() as cursor:
        cursor.execute(STAGE)
        cursor.execute("UPDATE accounts_plan SET max_documents = 30 WHERE slug = 'free'")

    migrated = older.manage("migrate", "--no-input")

    assert migrated.returncode == 0, migrated.stderr
    with older.open() as cursor:
        plans = cursor.execute("SELECT slug, max_passages FROM accounts_plan").fetchall()
        sources = cursor.execute("SELECT reserved_count FROM sources_source").fetchall()
    assert dict(plans) == {
        "free": 12_000,
        "starter": 200_000,
        "pro": 2_000_000,
        "enterprise": None,
    }
    assert sources
    assert set(sources) == {(7,)}


@pytest.mark.parametrize("app", ["accounts", "query"])
def test_one_that_is_older_still_is_told_the_way_and_stays_as_it_is(
    older: Database, app: str
) -> None:
    with older.open() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE id ="
            " (SELECT max(id) FROM django_migrations WHERE app = %s)",
            [app],
        )
    before = older.migrations()

    refused = older.manage("migrate", "--no-input")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == (
        "CommandError: This database is older than version 0.1 can upgrade: first check out commit"
        f" {LAST_BEFORE_0_1} and run its `bin/manage migrate`, then upgrade to this one.\n"
    )
    assert older.migrations() == before


@pytest.mark.django_db
def test_a_first_migration_that_was_killed_goes_on() -> None:
    with new_database() as empty:
        assert empty.manage("migrate", "accounts", "--no-input").returncode == 0

        assert empty.manage("migrate", "--no-input").returncode == 0

        assert empty.describe() == Database(str(database.settings_dict["NAME"])).describe()
