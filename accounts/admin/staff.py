"""Our staff's sessions, groups, log, and whose words they opened: superusers look at them. The log
is kept as it is."""

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from accounts.admin.base import (
    TENANT_FILTER,
    LookOnly,
    ReadOnlyAdmin,
    SuperusersOnly,
    is_root,
    log_action,
)
from accounts.models import StaffAccess, StaffSession
from accounts.services.staff_sessions import end_staff_sessions

admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(SuperusersOnly, DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]  # the theme's types
    """Django's own page of groups, in the theme's style."""


@admin.register(StaffSession)
class StaffSessionAdmin(LookOnly, SuperusersOnly, ModelAdmin):  # type: ignore[misc]  # as above
    """A page to look at the sessions of our staff and to end them. Each person's own are at
    /admin/sessions/."""

    list_display = ["user", "began_at", "last_seen_at", "ended_at", "address", "user_agent"]
    list_select_related = ["user"]
    search_fields = ["user__email", "address"]
    fields = list_display  # type: ignore[assignment]  # all are names
    actions = ["end"]
    show_full_result_count = False

    @admin.action(description="End selected sessions", permissions=["delete"])
    def end(self, request: HttpRequest, sessions: QuerySet[StaffSession]) -> None:
        log_action(request, sessions, "Ended.")
        self.message_user(request, f"{end_staff_sessions(sessions)} sessions ended.")


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    list_display = ["action_time", "user", "content_type", "object_repr", "action_flag"]
    list_filter = ["action_flag", "action_time"]
    list_select_related = ["user", "content_type"]
    search_fields = ["user__email", "object_repr", "object_id"]
    fields = [*list_display, "object_id", "change_message"]  # type: ignore[list-item]  # as above
    ordering = ["-action_time"]
    show_full_result_count = False

    def has_view_permission(self, request: HttpRequest, obj: LogEntry | None = None) -> bool:
        return is_root(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_root(request)


@admin.register(StaffAccess)
class StaffAccessAdmin(ReadOnlyAdmin):
    """A page of staff accesses, which are opened and ended at /admin/access/."""

    list_display = ["tenant", "user", "reason", "began_at", "ends_at", "ended_at"]
    list_filter = [TENANT_FILTER, "began_at"]
    list_select_related = ["tenant", "user"]
    search_fields = ["tenant__slug", "user__email"]
    show_full_result_count = False

    def has_view_permission(self, request: HttpRequest, obj: StaffAccess | None = None) -> bool:
        return is_root(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_root(request)
