"""The list of sources, and the pages and actions of one source."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import Plan, ScheduleFrequency
from config.errors import InvalidValue, PlanLimitReached
from config.wording import in_words
from dashboard.base import ADMINS, READERS, DashboardView, is_partial, redirect_to
from dashboard.sources.documents import describe_document, is_web_address
from dashboard.sources.forms import (
    FREQUENCIES,
    NOT_IN_PLAN,
    DeleteSourceForm,
    MoveSourceForm,
    RenameSourceForm,
    ScheduleSourceForm,
    SourceFilterForm,
)
from dashboard.sources.history import describe_entry, list_failures
from dashboard.sources.states import SourceLine, make_lines
from query.services.notifications import mark_subject_read
from sources.connectors.registry import get_connector
from sources.models import UPLOADED_TYPES, Schedule, Source
from sources.services.downloads import get_download_url
from sources.services.editing import delete_source, rename_source
from sources.services.ordering import Step, move_source, place_source
from sources.services.reading import (
    get_source,
    list_documents,
    list_history,
    list_preview,
    list_sources,
)
from sources.services.replacing import is_replaceable, list_other_versions
from sources.services.scheduling import get_schedule, set_schedule
from sources.services.syncing import start_sync

PAGE_SOURCES = 50
PAGE_DOCUMENTS = 50
HISTORY_ENTRIES = 20
CHOSEN_SHOWN = 10
STATES_AT_ONCE = 100


class SourceListView(DashboardView):
    allowed_roles = READERS
    section = "sources"

    def get(self, request: HttpRequest) -> HttpResponse:
        form = SourceFilterForm(request.GET)
        chosen = form.chosen()
        search, is_failing = chosen.get("q", ""), bool(chosen.get("state"))
        found = list_sources(self.tenant, search=search, is_failing=is_failing)
        page = Paginator(found, PAGE_SOURCES).get_page(request.GET.get("page"))
        is_filtered = bool(search or is_failing)
        return self.render(
            "sources/list.html",
            form=form,
            is_filtered=is_filtered,
            query=urlencode({name: value for name, value in chosen.items() if value}),
            **self.listing(page, can_order=self.is_admin and not is_filtered),
        )

    def listing(self, page: Page[Source], *, can_order: bool) -> dict[str, Any]:
        lines = make_lines(self.tenant, page)
        return {
            "page": page,
            "lines": lines,
            "live_ids": ids_of_live(lines),
            "can_order": can_order,
        }


class MoveSourceView(SourceListView):
    """Answers htmx with the part of the list that the source is in now."""

    allowed_roles = ADMINS
    http_method_names = ["post"]

    def post(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        source = get_source(self.tenant, source_id)
        place = self.move(source_id)
        number = place // PAGE_SOURCES + 1
        address = f"{reverse('dashboard:sources')}?{urlencode({'page': number})}"
        if not is_partial(request):
            return redirect_to(request, f"{address}#source-{source_id}")
        page = Paginator(list_sources(self.tenant), PAGE_SOURCES).get_page(number)
        response = self.render_part(
            "sources/moved.html",
            moved=source,
            place=place + 1,
            **self.listing(page, can_order=True),
        )
        response.headers["HX-Push-Url"] = address
        return response

    def move(self, source_id: uuid.UUID) -> int:
        form = MoveSourceForm(self.request.POST)
        if not form.is_valid():
            raise InvalidValue
        given = form.cleaned_data
        if given["beside"]:
            return place_source(
                self.tenant, source_id, beside_id=given["beside"], is_after=given["is_after"]
            )
        if not given["step"]:
            raise InvalidValue
        return move_source(self.tenant, source_id, step=Step(given["step"]))


class SourceStatesView(DashboardView):
    """The states of some sources, for pages that show them while they change."""

    allowed_roles = READERS

    def get(self, request: HttpRequest) -> HttpResponse:
        found = list_sources(self.tenant).filter(pk__in=read_ids(request.GET.get("ids")))
        lines = make_lines(self.tenant, found)
        return self.render_part(
            "sources/states.html",
            lines=lines,
            is_list="list" in request.GET,
            live_ids=ids_of_live(lines),
        )


def ids_of_live(lines: list[SourceLine]) -> str:
    return ",".join(str(line.source.pk) for line in lines if line.state.is_live)


def read_ids(text: str | None) -> list[uuid.UUID]:
    """The ids in a text, separated by commas; invalid ones are left out."""
    ids: list[uuid.UUID] = []
    for each in (text or "").split(",")[:STATES_AT_ONCE]:
        try:
            ids.append(uuid.UUID(each))
        except ValueError:
            continue
    return ids


# --- One source -----------------------------------------------------------------------------------


class SourceView(DashboardView):
    allowed_roles = READERS
    section = "sources"

    def get(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        return self.show(source_id)

    def show(self, source_id: uuid.UUID, *, status: int = 200, **forms: Any) -> HttpResponse:
        """`forms`: one that was filled in wrongly, in the place of an empty one."""
        schedule = get_schedule(self.tenant, source_id)
        source = schedule.source
        mark_subject_read(self.tenant, self.caller.membership, source=source)
        entries = list_history(self.tenant, source_id, limit=HISTORY_ENTRIES)
        failures, more_failures = list_failures(entries)
        documents = list_documents(self.tenant, source_id)
        page = Paginator(documents, PAGE_DOCUMENTS).get_page(self.request.GET.get("page"))
        frequencies = list_choices(self.tenant.plan, schedule)
        own: dict[str, Any] = {
            "line": make_lines(self.tenant, [source])[0],
            "source": source,
            "schedule": schedule,
            "is_upload": source.source_type in UPLOADED_TYPES,
            "is_replaceable": is_replaceable(source),
            "versions": list_other_versions(source),
            "address": source.source_url if is_web_address(source.source_url) else "",
            "frequencies": frequencies,
            "lacks_frequencies": not all(choice["is_allowed"] for choice in frequencies),
            "page": page,
            "documents": [describe_document(document) for document in page],
            "left_out": list(map(in_words, source.warnings)),
            "failures": failures,
            "more_failures": more_failures,
            "passages": list_preview(self.tenant, source_id),
            "history": [describe_entry(entry) for entry in entries],
            **describe_account(source),
            "rename_form": RenameSourceForm(initial={"name": source.name}, auto_id="rename_%s"),
            "delete_form": DeleteSourceForm(wanted=source.name, auto_id="delete_%s"),
        }
        return self.render("sources/source.html", status=status, **(own | forms))


def describe_account(source: Source) -> dict[str, Any]:
    """The connected account and its chosen content, as the page shows them. One query if there is
    one."""
    connector, chosen = get_connector(source), source.selection.get("chosen", [])
    return {
        "connection": source.connection,
        "is_typed_in": bool(connector.connection_fields),
        "can_choose": source.connection is not None and connector.is_browsable,
        "chosen": [each["name"] for each in chosen[:CHOSEN_SHOWN]],
        "has_more_chosen": len(chosen) > CHOSEN_SHOWN,
    }


def list_choices(plan: Plan, schedule: Schedule) -> list[dict[str, Any]]:
    """All frequencies; those that the plan lacks are shown, and cannot be chosen."""
    return [
        {
            "value": frequency.value,
            "label": FREQUENCIES[frequency],
            "is_allowed": plan.includes_frequency(frequency),
            "is_chosen": frequency == (schedule.frequency if schedule.enabled else "manual"),
        }
        for frequency in ScheduleFrequency
    ]


class SourceLiveView(DashboardView):
    """The progress of a sync. Tells the page when it has ended, for the page's content is then
    old."""

    allowed_roles = READERS

    def get(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        source = get_source(self.tenant, source_id)
        line = make_lines(self.tenant, [source])[0]
        response = self.render_part("sources/live.html", line=line, source=source)
        if not line.state.is_live:
            response.headers["HX-Trigger"] = "settled"
        return response


class DownloadSourceView(DashboardView):
    allowed_roles = READERS

    def get(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        return redirect_to(request, get_download_url(self.tenant, source_id))


class SourceActionView(SourceView):
    """An action of admins on a source. Errors of the form stand at their fields."""

    allowed_roles = ADMINS
    http_method_names = ["post"]


class RenameSourceView(SourceActionView):
    def post(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        form = RenameSourceForm(request.POST, auto_id="rename_%s")
        if not form.is_valid():
            return self.show(source_id, status=400, rename_form=form)
        rename_source(self.tenant, source_id, name=form.cleaned_data["name"])
        return self.go_to("source", source_id, said=_("The source has been renamed."))


class SyncSourceView(SourceActionView):
    def post(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        start_sync(self.tenant, source_id)
        return self.go_to("source", source_id, said=_("The sync has started."))


class ScheduleSourceView(SourceActionView):
    def post(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        form = ScheduleSourceForm(request.POST)
        if form.is_valid():
            frequency = ScheduleFrequency(form.cleaned_data["frequency"])
            try:
                set_schedule(self.tenant, source_id, frequency=frequency)
            except PlanLimitReached:
                form.add_error("frequency", str(NOT_IN_PLAN))
            else:
                return self.go_to("source", source_id, said=_("The schedule has been saved."))
        return self.show(source_id, status=400, schedule_form=form)


class DeleteSourceView(SourceActionView):
    def post(self, request: HttpRequest, source_id: uuid.UUID) -> HttpResponse:
        source = get_source(self.tenant, source_id)
        form = DeleteSourceForm(request.POST, wanted=source.name, auto_id="delete_%s")
        if not form.is_valid():
            return self.show(source_id, status=400, delete_form=form)
        delete_source(self.tenant, source_id)
        return self.go_to("sources", said=_("“%(name)s” was deleted.") % {"name": source.name})
