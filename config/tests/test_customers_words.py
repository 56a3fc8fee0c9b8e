"""What customers wrote and keep, in the back office: nobody of our staff reads it without a reason,
by whichever page. Models, columns and pages are found, not listed: a column that is new is closed
until it is said here why it may be shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

import config.urls  # noqa: F401 - which has the back office find its pages
from accounts.admin.base import ReasonNeededAdmin
from accounts.models import ActivityEntry, Tenant, User
from accounts.models.tenancy import TenantModel
from accounts.tests.factories import PASSWORD, make_staff_access, sign_staff_in
from config.security.personal import text_columns
from config.tests.rows import MAKERS

OURS, THEIRS = "zanzibar", "timbuktu"
COMPANY = "whose workspace it is, and how it is set up"
PEOPLE = "people and programs that sign in, whom staff look after"
THINGS = "what a company calls its things: staff are asked about them by name"
SERVICE = "what the service itself wrote"
# Columns of text that staff see of every tenant at any time, and why.
SHOWN = {
    **dict.fromkeys(
        (
            "accounts.CompanyProfile.address",
            "accounts.CompanyProfile.billing_email",
            "accounts.CompanyProfile.city",
            "accounts.CompanyProfile.legal_name",
            "accounts.CompanyProfile.postal_code",
            "accounts.CompanyProfile.tax_id",
            "accounts.Tenant.name",
            "accounts.Tenant.slug",
            "agents.Agent.allowed_origins",
            "agents.Agent.contact_email",
            "agents.Agent.contact_hours",
            "agents.Agent.contact_phone",
            "agents.Agent.contact_whatsapp",
            "agents.Agent.lead_notification_email",
            "query.MailRecipient.address",
        ),
        COMPANY,
    ),
    **dict.fromkeys(
        (
            "accounts.ActivityEntry.actor",
            "accounts.ActivityEntry.address",
            "accounts.ActivityEntry.user_agent",
            "accounts.ApiToken.name",
            "accounts.OutgoingMail.recipient",
            "accounts.ProgramAccess.scope",
            "accounts.StaffAccess.reason",
            "accounts.WorkspaceExport.asked_by",
        ),
        PEOPLE,
    ),
    **dict.fromkeys(
        (
            "accounts.ActivityEntry.details",
            "agents.Agent.name",
            "sources.Connection.account",
            "sources.Connection.account_id",
            "sources.Connection.scopes",
            "sources.Document.external_id",
            "sources.Document.link",
            "sources.Document.place",
            "sources.Document.title",
            "sources.Source.name",
            "sources.Source.original_name",
            "sources.Source.selection",
            "sources.Source.source_url",
        ),
        THINGS,
    ),
    **dict.fromkeys(
        (
            "accounts.ActivityEntry.action",
            "accounts.ActivityEntry.target_id",
            "accounts.ActivityEntry.target_kind",
            "accounts.IdempotentRequest.endpoint",
            "accounts.OutgoingMail.error_message",
            "accounts.OutgoingMail.template",
            "agents.Agent.active_channels",
            "channels.ChannelConnection.error",
            "channels.ChannelConnection.error_message",
            "query.NotificationSetting.mailed_kinds",
            "sources.Connection.error",
            "sources.Connection.key_id",
            "sources.Connection.provider",
            "sources.Connection.reason",
            "sources.Document.content_hash",
            "sources.Document.content_type",
            "sources.Document.coverage",
            "sources.Document.etag",
            "sources.Document.last_modified",
            "sources.Document.warnings",
            "sources.Source.content_type",
            "sources.Source.error",
            "sources.Source.error_code",
            "sources.Source.error_message",
            "sources.Source.source_type",
            "sources.Source.sync_progress",
            "sources.Source.warnings",
            "sources.SyncEvent.details",
            "webhooks.InboundMessage.error_message",
            "webhooks.InboundMessage.provider_message_id",
            "webhooks.Reply.error_message",
        ),
        SERVICE,
    ),
}


def is_closed(field: models.Field[Any, Any]) -> bool:
    longest = getattr(field, "max_length", None)
    return str(field) not in SHOWN and (longest is None or longest >= len(OURS))


def closed_columns(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """Columns of text that may hold a customer's words."""
    if not issubclass(model, TenantModel | Tenant):
        return []
    return [field for field in text_columns(model) if not field.primary_key and is_closed(field)]


def filled(field: models.Field[Any, Any], word: str) -> Any:
    if isinstance(field, ArrayField):
        return [word]
    if isinstance(field, models.JSONField):
        return [word] if field.get_default() == [] else {word: word}
    return word


def say(tenant: Tenant, word: str) -> None:
    """In every closed column of the tenant's rows."""
    for model in admin.site._registry:
        columns = closed_columns(model)
        if columns and model is not ActivityEntry:  # which nobody changes
            owner = {"pk": tenant.pk} if model is Tenant else {"tenant": tenant}
            values: Any = {field.name: filled(field, word) for field in columns}
            model._base_manager.filter(**owner).update(**values)


def make_row(model: type[models.Model], word: str) -> Any:
    """Of a tenant of its own, whose every row says `word`."""
    row: Any = MAKERS[model]()
    if isinstance(row, ActivityEntry):
        values: Any = {field.name: filled(field, word) for field in closed_columns(model)}
        row = ActivityEntry.objects.for_tenant(row.tenant).create(
            action="entry_added", target_kind="entry", **values
        )
    if (tenant := tenant_of(row)) is not None:
        say(tenant, word)
    return row


