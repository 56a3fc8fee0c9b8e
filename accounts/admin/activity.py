"""Pages that only show what people did, and the exports of workspaces and of people's data."""

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest

from accounts.admin.base import TENANT_FILTER, ReadOnlyAdmin
from accounts.models import ActivityEntry, ErasureReceipt, PersonExport, WorkspaceExport


@admin.register(ActivityEntry)
class ActivityEntryAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "created_at", "actor", "action", "target_kind", "target"]
    list_filter = [TENANT_FILTER]
    list_select_related = ["tenant"]
    search_fields = ["tenant__slug", "actor"]
    show_full_result_count = False
    exclude = ["target_name"]
    readonly_fields = ["target"]

    @admin.display(description="target name")
    def target(self, entry: ActivityEntry) -> str:
        """Returns the target's name; empty for an answer by hand, whose question a customer may
        have asked."""
        return "" if entry.target_kind == "entry" else entry.target_name


@admin.register(WorkspaceExport)
class WorkspaceExportAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "created_at", "asked_by", "state", "size_bytes", "expires_at"]
    list_filter = [TENANT_FILTER, "state"]
    list_select_related = ["tenant"]
    search_fields = ["tenant__slug", "asked_by"]


@admin.register(PersonExport)
class PersonExportAdmin(ReadOnlyAdmin):
    """Shows the progress of an export; its content is for the person alone."""

    list_display = ["user", "created_at", "state", "attempts", "size_bytes", "expires_at"]
    list_filter = ["state"]
    list_select_related = ["user"]
    search_fields = ["user__email"]
    exclude = ["archive"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[PersonExport]:
        return super().get_queryset(request).defer("archive")


@admin.register(ErasureReceipt)
class ErasureReceiptAdmin(ReadOnlyAdmin):
    """Lists receipts of erasures, unfinished ones first."""

    list_display = ["kind", "subject", "asked_by", "begun_at", "finished_at", "last_error"]
    list_display += ["backups_until"]
    list_filter = ["kind", "asked_by", ("finished_at", admin.EmptyFieldListFilter)]
    search_fields = ["subject", "=workspace_id"]
    ordering = [F("finished_at").desc(nulls_first=True), "-begun_at"]
