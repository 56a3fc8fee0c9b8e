"""Erasing on request: one session, or a whole tenant with all that it has here.

Both may be stopped anywhere, also by kill -9, and run again: what was left is erased then, and the
receipt that the first run opened is closed. The tenant's own row goes last, for it is what the next
run finds; without it, the open receipt is.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, QuerySet

from accounts.leaving.expiry import delete_in_batches
from accounts.leaving.receipts import Counts, add_counts, close_receipt, open_receipt
from accounts.mail.deliveries import read_context
from accounts.models import (
    AskedBy,
    ErasureKind,
    ErasureReceipt,
    Membership,
    OneTimeCode,
    OutgoingMail,
    Tenant,
    User,
)
from accounts.models.tenancy import TenantModel, TenantQuerySet
from config.security.encryption import CannotDecrypt
from config.security.erasure import SessionRows, counted_as, list_session_rows
from query.conversations.memory import forget_session, forget_tenant
from query.conversations.transcripts import has_no_questions
from query.models import Conversation, Lead, QuestionGroup
from sources.models import Schedule, Source
from sources.originals.files import delete_originals

# --- A session ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Erased:
    """The rows that an erasure deleted. `counts`: how many of each kind in this run; the receipt
    adds up the runs."""

    counts: Counts
    receipt: ErasureReceipt


def erase_session(tenant: Tenant, session_id: str) -> Erased:
    """Erases a session with every agent and channel. Returns the rows of each kind, and the
    remembered sessions.

    Raises ValueError without a session id, redis.RedisError when Redis does not answer.
    """
    if not session_id:
        raise ValueError("Questions without a session id belong to nobody in particular.")
    receipt = open_receipt(
        ErasureKind.SESSION,
        f"{tenant.pk} {session_id}",
        asked_by=AskedBy.OPERATOR,
        workspace_id=tenant.pk,
    )
    counts = erase_with_receipt(tenant, session_id, receipt)
    columns = [(rows.model, rows.by) for rows in list_session_rows()]
    left = [
        f"{model._meta.label}.{by}"
        for model, by in columns
        if scoped(model, tenant).filter(**{by: session_id}).exists()
    ]
    close_receipt(receipt, searched=len(columns), left=left)
    return Erased(counts, receipt)


def erase_with_receipt(tenant: Tenant, session_id: str, receipt: ErasureReceipt) -> Counts:
    with transaction.atomic():
        counts = erase_rows(tenant, session_id)
        add_counts(receipt, counts)
    remembered = {"remembered": forget_session(tenant, session_id)}
    add_counts(receipt, remembered)
    return counts | remembered


def erase_rows(tenant: Tenant, session_id: str) -> Counts:
    counts = erase_lead_mails(tenant, session_id)
    for rows in list_session_rows():
        counts |= erase_declared(tenant, session_id, rows)
    emptied = QuestionGroup.objects.for_tenant(tenant).filter(has_no_questions())
    return counts | {"question_groups": emptied.delete()[0]}


def erase_lead_mails(tenant: Tenant, session_id: str) -> Counts:
    """Deletes the waiting mails about the session's leads. No foreign key leads from a mail to its
    lead, so each mail is decrypted to see which lead it tells of."""
    leads = Lead.objects.for_tenant(tenant).filter(session_id=session_id)
    # Locked: a message that fills a lead in just now has written its mail before, or writes none.
    lead_ids = {str(pk) for pk in leads.select_for_update().values_list("pk", flat=True)}
    mails = OutgoingMail.objects.for_tenant(tenant).filter(pk__in=waiting_mails(tenant, lead_ids))
    return {"mails": mails.delete()[0]}


def erase_declared(tenant: Tenant, session_id: str, rows: SessionRows) -> Counts:
    """Erases the session's rows of one kind. They are locked first, as every writer does; rows that
    point to them are deleted before them."""
    owners = scoped(rows.model, tenant).filter(**{rows.by: session_id})
    ids = list(owners.select_for_update().order_by("pk").values_list("pk", flat=True))
    doomed = [
        *(scoped(model, tenant).filter(**{f"{name}__in": ids}) for model, name in rows.dependents),
        scoped(rows.model, tenant).filter(pk__in=ids),
    ]
    return {
        counted_as(gone.model): gone.delete()[1].get(gone.model._meta.label, 0) for gone in doomed
    }


def scoped(model: type[Model], tenant: Tenant) -> TenantQuerySet[TenantModel]:
    """The tenant's rows of a model. Raises TypeError for a model that does not belong to
    a tenant."""
    if not issubclass(model, TenantModel):
        raise TypeError(f"{model._meta.label} belongs to no tenant")
    return model.objects.for_tenant(tenant)


def waiting_mails(tenant: Tenant, lead_ids: set[str]) -> list[uuid.UUID]:
    """The keys of the unsent mails that tell of these leads. A mail that was sent no longer holds
    anything."""
    waiting = OutgoingMail.objects.for_tenant(tenant).filter(template="lead")
    waiting = waiting.exclude(encrypted_context=b"") if lead_ids else waiting.none()
    return [mail.pk for mail in waiting.iterator() if tells_of(mail, lead_ids)]


def tells_of(mail: OutgoingMail, lead_ids: set[str]) -> bool:
    try:
        return not lead_ids.isdisjoint(read_context(mail).values())
    except CannotDecrypt:
        return False


# --- A tenant -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """A part of erasing a tenant that can be done again."""

    name: str
    erase: Callable[[Tenant], int]
    is_of_no_table: bool = False  # else the receipt has counted its rows before


def erase_tenant(tenant: Tenant, *, asked_by: AskedBy = AskedBy.OPERATOR) -> Erased:
    """Erases everything of the tenant.

    Nobody can log in after the first step. A sync that runs holds no lock after the second, and
    writes nothing. Raises StorageUnavailable, redis.RedisError, and IntegrityError when a request
    that was under way wrote a row meanwhile: run it again.
    """
    receipt = open_receipt(
        ErasureKind.TENANT, tenant.slug, asked_by=asked_by, workspace_id=tenant.pk
    )
    if not receipt.erased:
        add_counts(receipt, count_rows(tenant))
    counts = {}
    for step in STEPS:
        counts[step.name] = step.erase(tenant)
        if step.is_of_no_table:
            add_counts(receipt, {step.name: counts[step.name]})
    close_tenant(tenant, receipt)
    return Erased(counts, receipt)


def list_unfinished() -> QuerySet[ErasureReceipt]:
    """The receipts of tenants whose erasure was killed after their last row was deleted."""
    open_receipts = ErasureReceipt.objects.filter(kind=ErasureKind.TENANT, finished_at=None)
    rows = Tenant.objects.filter(pk=OuterRef("workspace_id"))
    return open_receipts.filter(~Exists(rows))


def finish_tenant(receipt: ErasureReceipt) -> None:
    """Deletes late files and closes the receipt. Raises StorageUnavailable, SomethingIsLeft."""
    gone = Tenant(pk=receipt.workspace_id)
    add_counts(receipt, {"late_files": delete_originals(gone)})
    close_tenant(gone, receipt)


def close_tenant(tenant: Tenant, receipt: ErasureReceipt) -> None:
    left = [label for label, count in count_rows(tenant).items() if count]
    close_receipt(receipt, searched=len(tenant_models()), left=left)


def tenant_models() -> list[type[TenantModel]]:
    return [model for model in apps.get_models() if issubclass(model, TenantModel)]


def count_rows(tenant: Tenant) -> Counts:
    """The tenant's rows by model, counted by its id alone: the tenant's own row may be gone."""
    return {
        model._meta.label: model.all_tenants.filter(tenant_id=tenant.pk).count()
        for model in tenant_models()
    }


@transaction.atomic
def erase_people(tenant: Tenant) -> int:
    """Erases the tenant's members, and the accounts of those who belong to no other tenant, except
    our own staff's."""
    members = Membership.objects.for_tenant(tenant)
    users = User.objects.filter(pk__in=members.values("user"), is_staff=False, is_superuser=False)
    # Locked: nobody can be invited to another tenant while it is decided that they have none.
    locked = list(users.select_for_update().order_by("pk").values_list("pk", flat=True))
    elsewhere = Membership.all_tenants.filter(user=OuterRef("pk")).exclude(tenant=tenant)
    alone = User.objects.filter(~Exists(elsewhere), pk__in=locked)
    OneTimeCode.objects.filter(email__in=list(alone.values_list("email", flat=True))).delete()
    count = alone.delete()[1].get(User._meta.label, 0)
    members.delete()
    return count


