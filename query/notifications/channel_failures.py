"""A channel on which nobody is answered any more is told of, once a day at most."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from agents.models import Agent
from query.models import Notification
from query.notifications.recipients import mail_members
from reasons import Reason

logger = logging.getLogger(__name__)

KIND = Notification.Kind.CHANNEL_FAILED
# A messenger may accept a message and refuse it later, each time that one is tried: every hour.
TOLD_EVERY = timedelta(days=1)


def notify_of_failed_channel(agent: Agent, channel: str, reason: Reason) -> None:
    """Notify the agent's tenant that nobody is answered on the channel. `channel`: as people call
    it. The channel stops in the same way if this cannot be written down."""
    try:
        with transaction.atomic():
            notify_once(agent, channel, reason)
    except DatabaseError as error:
        kind = type(error).__name__
        logger.error("nobody was told that a channel of agent %s failed: %s", agent.pk, kind)


def notify_once(agent: Agent, channel: str, reason: Reason) -> None:
    told = Notification.objects.for_tenant(agent.tenant).filter(kind=KIND, agent=agent)
    if told.filter(created_at__gt=timezone.now() - TOLD_EVERY).exists():
        return
    told.delete()
    Notification.objects.for_tenant(agent.tenant).create(kind=KIND, agent=agent)
    context = {
        "tenant_name": agent.tenant.name,
        "agent_name": agent.name,
        "channel": channel,
        "reason": json.dumps(reason.to_json()),
        "link": f"{settings.BASE_URL}/dashboard/agents/{agent.pk}/channels",
    }
    mail_members(agent.tenant, KIND, template="channel_failed", context=context)
