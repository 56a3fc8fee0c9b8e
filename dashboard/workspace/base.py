"""The base of the workspace's tabs."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Role
from dashboard.base import ADMINS, EVERYBODY, DashboardView, redirect_to


@dataclass(frozen=True)
class Tab:
    name: str  # of its URL too
    label: Promise
    roles: Collection[Role] = ADMINS

    @property
    def address(self) -> str:
        return reverse(f"dashboard:{self.name}")


TABS = (
    Tab("workspace", _("General")),
    Tab("workspace_people", _("People")),
    Tab("workspace_tokens", _("API tokens")),
    Tab("workspace_programs", _("Programs"), EVERYBODY),
    Tab("workspace_company", _("Company")),
    Tab("workspace_plan", _("Plan and usage")),
    Tab("workspace_leaving", _("Export and deletion")),
)


class WorkspaceView(DashboardView):
    """`tab`: the name of the one that is open."""

    allowed_roles = ADMINS
    section = "workspace"
    tab = "workspace"

    def show(self, template: str, /, status: int = 200, **context: Any) -> HttpResponse:
        tabs = [tab for tab in TABS if self.caller.role in tab.roles]
        return self.render(
            f"workspace/{template}", status=status, tabs=tabs, tab=self.tab, **context
        )

    def refuse(self, text: str) -> HttpResponse:
        """Back to the tab, where it says why nothing was done."""
        messages.error(self.request, text)
        return redirect_to(self.request, reverse(f"dashboard:{self.tab}"))
