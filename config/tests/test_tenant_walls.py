"""What keeps tenants apart, over the tables and files of all apps."""

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import IntegrityError, connection, models
from django.urls import URLPattern, URLResolver, get_resolver

from accounts.models import ApiToken, Membership, ProgramAccess, ProgramCode, Session
from accounts.models.tenancy import TenantManager, TenantModel, TenantRequired
from accounts.permissions import Refuse
from agents.models import Agent, AgentSource
from channels.models import ChannelConnection
from config.tests.rows import MAKERS
from query.models import (
    AnswerMark,
    Conversation,
    Lead,
    LeadNote,
    Message,
    Notification,
    NotificationRead,
    NotificationSetting,
    OutcomeCount,
    QuestionGroup,
)
from sources.models import (
    Chunk,
    ChunkEmbedding,
    ChunkReading,
    ChunkTerms,
    Connection,
    Document,
    Entry,
    Schedule,
    Source,
    SourceTerm,
    SyncEvent,
    TermPostings,
    VectorSigns,
)
from webhooks.models import Chat, InboundMessage, Reply

TENANT_MODELS = sorted(
    (model for model in apps.get_models() if issubclass(model, TenantModel)),
    key=lambda model: model._meta.label,
)

# A row of the first may only point to a row of the second of its own tenant.
WALLS: list[tuple[type[TenantModel], str, type[TenantModel]]] = [
    (Session, "membership", Membership),
    (ApiToken, "membership", Membership),
    (ProgramAccess, "membership", Membership),
    (ProgramCode, "membership", Membership),
    (Source, "connection", Connection),
    (Document, "source", Source),
    (SyncEvent, "source", Source),
    (Schedule, "source", Source),
    (Chunk, "source", Source),
    (Chunk, "document", Document),
    (ChunkEmbedding, "source", Source),
    (ChunkReading, "source", Source),
    (ChunkTerms, "source", Source),
    (SourceTerm, "source", Source),
    (TermPostings, "source", Source),
    (VectorSigns, "source", Source),
    (AgentSource, "agent", Agent),
    (AgentSource, "source", Source),
    (Conversation, "agent", Agent),
    (QuestionGroup, "entry", Entry),
    (Message, "conversation", Conversation),
    (Message, "group", QuestionGroup),
    (OutcomeCount, "agent", Agent),
    (Lead, "agent", Agent),
    (Lead, "assignee", Membership),
    (LeadNote, "lead", Lead),
    (Notification, "lead", Lead),
    (AnswerMark, "agent", Agent),
    (Notification, "source", Source),
    (Notification, "agent", Agent),
    (NotificationRead, "notification", Notification),
    (NotificationRead, "membership", Membership),
    (NotificationSetting, "membership", Membership),
    (ChannelConnection, "agent", Agent),
    (ChannelConnection, "connection", Connection),
    (Chat, "connection", ChannelConnection),
    (InboundMessage, "connection", ChannelConnection),
    (InboundMessage, "chat", Chat),
    (Reply, "chat", Chat),
]

