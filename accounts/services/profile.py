"""The profile of a tenant."""

import zoneinfo

from django.db import transaction

from accounts.activity import record
from accounts.models import Action, Language, Tenant
from accounts.services.tenants import clean_value
from config.errors import InvalidValue


@transaction.atomic
def rename_tenant(tenant: Tenant, name: str) -> Tenant:
    before, tenant.name = tenant.name, name
    tenant.save(update_fields=["name"])
    record(tenant, Action.WORKSPACE_RENAMED, before=before, after=name)
    return tenant


@transaction.atomic
def change_workspace(tenant: Tenant, *, name: str, language: str, time_zone: str) -> Tenant:
    """Changes the workspace, and records only what differs.

    Args:
        language: of our mails.
        time_zone: an IANA name; "": the service's.
    Raises InvalidValue.
    """
    name = clean_value(Tenant._meta.get_field("name"), name)
    if language not in Language.values:
        raise InvalidValue(f"language: Must be one of: {', '.join(Language.values)}.")
    if time_zone and time_zone not in zoneinfo.available_timezones():
        raise InvalidValue("time_zone: Unknown time zone.")
    if name != tenant.name:
        rename_tenant(tenant, name)
    if (language, time_zone) != (tenant.language, tenant.time_zone):
        tenant.language, tenant.time_zone = language, time_zone
        tenant.save(update_fields=["language", "time_zone"])
        record(tenant, Action.WORKSPACE_CHANGED, language=language, time_zone=time_zone)
    return tenant
