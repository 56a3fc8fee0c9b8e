"""Whichever column holds somebody's address: it keeps no erasure of theirs open, and what is theirs
does not keep the address."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.postgres.fields import ArrayField
from django.contrib.sessions.models import Session as SignedIn
from django.db import DataError, IntegrityError, connection, models, transaction
from django.utils import timezone

from accounts.leaving.erasing import erase_person, searched_columns
from accounts.leaving.receipts import take_receipt
from accounts.models import ActivityEntry, AskedBy, ErasureReceipt, Tenant, User
from accounts.services.leaving.erasure import begin_erasure
from accounts.tests.factories import make_user
from config.database.acting import as_migrations
from config.security.personal import TEXTS, Personal, list_personal, names, naming
from config.tests.rows import MAKERS
from sources.models.chunks import EmbeddingSpace

pytestmark = pytest.mark.django_db

NUMBERS = itertools.count(100)


def make_permission() -> Permission:
    permissions = Permission.objects
    return permissions.create(content_type=make_content_type(), codename="look", name="Look")


def make_content_type() -> ContentType:
    return ContentType.objects.create(app_label=uuid.uuid4().hex, model="none")


# Beside those of config/tests/rows.py: of packages, and of no tenant.
EVERY_MAKER: dict[type[models.Model], Callable[[], models.Model]] = MAKERS | {
    Permission: make_permission,
    ContentType: make_content_type,
    SignedIn: lambda: SignedIn.objects.create(
        session_key=uuid.uuid4().hex, expire_date=timezone.now()
    ),
    EmbeddingSpace: lambda: EmbeddingSpace.objects.create(
        id=next(NUMBERS), model=uuid.uuid4().hex, dimension=2
    ),
}

ADDRESS = "ana@acme.es"
ALONE, AMONG_OTHERS = ADDRESS, f"Hello,\n{ADDRESS.upper()}!"
KEPT = ("accounts_activityentry", "accounts_erasurereceipt")  # by triggers, from us too
# Words of the service, which no client chooses: kinds and ids of what somebody did something to.
OURS = {f"accounts.ActivityEntry.{name}" for name in ("action", "target_kind", "target_id")}
# Which no model declares as text: names of migrations, and the key of a plan.
UNDECLARED = {"django_migrations.app", "django_migrations.name", "accounts_tenant.plan_id"}
# Wide enough, and the database refuses it all the same.
CHECKED = {
    "accounts.Plan.slug": "tenants point to it",
    "accounts.Program.secret_hash": "not without a way to prove it",
    "accounts.Tenant.slug": "letters, digits and hyphens",
    "accounts.User.email": "one account for an address, in lower case",
}


def columns_of(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """Of text, also where a model lists what may stand there."""
    fields = model._meta.local_concrete_fields
    return [f for f in fields if isinstance(getattr(f, "base_field", f), TEXTS)]


def all_columns() -> list[models.Field[Any, Any]]:
    return [field for model in apps.get_models() for field in columns_of(model)]


@contextmanager
def without_triggers() -> Iterator[None]:
    """As whoever inserted the rows so in the first place."""
    switch("DISABLE")
    yield
    switch("ENABLE")


def switch(how: str) -> None:
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in KEPT:
            cursor.execute(f"ALTER TABLE {table} {how} TRIGGER USER")


def write(row: models.Model, field: models.Field[Any, Any], text: str) -> bool:
    """Whether the database takes it there."""
    said = {models.JSONField: {"said": [text]}, ArrayField: [text]}
    value = next((value for kind, value in said.items() if isinstance(field, kind)), text)
    rows = type(row)._base_manager.order_by()
    try:
        with transaction.atomic(), as_migrations():
            rows.filter(pk=row.pk).update(**{field.name: value})
            return naming(rows, field.name, names(ADDRESS)).exists()  # an array is cut silently
    except (IntegrityError, DataError):
        return False


def holding_columns() -> set[str]:
    """By what PostgreSQL finds, whatever is declared."""
    found = set()
    for field in all_columns():
        table, column = field.model._meta.db_table, field.column
        with connection.cursor() as cursor:
            cursor.execute(
                f'SELECT FROM {table} WHERE "{column}"::text ILIKE %s LIMIT 1',
                [f"%{ADDRESS}%"],
            )
            if cursor.fetchone() is not None:
                found.add(str(field))
    return found


def erase(user: User) -> ErasureReceipt:
    receipt = begin_erasure(user, AskedBy.THEMSELF)
    assert take_receipt(receipt)
    erase_person(receipt)
    receipt.refresh_from_db()
    return receipt


def test_the_walk_is_over_every_column_of_text_that_the_database_has() -> None:
    with as_migrations(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname || '.' || attname FROM pg_attribute"
            " JOIN pg_class ON pg_class.oid = attrelid JOIN pg_type ON pg_type.oid = atttypid"
            " WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')"
            " AND attnum > 0 AND NOT attisdropped AND (typcategory = 'S'"
            " OR typname IN ('json', 'jsonb', 'xml', 'hstore', 'tsvector', '_text', '_varchar'))"
        )
        found = {name for (name,) in cursor.fetchall()}

    walked = {f"{field.model._meta.db_table}.{field.column}" for field in all_columns()}
    assert found - walked == UNDECLARED


@pytest.mark.parametrize("text", [ALONE, AMONG_OTHERS], ids=["alone", "among others"])
def test_others_write_it_into_every_column_and_no_receipt_stays_open(
    tenant: Tenant, text: str
) -> None:
    make_user(tenant)
    ana = make_user(tenant, email=ADDRESS)
    written: set[str] = set()
    refused: set[str] = set()
    with without_triggers():
        for model, make in EVERY_MAKER.items():
            for field in columns_of(model):
                (written if write(make(), field, text) else refused).add(str(field))

    receipt = erase(ana)

    assert receipt.finished_at is not None
    wide = {str(field) for field in all_columns() if not is_narrow(field)}
    assert refused & wide == CHECKED.keys()
    searched = {str(field) for field in searched_columns()} & written
    cleaned = {f"{model._meta.label}.{name}" for model, name in cleaned_columns(text)}
    assert set(receipt.said_by_others) == searched - cleaned
    assert set(receipt.said_by_others.values()) == {1}
    assert holding_columns() == written - cleaned
    assert len(written | refused) == len(all_columns()) > 150  # all are tried


def is_narrow(field: models.Field[Any, Any]) -> bool:
    """Whether it has room for nobody's address, or the service knows what may stand there."""
    of = getattr(field, "base_field", field)
    return bool(of.choices) or (of.max_length or 1000) < len(AMONG_OTHERS)


