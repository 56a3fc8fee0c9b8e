"""Telling a company of what happened: in its dashboard, and by mail."""

from __future__ import annotations

import re

from django.conf import settings

from accounts.services.mails import queue_mail
from agents.models import Agent
from query.models import Lead, Notification

# Where mail programs would see an address or a link
LINK_JOINT = re.compile(r"(?<=\w)[.@](?=[^\W\d_])|:(?=//)")


def notify_of_lead(lead: Lead, agent: Agent) -> None:
    """In the caller's transaction; the mail is sent after its commit."""
    Notification.objects.for_tenant(lead.tenant).create(kind=Notification.Kind.LEAD, lead=lead)
    queue_mail(
        lead.tenant,
        recipient=agent.lead_notification_email,
        template="lead",
        context=mail_context(lead, agent),
    )


def mail_context(lead: Lead, agent: Agent) -> dict[str, str]:
    """`lead_id` is not shown: it tells an erasure which waiting mails are about whom."""
    return {
        "lead_id": str(lead.pk),
        "tenant_name": lead.tenant.name,
        "agent_name": agent.name,
        "channel": lead.channel,
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
