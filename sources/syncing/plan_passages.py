"""How many passages a plan holds: of all sources together, those that answer and those that are
being indexed.

A source counts as what answers from it or as what its run has reserved, whichever is more: while a
sync replaces one version by another, both are stored, and one of them stays. A run reserves before
anything is embedded, under the lock of the tenant's row: else two at once would both get the last
passages. What it leaves staged for the next run stays reserved. The sources are added up, never
their passages.
"""

from __future__ import annotations

import uuid

from django.db import transaction

from accounts.models import Tenant, UsageCounter
from accounts.plans.usage import record_kept
from config.errors import PlanLimitReached
from reasons import Reason, join_reasons
from sources.errors import PassagesUsedUp, SyncSuperseded
from sources.models import Source
from sources.syncing.plan_places import lock_tenant

# Why a run ends, and what of its source stays.
ANSWERS_ON = Reason("old_version_answers")


def check_passages_limit(tenant: Tenant) -> None:
    """Raises PlanLimitReached when the plan holds no further passage."""
    plan = tenant.plan
    if not plan.blocks_overage or plan.max_passages is None:
        return
    if Source.objects.for_tenant(tenant).sum_passages() >= plan.max_passages:
        raise PlanLimitReached(
            Reason("plan_passages_used_up", name=plan.name, limit=plan.max_passages)
        )


@transaction.atomic
def reserve_passages(source: Source, *, run_id: uuid.UUID, needed: int) -> None:
    """Reserves `needed` passages of the plan for a run of the source. Locks the tenant, then the
    source.

    Raises PassagesUsedUp where the plan blocks what is over its limit, and SyncSuperseded: then
    nothing has changed.
    """
    tenant = lock_tenant(source.tenant)
    plan, sources = tenant.plan, Source.objects.for_tenant(tenant)
    if plan.blocks_overage and plan.max_passages is not None:
        others = sources.exclude(pk=source.pk).sum_passages()
        if others + needed > plan.max_passages:
            reason = Reason("plan_passages_exceeded", name=plan.name, limit=plan.max_passages)
            raise PassagesUsedUp(join_reasons(reason, *[ANSWERS_ON] * bool(source.chunks_count)))
    if not sources.filter(pk=source.pk).held_by(run_id).update(reserved_count=needed):
        raise SyncSuperseded


def record_passages(tenant: Tenant) -> None:
    """Notes how many passages there are, when a run has come to its end."""
    if kept := Source.objects.for_tenant(tenant).sum_passages():
        record_kept(tenant, UsageCounter.Metric.PASSAGES, kept)
