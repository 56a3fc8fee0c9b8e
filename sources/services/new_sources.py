"""Rules that new sources share: an upload must fit into the plan, and a new source comes last in
the list."""

from django.db.models import Max

from accounts.models import Tenant
from config.errors import PlanLimitReached
from sources.models import Source
from sources.syncing.plan_passages import check_passages_limit

POSITION_MAX = 2**31 - 1  # of PostgreSQL's integer


def check_documents_limit(tenant: Tenant) -> None:
    """Raises PlanLimitReached when the plan holds no further upload, or nothing more of one."""
    check_passages_limit(tenant)
    plan = tenant.plan
    if not plan.blocks_overage or plan.max_documents is None:
        return
    if Source.objects.for_tenant(tenant).uploads().count() >= plan.max_documents:
        raise PlanLimitReached(
            f"The {plan.name} plan holds {plan.max_documents} documents."
            " Delete one, or change the plan."
        )


def next_position(tenant: Tenant) -> int:
    """The position after all other sources. At POSITION_MAX several share it, ordered by time of
    creation."""
    sources = Source.objects.for_tenant(tenant)
    highest: int | None = sources.aggregate(highest=Max("position"))["highest"]
    return 0 if highest is None else min(highest + 1, POSITION_MAX)
