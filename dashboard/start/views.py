"""Home: how the workspace is doing, and what to do next."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.wording import in_words
from dashboard.base import EVERYBODY, READERS, DashboardView
from dashboard.start.drawing import draw_freshness, draw_meter, draw_questions
from dashboard.start.steps import list_steps
from query.models import LeadStatus
from query.services.insights import daily_outcomes
from query.services.leads import list_latest_leads, list_leads
from query.services.unanswered import list_groups
from sources.services.freshness import count_freshness
from sources.services.reading import list_sources
from sources.services.usage import get_usage

DAYS = 14
LEADS = 5
FAILING = 5


class StartView(DashboardView):
    """The start page. Each role sees only what it may read elsewhere: usage is for admins, sources
    and leads are not for viewers."""

    allowed_roles = EVERYBODY
    section = "start"

    def get(self, request: HttpRequest) -> HttpResponse:
        chart = draw_questions(daily_outcomes(self.tenant, days=DAYS))
        own: dict[str, Any] = {"chart": chart, "is_reader": self.caller.role in READERS}
        if own["is_reader"]:
            own |= self.what_readers_see()
        if self.is_admin:
            own["meters"] = self.draw_usage()
        return self.render("start/start.html", **own)

    def what_readers_see(self) -> dict[str, Any]:
        steps = list_steps(self.tenant, is_admin=self.is_admin)
        failing = list(list_sources(self.tenant, is_failing=True)[: FAILING + 1])
        shares = draw_freshness(count_freshness(self.tenant, timezone.now()))
        return {
            "steps": [] if all(step.is_done for step in steps) else steps,
            "is_new": not any(step.is_done for step in steps),
            "failing": [(source, in_words(source.error)) for source in failing[:FAILING]],
            "has_more_failing": len(failing) > FAILING,
            "shares": shares,
            "sources_count": sum(share.count for share in shares),
            "leads": list_latest_leads(self.tenant, limit=LEADS),
            "new_leads": list_leads(self.tenant, status=LeadStatus.NEW).count(),
            "open_questions": list_groups(self.tenant).count(),
        }

    def draw_usage(self) -> list[Any]:
        usage = get_usage(self.tenant)
        return [
            draw_meter(_("Questions this month"), usage.queries),
            draw_meter(_("Documents"), usage.documents),
            draw_meter(_("Passages in all sources"), usage.passages),
            draw_meter(_("Connected sources"), usage.connectors),
        ]
