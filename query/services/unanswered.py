"""Questions that visitors asked and the sources do not answer: looked at, answered, dismissed."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from enum import StrEnum

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone
from django.utils.translation import gettext_noop

from accounts.models import Tenant
from accounts.models.tenancy import TenantQuerySet
from agents.services import widen_scopes
from config.errors import Conflict, NotFound
from query.models import Conversation, Message, QuestionGroup
from sources.models import Entry
from sources.services.entries import add_entry


class GroupState(StrEnum):
    OPEN = "open"
    ANSWERED = "answered"
    DISMISSED = "dismissed"


def list_groups(
    tenant: Tenant, state: GroupState = GroupState.OPEN
) -> TenantQuerySet[QuestionGroup]:
    """Groups of questions, most often asked first, each with `asked_count` and `last_asked_at`."""
    groups = QuestionGroup.objects.for_tenant(tenant).defer("vector")
    match state:
        case GroupState.OPEN:
            groups = groups.filter(entry=None, dismissed_at=None)
        case GroupState.ANSWERED:
            groups = groups.exclude(entry=None)
        case GroupState.DISMISSED:
            groups = groups.filter(entry=None).exclude(dismissed_at=None)
    counted = groups.annotate(
        asked_count=Count("questions"), last_asked_at=Max("questions__created_at")
    )
    return counted.filter(asked_count__gt=0).order_by("-asked_count", "-last_asked_at", "id")


def title_groups(tenant: Tenant, group_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The clearest question of each group that has one. One query."""
    asked = Message.objects.for_tenant(tenant).filter(group__in=group_ids)
    clearest = asked.order_by("group_id", "-clarity", "id").distinct("group_id")
    return dict(clearest.values_list("group_id", "question"))


def get_group(tenant: Tenant, group_id: uuid.UUID) -> QuestionGroup:
    """The group with its entry, `asked_count` and `last_asked_at`. Raises NotFound, also when the
    last of its questions is gone."""
    groups = QuestionGroup.objects.for_tenant(tenant).select_related("entry").defer("vector")
    counted = groups.annotate(
        asked_count=Count("questions"), last_asked_at=Max("questions__created_at")
    )
    group = counted.filter(pk=group_id, asked_count__gt=0).first()
    if group is None:
        raise NotFound("These questions are no longer kept.")
    return group


def list_questions(tenant: Tenant, group: QuestionGroup) -> TenantQuerySet[Message]:
    """The group's questions, newest first, each with its conversation and agent."""
    asked = Message.objects.for_tenant(tenant).filter(group=group)
    return asked.select_related("conversation__agent").order_by("-created_at", "-id")


@transaction.atomic
def answer_group(
    tenant: Tenant, group_id: uuid.UUID, *, question: str, answer: str, by: str
) -> Entry:
    """Writes an entry, and lets every agent that was asked answer from it, also those that have a
    scope.

    Raises NotFound, Conflict (it is answered already), and what `add_entry` raises.
    """
    group = lock_group(tenant, group_id)
    if group.is_answered:
        raise Conflict(gettext_noop("Somebody has already answered this."))
    entry, source = add_entry(tenant, question=question, answer=answer, by=by)
    group.entry, group.dismissed_at = entry, None
    group.save(update_fields=["entry", "dismissed_at"])
    conversations = Conversation.objects.for_tenant(tenant)
    asked = Message.objects.for_tenant(tenant).filter(group=group).values("conversation")
    agents = conversations.filter(pk__in=asked).order_by().values_list("agent", flat=True)
    widen_scopes(tenant, list(agents.distinct()), source.pk)
    return entry


@transaction.atomic
def dismiss_group(tenant: Tenant, group_id: uuid.UUID) -> None:
    """Marks the group as not needing an answer: it leaves the open ones. Raises
    NotFound."""
    group = lock_group(tenant, group_id)
    group.dismissed_at = timezone.now()
    group.save(update_fields=["dismissed_at"])


@transaction.atomic
def reopen_group(tenant: Tenant, group_id: uuid.UUID) -> None:
    """Takes `dismiss_group` back. Raises NotFound."""
    group = lock_group(tenant, group_id)
    group.dismissed_at = None
    group.save(update_fields=["dismissed_at"])


def lock_group(tenant: Tenant, group_id: uuid.UUID) -> QuestionGroup:
    locked = QuestionGroup.objects.for_tenant(tenant).select_for_update(no_key=True)
    group = locked.defer("vector").filter(pk=group_id).first()
    if group is None:
        raise NotFound("These questions are no longer kept.")
    return group
