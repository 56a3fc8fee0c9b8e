"""The log, page by page and as a file."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from accounts.models import ActivityEntry
from accounts.models.tenancy import TenantQuerySet
from accounts.services.activity import list_activity
from accounts.services.members import list_members
from config.security.devices import Device, read_device
from config.spreadsheets import csv_line
from dashboard.activity.forms import ActivityFilterForm
from dashboard.activity.words import describe_action, describe_actor, describe_details
from dashboard.base import ADMINS, DashboardView

PAGE_ROWS = 50
FILE_ROWS = 10_000  # of the newest; the export of the workspace holds them all
SUGGESTED_PEOPLE = 200
COLUMNS = ("when_utc", "who", "action", "target", "details", "address", "device")


@dataclass(frozen=True)
class Line:
    """An entry, in the words of the page."""

    entry: ActivityEntry
    actor: str
    action: str
    details: str
    device: Device


class ActivityView(DashboardView):
    allowed_roles = ADMINS
    section = "activity"

    def get(self, request: HttpRequest) -> HttpResponse:
        form = ActivityFilterForm(request.GET)
        rows = [make_line(entry) for entry in self.find(form)[: PAGE_ROWS + 1]]
        people = list_members(self.tenant).values_list("user__email", flat=True)
        without_page = request.GET.copy()
        without_page.pop("before", None)
        return self.render(
            "activity/activity.html",
            form=form,
            lines=rows[:PAGE_ROWS],
            older=rows[PAGE_ROWS - 1].entry.pk if len(rows) > PAGE_ROWS else None,
            is_first=not request.GET.get("before"),
            is_filtered=bool(request.GET.get("person") or request.GET.get("action")),
            query=without_page.urlencode(),
            people=people[:SUGGESTED_PEOPLE],
        )

    def find(self, form: ActivityFilterForm) -> TenantQuerySet[ActivityEntry]:
        """The entries that match the filters. Invalid filters are ignored: people type addresses
        too."""
        form.is_valid()
        given: dict[str, Any] = form.cleaned_data
        return list_activity(
            self.tenant,
            actor=given.get("person", ""),
            action=given.get("action", ""),
            before=given.get("before"),
        )


class ActivityFileView(ActivityView):
    def get(self, request: HttpRequest) -> HttpResponse:
        entries = self.find(ActivityFilterForm(request.GET))[:FILE_ROWS]
        lines = map(csv_line, [COLUMNS, *map(cells_of, entries)])
        name = f"{self.tenant.slug}-activity-{timezone.now():%Y-%m-%d}.csv"
        return HttpResponse(
            "".join(lines).encode("utf-8-sig"),  # Excel takes it for Latin-1 without
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def make_line(entry: ActivityEntry) -> Line:
    return Line(
        entry,
        describe_actor(entry),
        describe_action(entry),
        describe_details(entry),
        read_device(entry.user_agent),
    )


def cells_of(entry: ActivityEntry) -> tuple[str, ...]:
    """The cells of an entry's row, in the order of COLUMNS."""
    return (
        f"{entry.created_at:%Y-%m-%d %H:%M:%S}",
        entry.actor,
        entry.action,
        entry.target_name,
        describe_details(entry),
        entry.address,
        entry.user_agent,
    )
