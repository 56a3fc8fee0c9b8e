"""Connected channels in our staff's back office: to look at. What is encrypted is not shown."""

from django.contrib import admin

from accounts.admin.base import TENANT_FILTER, ReadOnlyAdmin
from channels.models import ChannelConnection


@admin.register(ChannelConnection)
class ChannelConnectionAdmin(ReadOnlyAdmin):
    list_display = [
        "tenant",
        "agent",
        "channel_type",
        "account",
        "status",
        "error_message",
        "error_at",
        "connected_at",
        "last_call_at",
        "last_refused_at",
    ]
    list_display_links = ["channel_type"]
    list_filter = [TENANT_FILTER, "channel_type", "status"]
    list_select_related = ["tenant", "agent", "connection"]
    search_fields = ["agent__name", "agent__id", "connection__account", "tenant__slug"]
    ordering = ["tenant", "agent", "channel_type"]
    readonly_fields = ["id"]
