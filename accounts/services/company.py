"""The company profile: to whom a tenant's invoices go."""

from django.db import transaction

from accounts.activity import record
from accounts.errors import CompanyProfileNotFound
from accounts.models import Action, CompanyProfile, Tenant


def get_company_profile(tenant: Tenant) -> CompanyProfile:
    """Raises CompanyProfileNotFound."""
    profile = CompanyProfile.objects.for_tenant(tenant).first()
    if profile is None:
        raise CompanyProfileNotFound
    return profile


@transaction.atomic
def replace_company_profile(
    tenant: Tenant,
    *,
    legal_name: str,
    tax_id: str,
    address: str,
    city: str,
    postal_code: str,
    country: str,
    billing_email: str,
) -> CompanyProfile:
    """Replaces the whole profile; of several calls at once the last one wins."""
    profile, _ = CompanyProfile.objects.for_tenant(tenant).update_or_create(
        defaults={
            "legal_name": legal_name,
            "tax_id": tax_id,
            "address": address,
            "city": city,
            "postal_code": postal_code,
            "country": country,
            "billing_email": billing_email,
        }
    )
    record(tenant, Action.COMPANY_CHANGED)
    return profile
