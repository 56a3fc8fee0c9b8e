"""How many connected sources a plan has places for, and which of them a sync may begin of.

Both are asked under the lock of the tenant's row: else two at the same time would both get the last
place.
"""

import uuid

from django.db.models import Q

from accounts.models import Tenant
from reasons import Reason
from sources.errors import SourceLimitReached
from sources.models import UPLOADED_TYPES, Source


def lock_tenant(tenant: Tenant) -> Tenant:
    """The tenant as it is now, with its plan, locked to the end of the transaction."""
    tenants = Tenant.objects.select_related("plan").select_for_update(of=("self",), no_key=True)
    return tenants.get(pk=tenant.pk)


def check_connectors_limit(tenant: Tenant) -> None:
    """Raises SourceLimitReached when the plan holds no further connected source."""
    plan = tenant.plan
    if plan.max_connectors is None:
        return
    if Source.objects.for_tenant(tenant).connectors().count() >= plan.max_connectors:
        raise SourceLimitReached(
            Reason("plan_places_full", name=plan.name, limit=plan.max_connectors)
        )


def check_place(tenant: Tenant, source_id: uuid.UUID) -> None:
    """Checks that a run of this source may begin. Locks the tenant; at most four queries.

    A source in error that never indexed anything has no place and comes back behind all that have
    one: so failed sources cannot pile up beside a full plan, and then be synced together. After a
    change to a smaller plan the oldest keep their places. Raises SourceLimitReached.
    """
    plan = lock_tenant(tenant).plan
    if plan.max_connectors is None:
        return
    sources = Source.objects.for_tenant(tenant)
    connected = sources.exclude(source_type__in=UPLOADED_TYPES).filter(pk=source_id)
    created_at = connected.values_list("created_at", flat=True).first()
    if created_at is None:
        return
    others = sources.connectors().exclude(pk=source_id)
    if sources.connectors().filter(pk=source_id).exists():
        same_moment = Q(created_at=created_at, pk__lt=source_id)
        others = others.filter(Q(created_at__lt=created_at) | same_moment)
    if others.count() >= plan.max_connectors:
        raise SourceLimitReached(
            Reason("plan_places_taken", name=plan.name, limit=plan.max_connectors)
        )
