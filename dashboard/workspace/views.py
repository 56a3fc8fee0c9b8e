"""General settings, the company, and the plan."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.errors import CompanyProfileNotFound
from accounts.models import Plan, ScheduleFrequency
from accounts.services import company, profile
from accounts.services.tenants import list_plans
from agents.services import list_agents
from config.errors import ServiceError
from dashboard.problems import describe_problem
from dashboard.workspace.base import WorkspaceView
from dashboard.workspace.forms import CompanyForm, WorkspaceForm
from sources.services.usage import Quota, forecast_queries, get_usage

AGENTS_SHOWN = 100
NEARLY_FULL_PERCENT = 80
FULL_PERCENT = 100
FREQUENCIES: dict[str, Promise] = {
    ScheduleFrequency.HOURLY: gettext_lazy("every hour"),
    ScheduleFrequency.EVERY_SIX_HOURS: gettext_lazy("every 6 hours"),
    ScheduleFrequency.DAILY: gettext_lazy("daily"),
    ScheduleFrequency.WEEKLY: gettext_lazy("weekly"),
}


class SettingsView(WorkspaceView):
    def get(self, request: HttpRequest) -> HttpResponse:
        now = {name: getattr(self.tenant, name) for name in ("name", "language", "time_zone")}
        return self.answer_with(WorkspaceForm(initial=now))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = WorkspaceForm(request.POST)
        if form.is_valid():
            try:
                profile.change_workspace(self.tenant, **form.cleaned_data)
            except ServiceError as error:
                form.add_error(None, describe_problem(error))
            else:
                return self.go_to("workspace", said=_("The settings have been saved."))
        return self.answer_with(form, status=400)

    def answer_with(self, form: Form, status: int = 200) -> HttpResponse:
        agents = list_agents(self.tenant).order_by("name")[:AGENTS_SHOWN]
        return self.show("settings.html", status, form=form, agents=agents)


class CompanyView(WorkspaceView):
    tab = "workspace_company"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show("company.html", form=CompanyForm(initial=self.read()))

    def read(self) -> dict[str, Any]:
        try:
            found = company.get_company_profile(self.tenant)
        except CompanyProfileNotFound:
            return {}
        return {name: getattr(found, name) for name in CompanyForm.base_fields}

    def post(self, request: HttpRequest) -> HttpResponse:
        form = CompanyForm(request.POST)
        if not form.is_valid():
            return self.show("company.html", status=400, form=form)
        company.replace_company_profile(self.tenant, **form.cleaned_data)
        return self.go_to("workspace_company", said=_("The company profile has been saved."))


@dataclass(frozen=True)
class PlanMeter:
    """A quota with the percentage that its meter shows."""

    label: str
    quota: Quota
    percent: int  # of the limit, 100 at most

    @property
    def grade(self) -> str:
        if self.percent >= FULL_PERCENT:
            return "bad"
        return "warn" if self.percent >= NEARLY_FULL_PERCENT else ""


def make_meter(label: str, quota: Quota) -> PlanMeter:
    if quota.limit is None:
        return PlanMeter(label, quota, 0)
    if not quota.limit:
        return PlanMeter(label, quota, FULL_PERCENT)
    return PlanMeter(label, quota, min(FULL_PERCENT, quota.used * 100 // quota.limit))


def list_frequencies(plan: Plan) -> list[Promise]:
    """The plan's frequencies in words, the most frequent first."""
    return [word for name, word in FREQUENCIES.items() if name in plan.schedule_frequencies]


class PlanView(WorkspaceView):
    tab = "workspace_plan"

    def get(self, request: HttpRequest) -> HttpResponse:
        usage = get_usage(self.tenant)
        return self.show(
            "plan.html",
            meters=[
                make_meter(_("Uploaded documents"), usage.documents),
                make_meter(_("Passages in all sources"), usage.passages),
                make_meter(_("Questions this month"), usage.queries),
                make_meter(_("Websites and other connected sources"), usage.connectors),
            ],
            plan=self.tenant.plan,
            plans=[(plan, list_frequencies(plan)) for plan in list_plans()],
            next_month=usage.period_end,
            forecast=forecast_queries(usage, timezone.now()),
            upgrade_url=settings.UPGRADE_URL,
        )
