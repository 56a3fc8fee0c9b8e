"""Connected channels in our staff's back office: to look at. What is encrypted is not shown."""

from django.contrib import admin

from channels.models import ChannelConnection
from sources.admin import TENANT_FILTER, ReadOnlyAdmin


@admin.register(ChannelConnection)
class ChannelConnectionAdmin(ReadOnlyAdmin):
    list_display = [
        "tenant",
        "agent",
        "channel_type",
        "status",
        "error_message",
        "error_at",
        "connected_at",
        "last_call_at",
        "last_refused_at",
    ]
    list_display_links = ["channel_type"]
    list_filter = [TENANT_FILTER, "channel_type", "status"]
    list_select_related = ["tenant", "agent"]
    search_fields = ["agent__name", "agent__id", "account_id", "tenant__slug"]
    ordering = ["tenant", "agent", "channel_type"]
    readonly_fields = ["id"]
