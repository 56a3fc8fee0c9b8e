"""The sections that the navigation shows, in its order, and to whom."""

from collections.abc import Collection
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Role

ALL = frozenset(Role)
READING = frozenset({Role.ADMIN, Role.MEMBER})
ADMIN = frozenset({Role.ADMIN})


@dataclass(frozen=True)
class Section:
    name: str  # of its first page's URL too: "dashboard:sources"
    label: Promise
    icon: str  # of templates/dashboard/components/icon.html
    roles: Collection[Role] = ALL

    @property
    def address(self) -> str:
        return reverse(f"dashboard:{self.name}")


SECTIONS = (
    Section("start", _("Home"), "home"),
    Section("sources", _("Sources"), "sources", READING),
    Section("agents", _("Agents"), "agents"),
    Section("conversations", _("Conversations"), "conversations", READING),
    Section("unanswered", _("Unanswered"), "unanswered", READING),
    Section("leads", _("Leads"), "leads", READING),
    Section("workspace", _("Workspace"), "workspace", ADMIN),
    Section("activity", _("Activity"), "activity", ADMIN),
)


def list_sections(role: Role) -> list[Section]:
    """The sections that the role may open."""
    return [section for section in SECTIONS if role in section.roles]