@transaction.atomic
def stop_syncs(tenant: Tenant) -> int:
    """Stops the tenant's syncs. Returns how many were running: without the lock that a run began
    with, it commits nothing."""
    Schedule.objects.for_tenant(tenant).delete()
    running = Source.objects.with_deleted(tenant).exclude(sync_run_id=None)
    return running.update(sync_run_id=None, sync_worker_id=None, sync_lease_until=None)


def erase_conversations(tenant: Tenant) -> int:
    return delete_in_batches(Conversation.objects.for_tenant(tenant))


def erase_leads(tenant: Tenant) -> int:
    return delete_in_batches(Lead.objects.for_tenant(tenant))


def erase_sources(tenant: Tenant) -> int:
    """Erases sources one at a time: PostgreSQL deletes a source's chunks with it, which may be
    many."""
    return sum(bool(source.delete()[0]) for source in sources_of(tenant))


def sources_of(tenant: Tenant) -> Iterator[Source]:
    return Source.objects.with_deleted(tenant).iterator()


def erase_row(tenant: Tenant) -> int:
    """Erases the tenant's row and everything left of it: agents, counters, mails, profile,
    notifications."""
    return Tenant.objects.filter(pk=tenant.pk).delete()[1].get(Tenant._meta.label, 0)


STEPS = (
    Step("users", erase_people, is_of_no_table=True),
    Step("running_syncs", stop_syncs),
    Step("conversations", erase_conversations),
    Step("leads", erase_leads),
    Step("files", delete_originals, is_of_no_table=True),
    Step("sources", erase_sources),
    Step("redis_keys", forget_tenant, is_of_no_table=True),
    Step("tenants", erase_row),
    Step("late_files", delete_originals, is_of_no_table=True),  # of an upload that was under way
)