# What none of the lists below is about, and why.
MAY_DO_ALL = {
    "*/tests/*.py": "they look behind the scope, the wall and the ORM",
}
# Who may read over all tenants, and why.
MAY_NAME_ALL_TENANTS = {
    "accounts/models/tenancy.py": "declares it",
    "accounts/signing_in/authentication.py": "a token names its session before we know whose it is",
    "accounts/services/signing_in/sessions.py": "so does a refresh token",
    "accounts/programs/access.py": "and a code or a token of a program",
    "accounts/services/signing_in/two_factor.py": "so does a challenge",
    "accounts/services/invitations.py": "and an activation link",
    "accounts/tasks.py": "beat finds what is due in every tenant",
    "accounts/leaving/expiry.py": "and what has ended",
    "accounts/services/staff_access.py": "staff open tenants to themselves, whichever",
    "accounts/leaving/erasing.py": "a person is in several tenants, or in none any more",
    "accounts/leaving/person_archive.py": "likewise",
    "query/conversations/transcripts.py": "and transcripts past their days",
    "query/conversations/erasure.py": "whether somebody belongs to another tenant too",
    "query/notifications/recipients.py": "and what was held back for an hour",
    "channels/connections.py": "a webhook and a widget name an agent before we know whose it is",
    "config/security/rotation.py": "a new key encrypts what every tenant has",
    "webhooks/expiry.py": "messages of messengers past their days",
    "*/admin.py": "our staff sees all tenants",
    "accounts/admin/start_cards.py": "likewise",
    "*/management/commands/*.py": "maintenance",
    "*/migrations/*.py": "maintenance",
    "*/dispatch.py": "beat finds what is due in every tenant",
    "sources/syncing/lanes.py": "tenants take turns",
    "sources/connections.py": "whether a right at a provider is another tenant's too",
}
# Who may speak to the database as somebody else than one tenant, and why.
MAY_ACT_BEYOND_A_TENANT = {
    "accounts/services/leaving/erasure.py": "a person is in several tenants, or in none any more",
    "accounts/leaving/person_archive.py": "likewise",
    "accounts/services/leaving/person_exports.py": "so is the archive of what is held of them",
    "config/database/*.py": "declares it",
    "manage.py": "commands are maintenance",
    "*/management/commands/*.py": "likewise; migrations own the tables",
    "accounts/signing_in/authentication.py": "a token names its session before we know whose it is",
    "accounts/activity.py": "what is done to an account is told to each of its workspaces",
    "accounts/api/sessions.py": "people see the workspaces that they are in",
    **dict.fromkeys(
        (
            "accounts/services/signing_in/codes.py",
            "accounts/services/invitations.py",
            "accounts/services/signing_in/passwords.py",
            "accounts/services/signing_in/sessions.py",
            "accounts/services/signing_in/signup.py",
            "accounts/services/signing_in/two_factor.py",
        ),
        "people sign up, sign in and change their accounts in no tenant",
    ),
    "accounts/services/leaving/deletion.py": "beat looks after all tenants",
    "accounts/services/programs.py": "a code or a token of a program names its tenant",
    "accounts/services/staff.py": "staff look after people, in whichever tenants they are",
    "accounts/tasks.py": "beat looks after all tenants",
    "channels/connections.py": "a webhook and a widget name an agent alone",
    "config/health.py": "whether a request is from staff",
    "query/services/conversations.py": "PostgreSQL uses the index of words before the wall alone",
    "dashboard/account/views.py": "people see their sessions in all workspaces",
    "dashboard/coming_in/*.py": "and the workspaces that they can go on in",
    "dashboard/workspace/programs.py": "likewise",
    "query/tasks.py": "beat looks after all tenants",
    "sources/connections.py": "whether a right at a provider is another tenant's too",
    "sources/syncing/dispatch.py": "beat looks after all tenants",
    "sources/tasks.py": "likewise",
    "sources/syncing/lanes.py": "tenants take turns",
    "webhooks/dispatch.py": "beat looks after all tenants",
    "webhooks/expiry.py": "likewise",
}
MAY_SPEAK_SQL = {
    "config/database/*.py": "who may see which rows, and as whom each statement acts",
    "accounts/plans/usage.py": "the counter of a tenant's questions, once for each of them",
    "query/conversations/outcomes.py": "likewise",
    "query/understanding/spelling.py": "how often a tenant's sources hold thousands of words",
    "query/search/retrieval.py": "the search, with the tenant as a bound parameter",
    "sources/indexing/postings.py": "term weights turned round, of one tenant and source",
    "sources/indexing/rows.py": "rows of chunks and sums of terms, each with its tenant",
    "sources/embedding/spaces.py": "locks that Django does not have, on no tenant's rows",
    "sources/syncing/lanes.py": "likewise",
    "config/health.py": "SELECT 1",
    "*/migrations/*.py": "what Django cannot declare",
}
APPS = (
    "accounts",
    "agents",
    "channels",
    "config",
    "connectors",
    "dashboard",
    "language",
    "query",
    "reading",
    "reasons",
    "sources",
    "webhooks",
)
BEYOND_A_TENANT = {"over_all_tenants", "as_staff", "as_migrations", "acting"}
BYPASSES = {"all_tenants", "_base_manager", "_default_manager"}
RAW_SQL = {"cursor", "raw", "extra", "RawSQL", "executemany", "execute_sql"}


def wall_id(part: Any) -> str:
    return part.__name__ if isinstance(part, type) else str(part)


# --- Models ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", TENANT_MODELS, ids=wall_id)
def test_django_itself_uses_all_tenants_and_objects_demands_a_tenant(
    model: type[TenantModel],
) -> None:
    assert {manager.name for manager in model._meta.managers} == {"all_tenants", "objects"}
    assert model._meta.default_manager_name == model._meta.base_manager_name == "all_tenants"
    assert type(model._default_manager) is type(model._base_manager) is models.Manager
    assert isinstance(model.objects, TenantManager)
    with pytest.raises(TenantRequired):
        model.objects.all()


def test_what_is_not_a_tenant_model_has_no_tenant() -> None:
    """A model with a tenant that derives from models.Model would have an open `objects`."""
    open_models = [model for model in apps.get_models() if not issubclass(model, TenantModel)]

    assert [m for m in open_models if any(f.name == "tenant" for f in m._meta.fields)] == []


def test_uniqueness_is_within_a_tenant() -> None:
    """Else an attempt tells whether another tenant has the value."""
    for model in TENANT_MODELS:
        for constraint in model._meta.constraints:
            if isinstance(constraint, models.UniqueConstraint):
                assert first_part(constraint) == "tenant", constraint.name
        assert [f.name for f in model._meta.fields if f.unique and not f.primary_key] == []


