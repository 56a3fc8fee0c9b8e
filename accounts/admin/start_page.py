"""The back office's start page: figures that each app gives as cards, and the sidebar by task."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

BAR_HEIGHT = 40  # of the drawing, whose days are ten wide


@dataclass(frozen=True)
class Figure:
    """A line of a card. `address`: the list that it counts. `tone`: "bad" or "warn" where somebody
    should look."""

    label: str
    value: str
    address: str = ""
    tone: str = ""


@dataclass(frozen=True)
class Bar:
    label: str
    x: int
    y: int
    height: int


@dataclass(frozen=True)
class Card:
    """A card of the start page. `bars`: a day each, the last one today."""

    title: str
    figures: tuple[Figure, ...]
    bars: tuple[Bar, ...] = ()

    @property
    def width(self) -> int:
        return max(10 * len(self.bars), 1)


Maker = Callable[[], Card]
_makers: list[tuple[str, Maker]] = []  # each with the permission that it takes


def start_card(permission: str) -> Callable[[Maker], Maker]:
    """Register a card for staff who have the permission ("sources.view_source"). An app's admin
    module does it, which Django loads by itself."""

    def register(maker: Maker) -> Maker:
        _makers.append((permission, maker))
        return maker

    return register


def draw_days(days: Iterable[tuple[str, int]]) -> tuple[Bar, ...]:
    """Return a bar a day, the highest of them BAR_HEIGHT high; days above zero stay visible."""
    counted = list(days)
    highest = max((count for _, count in counted), default=0) or 1
    heights = [-(-count * BAR_HEIGHT // highest) for _, count in counted]
    return tuple(
        Bar(f"{label}: {count:,}", number * 10, BAR_HEIGHT - height, height)
        for number, ((label, count), height) in enumerate(zip(counted, heights, strict=True))
    )


def fill_start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Add the cards that the person may see, and count for no others (unfold:
    DASHBOARD_CALLBACK)."""
    makers = [maker for permission, maker in _makers if request.user.has_perm(permission)]
    context["cards"] = [maker() for maker in makers]
    return context


def name_environment(request: HttpRequest) -> list[str]:
    """Return the label beside the title, and its colour (unfold: ENVIRONMENT)."""
    return ["Development", "info"] if settings.IS_DEVELOPMENT else ["Production", "danger"]


# --- The sidebar ----------------------------------------------------------------------------------

# A group: its title, and an entry a model ("app.model") with its label and its icon (Material
# Symbols, which the theme brings along).
GROUPS: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "Customers",
        (
            ("accounts.tenant", "Workspaces", "apartment"),
            ("accounts.user", "People", "person"),
            ("accounts.membership", "Memberships", "badge"),
            ("accounts.signup", "Sign-ups", "how_to_reg"),
            ("accounts.plan", "Plans", "sell"),
            ("accounts.usagecounter", "Usage", "speed"),
            ("accounts.companyprofile", "Invoice addresses", "receipt_long"),
        ),
    ),
    (
        "Knowledge",
        (
            ("sources.source", "Sources", "folder_open"),
            ("sources.syncevent", "Syncs", "sync"),
            ("sources.connection", "Connected accounts", "cable"),
            ("sources.document", "Documents", "description"),
            ("agents.agent", "Agents", "support_agent"),
            ("channels.channelconnection", "Channels", "forum"),
        ),
    ),
    (
        "Conversations",
        (
            ("query.outcomecount", "Questions a day", "bar_chart"),
            ("query.conversation", "Conversations", "chat"),
            ("query.lead", "Leads", "handshake"),
            ("query.questiongroup", "Unanswered", "help"),
            ("webhooks.chat", "Messenger chats", "sms"),
        ),
    ),
    (
        "Operation",
        (
            ("accounts.outgoingmail", "Mails", "mail"),
            ("query.mailrecipient", "Recipients of mails", "contact_mail"),
            ("accounts.codealarm", "Alarms", "warning"),
            ("accounts.activityentry", "Activity", "history"),
            ("accounts.erasurereceipt", "Erasures", "delete_forever"),
            ("accounts.workspaceexport", "Exports", "archive"),
        ),
    ),
    (
        "Access",
        (
            ("accounts.apitoken", "API tokens", "key"),
            ("accounts.session", "Sessions", "devices"),
            ("accounts.program", "Programs", "apps"),
            ("accounts.staffaccess", "Access to customer content", "visibility"),
            ("accounts.staffsession", "Staff sessions", "shield_person"),
            ("auth.group", "Staff roles", "groups"),
        ),
    ),
)


def list_groups(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the sidebar's groups by task, with what the person may view (unfold: SIDEBAR)."""
    groups = [
        {
            "title": title,
            "items": [
                {"title": label, "icon": icon, "link": list_address(model)}
                for model, label, icon in entries
                if may_view(request, model)
            ],
        }
        for title, entries in GROUPS
    ]
    start = {"title": "Start", "icon": "home", "link": reverse("admin:index")}
    return [{"items": [start]}, *(group for group in groups if group["items"])]


def list_address(model: str, query: str = "") -> str:
    """Return the address of the model's list; `query` narrows it."""
    return reverse(f"admin:{model.replace('.', '_')}_changelist") + (f"?{query}" if query else "")


def may_view(request: HttpRequest, model: str) -> bool:
    app, _, name = model.partition(".")
    return any(request.user.has_perm(f"{app}.{may}_{name}") for may in ("view", "change"))
