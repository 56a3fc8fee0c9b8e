"""What a company does with its leads. Stands in for the module of the same name."""

from __future__ import annotations

from accounts.models import Tenant
from query.models import Lead


def list_latest_leads(tenant: Tenant, limit: int = 5) -> list[Lead]:
    """Newest first."""
    return list(Lead.objects.for_tenant(tenant).order_by("-created_at")[:limit])