def first_part(constraint: models.UniqueConstraint) -> str:
    if constraint.fields:
        return constraint.fields[0]
    return "tenant" if constraint.expressions[0] == models.F("tenant") else ""


# --- Walls in the database ------------------------------------------------------------------------


def test_every_relation_between_tenant_rows_is_a_wall() -> None:
    relations = [
        (model, field.name, field.related_model)
        for model in TENANT_MODELS
        for field in model._meta.fields
        if isinstance(field.related_model, type) and issubclass(field.related_model, TenantModel)
    ]

    assert sorted(map(repr, relations)) == sorted(map(repr, WALLS))


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "field", "target"), WALLS, ids=wall_id)
def test_the_database_refuses_to_point_into_another_tenant(
    model: type[TenantModel], field: str, target: type[TenantModel]
) -> None:
    ours, theirs = MAKERS[model](), MAKERS[target]()
    table, column = model._meta.db_table, f"{field}_id"
    statement = f"UPDATE {table} SET {column} = %s WHERE tenant_id = %s"  # noqa: S608 - our names

    with (
        connection.cursor() as cursor,
        pytest.raises(IntegrityError, match=f"{table}_{column}_same_tenant|{table}_{field}_same"),
    ):
        cursor.execute(statement, [theirs.pk, ours.tenant_id])  # type: ignore[attr-defined]


@pytest.mark.django_db
@pytest.mark.parametrize(("model", "field", "target"), WALLS, ids=wall_id)
def test_the_database_refuses_to_move_a_row_to_another_tenant(
    model: type[TenantModel], field: str, target: type[TenantModel]
) -> None:
    ours, theirs = MAKERS[model](), MAKERS[target]()
    table = model._meta.db_table
    statement = f"UPDATE {table} SET tenant_id = %s WHERE tenant_id = %s"  # noqa: S608 - our names

    with connection.cursor() as cursor, pytest.raises(IntegrityError, match="_same_tenant"):
        cursor.execute(statement, [theirs.tenant_id, ours.tenant_id])  # type: ignore[attr-defined]


# --- Files ----------------------------------------------------------------------------------------


@functools.cache
def our_files() -> list[tuple[str, ast.Module]]:
    """(path from the root, syntax tree) of every Python file of the apps but their tests."""
    folders = [root for root in map(settings.BASE_DIR.joinpath, APPS) if root.is_dir()]
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    paths = [(str(file.relative_to(settings.BASE_DIR)), file) for file in files]
    return [
        (path, ast.parse(file.read_text()))
        for path, file in paths
        if not any(fnmatch(path, free) for free in MAY_DO_ALL)
    ]


@dataclass
class Names:
    """What code uses; not what stands in texts and comments."""

    used: set[str] = field(default_factory=set)
    called: set[str] = field(default_factory=set)


@functools.cache
def names_by_file() -> dict[str, Names]:
    """Each tree is walked once, for all searches."""
    found: dict[str, Names] = {}
    for path, tree in our_files():
        names = found[path] = Names()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                names.called.add(name_of(node.func))
            else:
                names.used.add(name_of(node))
    return found


def name_of(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def files_reading_all_tenants() -> set[str]:
    return {path for path, names in names_by_file().items() if BYPASSES & names.used}


def files_acting_beyond_a_tenant() -> set[str]:
    return {path for path, names in names_by_file().items() if BEYOND_A_TENANT & names.called}


def files_speaking_sql() -> set[str]:
    return {path for path, names in names_by_file().items() if RAW_SQL & names.called}


def unlisted(paths: set[str], allowed: dict[str, str]) -> list[str]:
    return sorted(path for path in paths if not any(fnmatch(path, known) for known in allowed))


def test_only_listed_files_read_over_all_tenants() -> None:
    assert unlisted(files_reading_all_tenants(), MAY_NAME_ALL_TENANTS) == []


def test_only_listed_files_act_beyond_a_tenant() -> None:
    assert unlisted(files_acting_beyond_a_tenant(), MAY_ACT_BEYOND_A_TENANT) == []


def test_only_listed_files_speak_sql() -> None:
    assert unlisted(files_speaking_sql(), MAY_SPEAK_SQL) == []


def test_these_searches_find_what_is_there() -> None:
    assert "accounts/signing_in/authentication.py" in files_reading_all_tenants()
    assert {"query/search/retrieval.py", "config/health.py"} <= files_speaking_sql()


# --- Endpoints ------------------------------------------------------------------------------------


def api_views(patterns: list[Any]) -> Iterator[Any]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if pattern.app_name != "admin":
                yield from api_views(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and hasattr(pattern.callback, "cls"):
            yield pattern.callback.cls


def test_every_endpoint_says_who_may_use_it() -> None:
    silent = [
        view.__name__
        for view in api_views(get_resolver().url_patterns)
        if Refuse in view.permission_classes or not view.permission_classes
    ]

    assert silent == []
