"""Programs that people let in: to look at and to end, never what proves."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from accounts.admin.base import TENANT_FILTER, LookOnly, ReadOnlyAdmin, log_action
from accounts.models import Program, ProgramAccess, ProgramCode, User
from accounts.services.staff import record_endings, revoke_accesses


@admin.register(Program)
class ProgramAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # the theme's types
    """A page of programs. Deleting one ends what people permitted it."""

    list_display = ["name", "client_id", "auth_method", "created_at", "last_used_at"]
    list_filter = ["auth_method"]
    search_fields = ["name", "client_id"]
    fields = [
        "name",
        "client_id",
        "auth_method",
        "redirect_uris",
        "client_uri",
        "published_at",
        "created_at",
        "last_used_at",
    ]
    show_full_result_count = False


@admin.register(ProgramAccess)
class ProgramAccessAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # as above
    list_display = [
        "tenant",
        "program",
        "user",
        "scope",
        "created_at",
        "last_used_at",
        "expires_at",
        "revoked_at",
    ]
    list_filter = [TENANT_FILTER, "revoked_at"]
    list_filter_submit = True
    list_select_related = ["tenant", "program", "membership__user"]
    search_fields = ["tenant__slug", "program__name", "membership__user__email"]
    fields = list_display  # type: ignore[assignment]  # all are names
    actions = ["revoke"]
    show_full_result_count = False

    @admin.display(ordering="membership__user__email")
    def user(self, access: ProgramAccess) -> User:
        return access.membership.user

    @admin.action(description="Revoke selected accesses", permissions=["delete"])
    def revoke(self, request: HttpRequest, accesses: QuerySet[ProgramAccess]) -> None:
        log_action(request, accesses, "Revoked.")
        record_endings(accesses)
        self.message_user(request, f"{revoke_accesses(accesses)} accesses revoked.")


@admin.register(ProgramCode)
class ProgramCodeAdmin(ReadOnlyAdmin):
    list_display = ["tenant", "program", "created_at", "expires_at", "used_at"]
    list_filter = [TENANT_FILTER]
    list_select_related = ["tenant", "program"]
    search_fields = ["tenant__slug", "program__name"]
    fields = list_display  # type: ignore[assignment]  # all are names
    show_full_result_count = False
