"""Our staff's view of tenants and people. It is over all tenants, so tenants come first everywhere.

Neither password hashes nor the numbers of refresh tokens are shown.
"""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin, TabularInline
from unfold.contrib.filters.admin import AutocompleteSelectFilter
from unfold.forms import AdminPasswordChangeForm, UserCreationForm

from accounts.models import Membership, Plan, Session, Tenant, User
from accounts.services.sessions import revoke_sessions

TENANT_FILTER = ("tenant", AutocompleteSelectFilter)
POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(Plan)
class PlanAdmin(ModelAdmin):
    list_display = ["slug", "name", "max_documents", "max_queries_per_month", "max_connectors"]
    search_fields = ["slug", "name"]

    def get_readonly_fields(self, request: HttpRequest, obj: Plan | None = None) -> list[str]:
        return ["slug"] if obj else []  # its primary key: a change would make a second plan


@admin.register(Tenant)
class TenantAdmin(ModelAdmin):
    list_display = ["slug", "name", "plan", "created_at"]
    list_filter = ["plan"]
    list_select_related = ["plan"]
    search_fields = ["slug", "name"]
    autocomplete_fields = ["plan"]
    readonly_fields = ["id", "created_at"]

    def has_delete_permission(self, request: HttpRequest, obj: Tenant | None = None) -> bool:
        return False  # the originals in the file storage would stay behind


class MembershipInline(TabularInline):
    model = Membership
    fields = ["tenant", "role"]
    autocomplete_fields = ["tenant"]
    extra = 0


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[misc, type-arg]  # the theme's types
    form = forms.ModelForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["email", "is_active", "is_staff", "last_login", "created_at"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email"]
    ordering = ["email"]
    filter_horizontal = ["groups", "user_permissions"]
    inlines = [MembershipInline]
    fieldsets = [
        (None, {"fields": ["email", "is_active", "password_link"]}),
        ("Staff", {"fields": list(POWERS)}),
        ("Dates", {"fields": ["last_login", "created_at"]}),
    ]
    add_fieldsets = (  # type: ignore[assignment]  # the theme's type is that of its empty default
        (None, {"fields": ["email", "usable_password", "password1", "password2"]}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        fixed = ["password_link", "last_login", "created_at"]
        return fixed if request.user.is_superuser else [*fixed, *POWERS]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Staff who are no superusers cannot take over somebody who is, by changing a password."""
        is_above = obj is not None and obj.is_superuser and not request.user.is_superuser
        return super().has_change_permission(request, obj) and not is_above

    @admin.display(description="password")
    def password_link(self, user: User) -> SafeString:
        return format_html('<a href="{}">Set a new password</a>', "../password/")


@admin.register(Membership)
class MembershipAdmin(ModelAdmin):
    list_display = ["tenant", "user", "role", "created_at"]
    list_filter = [TENANT_FILTER, "role"]
    list_select_related = ["tenant", "user"]
    search_fields = ["tenant__slug", "user__email"]
    autocomplete_fields = ["tenant", "user"]

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> list[str]:
        return ["tenant", "user"] if obj else []  # its sessions hang on both


@admin.register(Session)
class SessionAdmin(ModelAdmin):
    """To look at and to end. Deleting stays allowed: it goes with that of a membership."""

    list_display = ["tenant", "user", "created_at", "last_refreshed_at", "expires_at", "revoked_at"]
    list_filter = [TENANT_FILTER, "revoked_at"]
    list_select_related = ["tenant", "membership__user"]
    search_fields = ["tenant__slug", "membership__user__email"]
    fields = ["tenant", "user", "created_at", "last_refreshed_at", "expires_at", "revoked_at"]
    actions = ["revoke"]
    show_full_result_count = False

    @admin.display(ordering="membership__user__email")
    def user(self, session: Session) -> User:
        return session.membership.user

    @admin.action(description="Revoke selected sessions", permissions=["delete"])
    def revoke(self, request: HttpRequest, sessions: QuerySet[Session]) -> None:
        self.message_user(request, f"{revoke_sessions(sessions)} sessions revoked.")

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Session | None = None) -> bool:
        return False


admin.site.unregister(Group)


@admin.register(Group)
class GroupAdmin(DjangoGroupAdmin, ModelAdmin):  # type: ignore[misc]  # as above
    """Django's own, in the theme's clothes."""
