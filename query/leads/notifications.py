"""Telling a company of what happened: in its dashboard, and by mail."""

from __future__ import annotations

from django.conf import settings
from django.utils import translation

from agents.models import Agent
from config.security.rate_limits import Limit
from query.leads.channel_names import name_channel
from query.models import Lead, Notification
from query.notifications.recipients import mail_members, mail_notice

# To one address, over all agents and tenants: one visitor with a new session for each message, or a
# tenant with many agents, could else fill a mailbox.
MAIL_LIMIT = Limit("lead_mails", amount=60, per_seconds=3600)


def notify_of_lead(lead: Lead, agent: Agent) -> None:
    """Creates the notification in the caller's transaction. Mails to the agent's address, and to
    the members who want them, are sent after its commit. Above MAIL_LIMIT no mails are sent: the
    lead is in the dashboard like the others."""
    lead_kind = Notification.Kind.LEAD
    Notification.objects.for_tenant(lead.tenant).create(kind=lead_kind, lead=lead)
    address, mail = agent.lead_notification_email, mail_context(lead, agent)
    mail_notice(lead.tenant, address, template="lead", context=mail, limit=MAIL_LIMIT)
    mail_members(
        lead.tenant, lead_kind, template="lead", context=mail, but=address, limit=MAIL_LIMIT
    )


def in_local_time(lead: Lead) -> str:
    """The moment at which the company is told, in its own time zone."""
    moment = lead.notified_at or lead.created_at
    return f"{moment.astimezone(lead.tenant.zone):%Y-%m-%d %H:%M}"


def mail_context(lead: Lead, agent: Agent) -> dict[str, str]:
    """The mail's values, in the tenant's language as the mail is. `lead_id` is not shown: it tells
    an erasure which waiting mails are about whom."""
    with translation.override(lead.tenant.language):
        channel = name_channel(lead.channel)
    return {
        "lead_id": str(lead.pk),
        "tenant_name": lead.tenant.name,
        "agent_name": agent.name,
        "channel": channel,
        "name": lead.name,
        "email": lead.email,
        "phone": lead.phone,
        "intent_text": lead.intent_text,
        "notified_at": in_local_time(lead),
        "link": f"{settings.BASE_URL}/dashboard/leads/{lead.pk}",
        "reply_to": lead.email,
    }
