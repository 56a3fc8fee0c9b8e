"""What a tenant says about itself."""

from accounts.models import Tenant


def rename_tenant(tenant: Tenant, name: str) -> Tenant:
    tenant.name = name
    tenant.save(update_fields=["name"])
    return tenant
