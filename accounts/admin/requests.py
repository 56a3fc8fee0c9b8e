"""Requests that were sent with an Idempotency-Key: to look at alone, without what they answered."""

from django.contrib import admin

from accounts.admin.base import TENANT_FILTER, ReadOnlyAdmin
from accounts.models import IdempotentRequest


@admin.register(IdempotentRequest)
class IdempotentRequestAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "created_at", "endpoint", "status", "resource_id", "lease_until"]
    list_filter = [TENANT_FILTER, "endpoint"]
    list_select_related = ["tenant"]
    search_fields = ["tenant__slug"]
    show_full_result_count = False
