"""Telling a company of what happened: in its dashboard, and by mail."""

from __future__ import annotations

import logging
import re

from django.conf import settings
from django.utils import translation

from accounts.services.mails import queue_mail
from agents.models import Agent
from config.security.rate_limits import Limit, LimitsUnavailable, take
from query.leads.channel_names import name_channel
from query.models import Lead, Notification
from query.notifications.inbox import mail_members

logger = logging.getLogger(__name__)

# One visitor with a new session for each message could else fill a mailbox.
MAIL_LIMIT = Limit("lead_mails", amount=60, per_seconds=3600)
# Where mail programs would see an address or a link
LINK_JOINT = re.compile(r"(?<=\w)[.@](?=[^\W\d_])|:(?=//)")


def notify_of_lead(lead: Lead, agent: Agent) -> None:
    """In the caller's transaction; the mails are sent after its commit: to the agent's address, and
    to the members who want them. Above MAIL_LIMIT there are none: the lead is in the dashboard like
    the others."""
    Notification.objects.for_tenant(lead.tenant).create(kind=Notification.Kind.LEAD, lead=lead)
    if not may_mail(agent):
        logger.warning("agent %s has had its lead mails of the hour", agent.pk)
        return
    context, address = mail_context(lead, agent), agent.lead_notification_email
    queue_mail(lead.tenant, recipient=address, template="lead", context=context)
    mail_members(lead.tenant, Notification.Kind.LEAD, template="lead", context=context, but=address)


def may_mail(agent: Agent) -> bool:
    """True while Redis, which counts, does not answer: rather a mail too many than none."""
    try:
        return not take(MAIL_LIMIT, f"{agent.tenant_id}:{agent.pk}")
    except LimitsUnavailable:
        return True


def mail_context(lead: Lead, agent: Agent) -> dict[str, str]:
    """In the tenant's language, as the mail is. `lead_id` is not shown: it tells an erasure which
    waiting mails are about whom."""
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
        "intent_text": unlink(lead.intent_text),
        "notified_at": f"{lead.notified_at:%Y-%m-%d %H:%M} UTC",
        "link": f"{settings.BASE_URL}/dashboard",
    }


def unlink(text: str) -> str:
    """A stranger's words with a space in each address: mail programs make links of bare ones."""
    return LINK_JOINT.sub(r"\g<0> ", text)
