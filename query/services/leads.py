"""Leads as their company's people work through them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, tzinfo

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.activity import record
from accounts.models import Action, Membership, Role, Tenant
from accounts.models.tenancy import TenantQuerySet
from config.errors import InvalidValue, NotFound
from config.spreadsheets import csv_line
from query.models import NOTE_MAX_CHARS, Conversation, Lead, LeadNote, LeadStatus

SEARCH_MAX_CHARS = 200
EXPORTED_AT_ONCE = 500
COLUMNS = (
    "created_at", "status", "name", "email", "phone", "intent_text", "agent", "channel",
    "assignee", "contacted_at", "notes",
)  # fmt: skip


# --- Looking --------------------------------------------------------------------------------------


def list_leads(
    tenant: Tenant,
    *,
    words: str = "",
    status: str = "",
    agent_id: uuid.UUID | None = None,
    channel: str = "",
    since: date | None = None,
    until: date | None = None,
) -> TenantQuerySet[Lead]:
    """Leads, newest first, each with its agent and assignee. `words`: parts of the name, e-mail
    address, phone number or text. Days are in the active time zone, both included."""
    leads = Lead.objects.for_tenant(tenant).select_related("agent", "assignee__user")
    exact = {"status": status, "agent": agent_id, "channel": channel}
    leads = leads.filter(**{name: value for name, value in exact.items() if value})
    if since:
        leads = leads.filter(created_at__gte=start_of(since))
    if until and until < date.max:  # which no day comes after
        leads = leads.filter(created_at__lt=start_of(until + timedelta(days=1)))
    for word in words[:SEARCH_MAX_CHARS].split():
        leads = leads.filter(
            Q(name__icontains=word)
            | Q(email__icontains=word)
            | Q(phone__contains=word)
            | Q(intent_text__icontains=word)
        )
    return leads.order_by("-created_at", "-id")


def start_of(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def list_latest_leads(tenant: Tenant, limit: int = 5) -> list[Lead]:
    """The latest leads, newest first, each with its agent. One query."""
    return list(list_leads(tenant)[:limit])


def get_lead(tenant: Tenant, lead_id: uuid.UUID) -> Lead:
    """The lead, with its agent and assignee. Raises NotFound."""
    lead = list_leads(tenant).filter(pk=lead_id).first()
    if lead is None:
        raise NotFound("This lead no longer exists.")
    return lead


def list_notes(tenant: Tenant, lead: Lead) -> TenantQuerySet[LeadNote]:
    """The lead's notes, oldest first."""
    return LeadNote.objects.for_tenant(tenant).filter(lead=lead).order_by("created_at", "id")


def find_conversation_of(tenant: Tenant, lead: Lead) -> Conversation | None:
    """The conversation in which the lead was left; None when it was not kept, or is not kept any
    more."""
    if lead.agent_id is None:
        return None
    return (
        Conversation.objects.for_tenant(tenant)
        .filter(agent=lead.agent_id, channel=lead.channel, session_id=lead.session_id)
        .first()
    )


def list_assignees(tenant: Tenant) -> TenantQuerySet[Membership]:
    """Members who may see leads, by address."""
    members = Membership.objects.for_tenant(tenant).select_related("user")
    readers = members.filter(role__in=(Role.ADMIN, Role.MEMBER), user__is_active=True)
    return readers.order_by("user__email")


# --- Changing -------------------------------------------------------------------------------------


@transaction.atomic
def set_lead_status(tenant: Tenant, lead_id: uuid.UUID, status: str) -> Lead:
    """Sets the status. The first `contacted` also records when. Raises NotFound, InvalidValue."""
    if status not in LeadStatus.values:
        raise InvalidValue(f"status must be one of: {', '.join(LeadStatus.values)}.")
    lead = lock_lead(tenant, lead_id)
    lead.status = status
    if status == LeadStatus.CONTACTED and lead.contacted_at is None:
        lead.contacted_at = timezone.now()
    lead.save(update_fields=["status", "contacted_at"])
    return lead


@transaction.atomic
def assign_lead(tenant: Tenant, lead_id: uuid.UUID, membership_id: uuid.UUID | None) -> Lead:
    """Assigns the lead to a member; to nobody when `membership_id` is None. Raises NotFound, also
    for a member who may not see leads."""
    lead = lock_lead(tenant, lead_id)
    assignee = None
    if membership_id is not None:
        assignee = list_assignees(tenant).filter(pk=membership_id).first()
        if assignee is None:
            raise NotFound("This person is no longer a member of the workspace.")
    lead.assignee = assignee
    lead.save(update_fields=["assignee"])
    return lead


@transaction.atomic
def add_note(tenant: Tenant, lead_id: uuid.UUID, *, text: str, by: str) -> LeadNote:
    """Adds a note. Raises NotFound, InvalidValue. Locks the lead: an erasure takes the note along,
    or it is not written."""
    text = text.strip()
    if not text or len(text) > NOTE_MAX_CHARS or "\0" in text:
        raise InvalidValue(f"A note has 1 to {NOTE_MAX_CHARS:,} characters.")
    lead = lock_lead(tenant, lead_id)
    return LeadNote.objects.for_tenant(tenant).create(lead=lead, text=text, by=by)


def lock_lead(tenant: Tenant, lead_id: uuid.UUID) -> Lead:
    locked = Lead.objects.for_tenant(tenant).select_for_update(no_key=True)
    lead = locked.filter(pk=lead_id).first()
    if lead is None:
        raise NotFound("This lead no longer exists.")
    return lead


# --- Export ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LeadExport:
    """How an export is written. `columns`: the header of each of COLUMNS. `zone`: the times are in
    it. `names`: what statuses and channels are called; those that are not named stay as they
    are."""

    columns: Mapping[str, str]
    zone: tzinfo
    names: Mapping[str, str] = field(default_factory=dict)
    delimiter: str = ","

    def call(self, name: str) -> str:
        return self.names.get(name, name)


def export_leads(tenant: Tenant, leads: TenantQuerySet[Lead], wording: LeadExport) -> Iterator[str]:
    """Lines of a CSV file, after a byte-order mark by which spreadsheets know UTF-8. No cell is a
    formula. The export is recorded before the first line, so that it is known who takes leads
    along."""
    record(tenant, Action.LEADS_EXPORTED)
    return lines_of(leads, wording)


def lines_of(leads: TenantQuerySet[Lead], wording: LeadExport) -> Iterator[str]:
    headers = [wording.columns[name] for name in COLUMNS]
    yield "\ufeff" + csv_line(headers, delimiter=wording.delimiter)
    with_notes = leads.prefetch_related("notes")
    for lead in with_notes.iterator(chunk_size=EXPORTED_AT_ONCE):
        yield csv_line(cells_of(lead, wording), delimiter=wording.delimiter)


def cells_of(lead: Lead, wording: LeadExport) -> list[str]:
    """The lead's cells, in the order of COLUMNS."""
    zone = wording.zone
    return [
        local(lead.created_at, zone),
        wording.call(lead.status),
        lead.name,
        lead.email,
        lead.phone,
        lead.intent_text,
        lead.agent.name if lead.agent else "",
        wording.call(lead.channel),
        lead.assignee.user.email if lead.assignee else "",
        local(lead.contacted_at, zone) if lead.contacted_at else "",
        "\n".join(note.text for note in lead.notes.all()),
    ]


def local(moment: datetime, zone: tzinfo) -> str:
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"
