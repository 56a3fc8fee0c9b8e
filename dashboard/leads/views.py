"""The list of leads, its export, and the page of each with its follow-up."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from agents.services import list_agents
from config.errors import NotFound, ServiceError
from dashboard.base import READERS, DashboardView
from dashboard.leads.forms import AssigneeForm, LeadFilters, NoteForm, StatusForm
from dashboard.paging import keyset_page
from dashboard.problems import describe_problem
from dashboard.templatetags.talk import channel_name, status_name
from query.models import LeadStatus
from query.services.conversations import list_channels
from query.services.leads import (
    LeadExport,
    add_note,
    assign_lead,
    export_leads,
    find_conversation_of,
    get_lead,
    list_assignees,
    list_leads,
    list_notes,
    set_lead_status,
)
from query.services.notifications import mark_subject_read


class LeadsView(DashboardView):
    allowed_roles = READERS
    section = "leads"

    def read_filters(self, request: HttpRequest) -> LeadFilters:
        """The filters, validated; an invalid one is ignored, and its field shows the error."""
        agents = list(list_agents(self.tenant))
        filters = LeadFilters(request.GET, agents=agents, channels=list_channels(agents))
        filters.is_valid()
        return filters

    def get(self, request: HttpRequest) -> HttpResponse:
        filters = self.read_filters(request)
        narrowing = filters.narrowing()
        leads = list_leads(self.tenant, **narrowing)
        return self.render(
            "leads/leads.html",
            status=200 if filters.is_valid() else 400,
            filters=filters,
            is_narrowed=bool(narrowing),
            page=keyset_page(request, leads, owner=self.tenant),
        )


class ExportView(LeadsView):
    """Exports the leads of the filtered list, all pages of it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        leads = list_leads(self.tenant, **self.read_filters(request).narrowing())
        lines = export_leads(self.tenant, leads, self.wording())
        response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
        day = timezone.localdate().isoformat()
        response["Content-Disposition"] = f'attachment; filename="leads-{day}.csv"'
        return response  # type: ignore[return-value]  # a response like others, to all who take it

    def wording(self) -> LeadExport:
        channels = list_channels(list(list_agents(self.tenant)))
        names = {status: status_name(status) for status in LeadStatus.values}
        return LeadExport(
            column_names(),
            timezone.get_current_timezone(),
            names | {kind: channel_name(kind) for kind in channels},
            delimiter=";" if self.language == "es" else ",",  # as its spreadsheets expect
        )


def column_names() -> dict[str, str]:
    return {
        "created_at": _("Date"),
        "status": _("Status"),
        "name": _("Name"),
        "email": _("E-mail"),
        "phone": _("Phone"),
        "intent_text": _("What they wrote"),
        "agent": _("Agent"),
        "channel": _("Channel"),
        "assignee": _("Assigned to"),
        "contacted_at": _("Contacted on"),
        "notes": _("Notes"),
    }


class LeadView(DashboardView):
    allowed_roles = READERS
    section = "leads"

    def get(self, request: HttpRequest, lead_id: uuid.UUID) -> HttpResponse:
        return self.show(lead_id, NoteForm())

    def show(self, lead_id: uuid.UUID, note_form: NoteForm, status: int = 200) -> HttpResponse:
        lead = get_lead(self.tenant, lead_id)
        mark_subject_read(self.tenant, self.caller.membership, lead=lead)
        members = list_assignees(self.tenant)
        return self.render(
            "leads/lead.html",
            status=status,
            lead=lead,
            notes=list_notes(self.tenant, lead),
            conversation=find_conversation_of(self.tenant, lead),
            status_form=StatusForm(initial={"status": lead.status}),
            assignee_form=AssigneeForm(
                initial={"assignee": str(lead.assignee_id or "")}, members=members
            ),
            note_form=note_form,
        )


class StatusView(DashboardView):
    allowed_roles = READERS
    section = "leads"

    def post(self, request: HttpRequest, lead_id: uuid.UUID) -> HttpResponse:
        set_lead_status(self.tenant, lead_id, request.POST.get("status", ""))
        return self.go_to("lead", lead_id, said=_("Saved."))


class AssigneeView(DashboardView):
    allowed_roles = READERS
    section = "leads"

    def post(self, request: HttpRequest, lead_id: uuid.UUID) -> HttpResponse:
        assign_lead(self.tenant, lead_id, read_id(request.POST.get("assignee", "")))
        return self.go_to("lead", lead_id, said=_("Saved."))


class NotesView(LeadView):
    """Adds a note. A GET shows the lead, for its address is the form's."""

    def post(self, request: HttpRequest, lead_id: uuid.UUID) -> HttpResponse:
        form = NoteForm(request.POST)
        if form.is_valid():
            text, by = form.cleaned_data["text"], self.caller.user.email
            try:
                add_note(self.tenant, lead_id, text=text, by=by)
            except NotFound:
                raise
            except ServiceError as error:
                form.add_error("text", describe_problem(error))
            else:
                return self.go_to("lead", lead_id, said=_("Saved."))
        return self.show(lead_id, form, status=400)


def read_id(text: str) -> uuid.UUID | None:
    """The id, None for an empty text. Raises NotFound for any other text."""
    try:
        return uuid.UUID(text) if text else None
    except ValueError as error:
        raise NotFound from error
