"""What all new sources share: they are counted one after the other, and come last in the list."""

from django.db.models import Max

from accounts.models import Tenant
from config.errors import PlanLimitReached
from sources.errors import SourceLimitReached
from sources.models import Source

POSITION_MAX = 2**31 - 1  # of PostgreSQL's integer


def lock_tenant(tenant: Tenant) -> Tenant:
    """As it is now, with its plan, locked to the end of the transaction.

    Else two new sources at the same time would both pass the last place of a plan.
    """
    tenants = Tenant.objects.select_related("plan").select_for_update(of=("self",), no_key=True)
    return tenants.get(pk=tenant.pk)


def check_documents_limit(tenant: Tenant) -> None:
    """Raises PlanLimitReached when the plan holds no further upload."""
    plan = tenant.plan
    if not plan.blocks_overage or plan.max_documents is None:
        return
    if Source.objects.for_tenant(tenant).uploads().count() >= plan.max_documents:
        raise PlanLimitReached(
            f"The {plan.name} plan holds {plan.max_documents} documents."
            " Delete one, or change the plan."
        )


def check_connectors_limit(tenant: Tenant) -> None:
    """Raises SourceLimitReached when the plan holds no further connected source."""
    plan = tenant.plan
    if plan.max_connectors is None:
        return
    if Source.objects.for_tenant(tenant).connectors().count() >= plan.max_connectors:
        raise SourceLimitReached(
            f"The number of connected sources in the {plan.name} plan is {plan.max_connectors}."
            " Delete one, or change the plan."
        )


def next_position(tenant: Tenant) -> int:
    """After all others. At the end of the range the time of creation decides."""
    sources = Source.objects.for_tenant(tenant)
    highest: int | None = sources.aggregate(highest=Max("position"))["highest"]
    return 0 if highest is None else min(highest + 1, POSITION_MAX)
