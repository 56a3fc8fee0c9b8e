"""The state of all our tables, so that two moments can be compared."""

from django.apps import apps
from django.db import connection, models

from accounts.models import Tenant, TwoFactor, User
from accounts.models.tenancy import TenantModel

# (table, owner): the owner is a tenant's or a person's id, or "" for what belongs to neither.
Place = tuple[str, str]
Snapshot = dict[Place, str]

OUR_APPS = ("accounts", "agents", "channels", "query", "sources", "webhooks")


def take_snapshot() -> Snapshot:
    """A hash of the rows of each owner in each table. One query, over all columns."""
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(map(select_hashes, our_models())))
        return {(table, owner): content for table, owner, content in cursor.fetchall()}


def our_models() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if model._meta.app_label in OUR_APPS]


def select_hashes(model: type[models.Model]) -> str:
    table, owner = model._meta.db_table, owner_column(model)
    # Names of our own tables and columns: there is nothing of a client in them.
    return (
        f"SELECT '{table}', {owner}, md5(string_agg(md5(t::text), '' ORDER BY md5(t::text)))"  # noqa: S608
        f" FROM {table} t GROUP BY 2"
    )


def owner_column(model: type[models.Model]) -> str:
    if issubclass(model, TenantModel):
        return "tenant_id::text"
    if model in (Tenant, User):
        return "id::text"
    if model is TwoFactor:
        return "user_id::text"
    return "''"


def changed_places(before: Snapshot, after: Snapshot) -> list[Place]:
    places = before.keys() | after.keys()
    return sorted(place for place in places if before.get(place) != after.get(place))
