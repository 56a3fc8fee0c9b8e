"""Filters that put conversations, leads and notifications into words: `{% load talk %}`."""

from urllib.parse import quote, urlencode

from django import template
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from dashboard.kinds import WEBSITE, name_channel
from query.models import API, Lead, LeadStatus, Outcome

register = template.Library()

QUOTED_MAX_CHARS = 500  # an address has its limits

OUTCOMES: dict[str, tuple[Promise, str]] = {  # in words, and the class of its badge
    Outcome.ANSWERED: (pgettext_lazy("one answer", "Answered"), "good"),
    Outcome.UNSURE: (pgettext_lazy("one answer", "Unsure"), "warn"),
    Outcome.REDIRECTED: (pgettext_lazy("one answer", "Not answered"), "bad"),
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
def reply_by_mail(lead: Lead) -> str:
    """A link that begins a mail to the person, with their question quoted."""
    quoted = "\n".join(f"> {line}" for line in quote_of(lead).splitlines())
    query = urlencode(
        {"subject": gettext("Your question"), "body": f"\n\n{quoted}"}, quote_via=quote
    )
    return f"mailto:{quote(lead.email, safe='@')}?{query}"


@register.filter
def reply_on_whatsapp(lead: Lead) -> str:
    """A link that begins a WhatsApp chat with the person, with their question quoted."""
    digits = "".join(filter(str.isdigit, lead.phone))
    return f"https://wa.me/{digits}?text={quote(f'«{quote_of(lead)}»')}"


def quote_of(lead: Lead) -> str:
    return lead.intent_text[:QUOTED_MAX_CHARS]


@register.filter
def status_name(status: str) -> str:
    return str(STATUSES[status][0]) if status in STATUSES else status


@register.filter
def status_badge(status: str) -> str:
    """The class of the status's badge in dashboard.css."""
    return STATUSES[status][1] if status in STATUSES else "plain"
