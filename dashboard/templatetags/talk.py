"""Filters that put conversations, leads and notifications into words: `{% load talk %}`."""

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from dashboard.kinds import WEBSITE, name_channel
from query.models import API, LeadStatus, Outcome

register = template.Library()

OUTCOMES: dict[str, tuple[Promise, str]] = {  # in words, and the class of its badge
    Outcome.ANSWERED: (_("Answered"), "good"),
    Outcome.UNSURE: (_("Unsure"), "warn"),
    Outcome.REDIRECTED: (_("Not answered"), "bad"),
    Outcome.FAILED: (_("The model failed"), "bad"),
    Outcome.SMALL_TALK: (_("Small talk"), "plain"),
    Outcome.CONTACT_TAKEN: (_("Left their details"), "good"),
}
STATUSES: dict[str, tuple[Promise, str]] = {
    LeadStatus.NEW: (pgettext_lazy("lead", "New"), "fresh"),
    LeadStatus.CONTACTED: (pgettext_lazy("lead", "Contacted"), "warn"),
    LeadStatus.WON: (pgettext_lazy("lead", "Won"), "good"),
    LeadStatus.LOST: (pgettext_lazy("lead", "Lost"), "plain"),
}


@register.filter
def channel_name(kind: str) -> str:
    """The name of a channel: a brand for messengers, a translated name for a website's chat."""
    if kind == WEBSITE:
        return str(_("Website chat"))
    if kind == API:
        return "API"
    return name_channel(kind)


@register.filter
def outcome_name(outcome: str) -> str:
    return str(OUTCOMES[outcome][0]) if outcome in OUTCOMES else outcome


@register.filter
def outcome_badge(outcome: str) -> str:
    """The class of the outcome's badge in dashboard.css."""
    return OUTCOMES[outcome][1] if outcome in OUTCOMES else "plain"


@register.filter
def status_name(status: str) -> str:
    return str(STATUSES[status][0]) if status in STATUSES else status


@register.filter
def status_badge(status: str) -> str:
    """The class of the status's badge in dashboard.css."""
    return STATUSES[status][1] if status in STATUSES else "plain"