def cleaned_columns(text: str) -> Iterator[tuple[type[models.Model], str]]:
    for model, rule in list_personal():
        yield from ((model, column) for column in rule.named_in)
        if rule.address and text == ADDRESS:
            yield model, rule.address


OWN = [(model, rule) for model, rule in list_personal() if rule.of]


@pytest.mark.parametrize(("model", "rule"), OWN, ids=[model._meta.label for model, _ in OWN])
def test_what_is_the_persons_own_keeps_it_in_no_column(
    model: type[models.Model], rule: Personal, tenant: Tenant
) -> None:
    row = MAKERS[model]()
    ana = owner_of(row, rule, tenant)
    with without_triggers():
        for field in columns_of(model):
            if str(field) not in OURS:
                write(row, field, ALONE)
    assert "accounts.User.email" in holding_columns()

    receipt = erase(ana)

    assert receipt.finished_at is not None
    assert receipt.said_by_others == {}
    assert holding_columns() == set()


def owner_of(row: models.Model, rule: Personal, tenant: Tenant) -> User:
    """Called Ana, with a place in a workspace that has another admin, and no staff of ours."""
    if isinstance(row, ActivityEntry):
        owner = make_user()
        with without_triggers():
            write_person(row, owner)
    else:
        (found,) = type(row)._base_manager.filter(pk=row.pk).values_list(rule.of, flat=True)
        owner = User.objects.get(pk=found)
    User.objects.filter(pk=owner.pk).update(email=ADDRESS, is_staff=False)
    for membership in owner.memberships.select_related("tenant"):
        make_user(membership.tenant)
    owner.refresh_from_db()
    return owner


def write_person(entry: ActivityEntry, person: User) -> None:
    with as_migrations():
        ActivityEntry.all_tenants.filter(pk=entry.pk).update(person_id=person.pk)
