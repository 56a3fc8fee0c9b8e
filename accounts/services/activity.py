"""Reading what people did."""

from accounts.models import ActivityEntry, Tenant
from accounts.models.tenancy import TenantQuerySet


def list_activity(
    tenant: Tenant, *, actor: str = "", action: str = "", before: int | None = None
) -> TenantQuerySet[ActivityEntry]:
    """The entries, the newest first.

    Args:
        actor: an e-mail address, "API token <name>", "staff" or "service", as it was written down.
        before: the id of an entry: only what came before it.
    """
    entries = ActivityEntry.objects.for_tenant(tenant)
    if actor:
        entries = entries.filter(actor=actor)
    if action:
        entries = entries.filter(action=action)
    if before is not None:
        entries = entries.filter(pk__lt=before)
    return entries.order_by("-id")