def tenant_of(row: Any) -> Tenant | None:
    """A person's is the one that they are in."""
    if isinstance(row, Tenant):
        return row
    if isinstance(row, User):
        return Tenant.objects.filter(pk__in=row.memberships.values("tenant")).first()
    return getattr(row, "tenant", None)


def page(model: type[models.Model], name: str, *args: Any) -> str:
    options = model._meta
    return reverse(f"admin:{options.app_label}_{options.model_name}_{name}", args=args)


def pages_of(row: models.Model) -> Iterator[str]:
    """Every way in which staff may come to a row that says OURS."""
    model, asked = type(row), OURS[:6]  # what was asked for stands in the answer
    rows = page(model, "changelist")
    yield rows
    yield f"{rows}?{urlencode({'q': asked})}"
    for field in closed_columns(model):
        yield f"{rows}?{urlencode({f'{field.name}__icontains': asked})}"
    for name in ("change", "history", "delete"):
        yield page(model, name, row.pk)
    yield f"{reverse('admin:search')}?{urlencode({'s': asked, 'extended': '1'})}"
    for other in admin.site._registry:
        for field in other._meta.local_fields:
            if field.related_model is model and field.remote_field is not None:
                completed = {
                    "app_label": other._meta.app_label,
                    "model_name": str(other._meta.model_name),
                    "field_name": field.name,
                    "term": asked,
                }
                yield f"{reverse('admin:autocomplete')}?{urlencode(completed)}"


def make_root(email: str = "root@example.com") -> User:
    """A superuser, who sees whatever staff see."""
    return User.objects.create_superuser(email, PASSWORD)


def browser_of(user: User) -> Client:
    client = Client()
    sign_staff_in(client, user)
    return client


def registered() -> list[Any]:
    ordered = sorted(admin.site._registry, key=lambda model: model._meta.label)
    return [pytest.param(model, id=model._meta.label) for model in ordered]


def tells(browser: Client, path: str, row: models.Model) -> bool:
    """Whether the page says a word of the row; or leads to it, though it was looked for by one."""
    text = browser.get(path).content.decode()
    is_looked_for = "=" in path and closed_columns(type(row))
    found = (page(type(row), "change", row.pk), f'"id": "{row.pk}"')
    return OURS in text or bool(is_looked_for and any(one in text for one in found))


def telling(browser: Client, row: models.Model) -> set[str]:
    return {path for path in pages_of(row) if tells(browser, path, row)}


each_model = pytest.mark.parametrize("model", registered())


@pytest.mark.django_db
@each_model
def test_no_page_shows_customers_words_without_a_reason(model: type[models.Model]) -> None:
    row = make_row(model, OURS)

    assert telling(browser_of(make_root()), row) == set()


# --- With a reason --------------------------------------------------------------------------------

NEEDING_A_REASON = [
    model
    for model in admin.site._registry
    if isinstance(admin.site._registry[model], ReasonNeededAdmin)
]
each_closed_model = pytest.mark.parametrize(
    "model", NEEDING_A_REASON, ids=[model._meta.label for model in NEEDING_A_REASON]
)


def test_what_needs_a_reason() -> None:
    assert {model._meta.label for model in NEEDING_A_REASON} == {
        "query.AnswerMark",
        "query.Conversation",
        "query.Lead",
        "query.LeadNote",
        "query.Message",
        "query.Notification",
        "query.QuestionGroup",
        "sources.Chunk",
        "sources.Entry",
        "webhooks.Chat",
    }


@pytest.mark.django_db
@each_closed_model
def test_who_has_opened_a_tenant_reads_its_rows_and_no_other_tenants(
    model: type[models.Model],
) -> None:
    theirs, ours = make_row(model, OURS), make_row(model, THEIRS)
    user = make_root()
    make_staff_access(ours.tenant, user)
    browser = browser_of(user)
    rows, row = page(model, "changelist"), page(model, "change", ours.pk)

    assert row in browser.get(rows).content.decode()
    assert browser.get(row).status_code == 200
    assert row in browser.get(f"{rows}?tenant__id__exact={ours.tenant_id}").content.decode()
    assert telling(browser, theirs) == set()
    chosen = {"action": "delete_selected", "_selected_action": [str(theirs.pk)]}
    assert OURS not in browser.post(rows, chosen, follow=True).content.decode()


@pytest.mark.django_db
@each_closed_model
def test_nobody_reads_by_what_is_over_ended_or_somebody_elses(model: type[models.Model]) -> None:
    row, user = make_row(model, OURS), make_root()
    now, hour = timezone.now(), timedelta(hours=1)
    make_staff_access(row.tenant, user, began_at=now - hour, ends_at=now)
    make_staff_access(row.tenant, user, ended_at=now)
    make_staff_access(row.tenant, make_root("other@example.com"))

    assert telling(browser_of(user), row) == set()


@pytest.mark.django_db
@each_closed_model
def test_a_row_that_is_closed_leads_to_the_page_that_asks_for_the_reason(
    model: type[models.Model],
) -> None:
    row = make_row(model, OURS)
    row.tenant.refresh_from_db()
    browser = browser_of(make_root())
    rows, change = page(model, "changelist"), page(model, "change", row.pk)

    of_list, of_row = browser.get(rows), browser.get(change)

    asking = reverse("admin:staff_access")
    assert of_list["Location"] == f"{asking}?{urlencode({'next': rows})}"
    slug = row.tenant.slug
    assert of_row["Location"] == f"{asking}?{urlencode({'next': change, 'tenant': slug})}"
    assert browser.get(page(model, "change", "no-id")).headers["Location"] == reverse("admin:index")
