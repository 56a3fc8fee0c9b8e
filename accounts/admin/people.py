"""People, their memberships, sessions and API tokens."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.admin import ModelAdmin, TabularInline
from unfold.forms import AdminPasswordChangeForm, UserCreationForm

from accounts.activity import record
from accounts.admin.base import TENANT_FILTER, KeepsRules, LookOnly, is_beyond, log_action
from accounts.models import Action, ApiToken, Membership, Session, StaffSession, User
from accounts.services.members import change_role, remove_member
from accounts.services.signing_in.sessions import revoke_sessions, revoke_sessions_of
from accounts.services.staff import (
    delete_person,
    lock_tenants_of,
    record_endings,
    revoke_api_tokens,
    set_password,
)
from accounts.services.staff_sessions import end_staff_sessions

POWERS = ("is_staff", "is_superuser", "groups", "user_permissions")


class MembershipForm(forms.ModelForm):  # type: ignore[type-arg]  # Django itself is not generic
    """A form of a membership that keeps its tenant and person, since sessions and API tokens depend
    on them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and not self.instance._state.adding and "tenant" in self.fields:
            self.fields["tenant"].disabled = True


class MembershipInline(TabularInline):
    model = Membership
    form = MembershipForm
    fields = ["tenant", "role", "status"]
    readonly_fields = ["status"]
    autocomplete_fields = ["tenant"]
    extra = 0


class NewPasswordForm(AdminPasswordChangeForm):
    """A form for a person's new password, which ends their sessions."""

    def set_password_and_save(self, user: Any, *args: Any, **kwargs: Any) -> Any:
        has_one = self.cleaned_data.get("set_usable_password", True)
        set_password(user, self.cleaned_data["password1"] if has_one else None)
        return user


@admin.register(User)
class UserAdmin(DjangoUserAdmin, KeepsRules):  # type: ignore[misc, type-arg]  # the theme's types
    """A page of people. Staff must be able to stop anybody at once, so a tenant's last admin can be
    disabled here, but neither deleted nor demoted.

    Only superusers change one of our staff. Somebody who has changed something here is disabled,
    not deleted: the log's entries about them would be deleted too.
    """

    form = forms.ModelForm
    add_form = UserCreationForm
    change_password_form = NewPasswordForm
    list_display = ["email", "is_active", "is_staff", "two_factor", "last_login", "created_at"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    list_select_related = ["two_factor"]
    search_fields = ["email"]
    ordering = ["email"]
    filter_horizontal = ["groups", "user_permissions"]
    inlines = [MembershipInline]
    fieldsets = [
        (None, {"fields": ["email", "is_active", "password_link", "two_factor"]}),
        ("Staff", {"fields": list(POWERS)}),
        ("Dates", {"fields": ["last_login", "created_at"]}),
    ]
    add_fieldsets = (  # type: ignore[assignment]  # the theme's type is that of its empty default
        (None, {"fields": ["email", "usable_password", "password1", "password2"]}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> list[str]:
        fixed = ["password_link", "two_factor", "last_login", "created_at"]
        return fixed if request.user.is_superuser else [*fixed, *POWERS]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Refuses changes of our own staff by anybody but superusers: otherwise staff could take
        over a colleague by changing a password, or give themselves more rights."""
        return super().has_change_permission(request, obj) and not is_beyond(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        is_allowed = super().has_delete_permission(request, obj)
        has_acted = obj is not None and LogEntry.objects.filter(user=obj).exists()
        return is_allowed and not has_acted and not is_beyond(request, obj)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change:
            lock_tenants_of(obj)
        super().save_model(request, obj, form, change)
        if not obj.is_active:  # else they would be open again once the person is enabled again
            revoke_sessions_of(obj)
        if change and set(POWERS) & set(form.changed_data):
            end_staff_sessions(StaffSession.objects.filter(user=obj))

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        """Saves the memberships of the inline. Raises CannotRemoveLastAdmin."""
        formset.save(commit=False)
        for membership in formset.deleted_objects:
            remove_member(membership.tenant, membership.user_id)
        for membership, _ in formset.changed_objects:
            change_role(membership.tenant, membership.user_id, membership.role)
        for membership in formset.new_objects:
            membership.save()
            record(membership.tenant, Action.MEMBER_JOINED, membership, role=membership.role)

    def delete_model(self, request: HttpRequest, obj: User) -> None:
        delete_person(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in queryset:
            delete_person(user)

    @admin.display(description="password")
    def password_link(self, user: User) -> SafeString:
        return format_html('<a href="{}">Set a new password</a>', "../password/")

    @admin.display(boolean=True, description="two-factor")
    def two_factor(self, user: User) -> bool:
        two_factor = getattr(user, "two_factor", None)
        return two_factor is not None and two_factor.confirmed_at is not None


@admin.register(Membership)
class MembershipAdmin(KeepsRules):
    """A page of memberships. People whom staff add need no invitation: they are members at once."""

    form = MembershipForm
    list_display = ["tenant", "user", "role", "status", "created_at"]
    list_filter = [TENANT_FILTER, "role", ("activated_at", admin.EmptyFieldListFilter)]
    list_filter_submit = True
    list_select_related = ["tenant", "user"]
    search_fields = ["tenant__slug", "user__email"]
    autocomplete_fields = ["tenant", "user"]
    show_full_result_count = False

    def get_fields(self, request: HttpRequest, obj: Membership | None = None) -> Any:
        dates = ["status", "created_at", "activated_at", "invitation_expires_at"]
        return ["tenant", "user", "role", *(dates if obj else [])]

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> list[str]:
        fixed = ["status", "created_at", "activated_at", "invitation_expires_at"]
        return ["tenant", "user", *fixed] if obj else fixed

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Raises CannotRemoveLastAdmin."""
        if change:
            change_role(obj.tenant, obj.user_id, obj.role)
        else:
            super().save_model(request, obj, form, change)
            record(obj.tenant, Action.MEMBER_JOINED, obj, role=obj.role)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        remove_member(obj.tenant, obj.user_id)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        for membership in queryset.select_related("tenant").order_by("tenant_id", "id"):
            remove_member(membership.tenant, membership.user_id)


@admin.register(Session)
class SessionAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # the theme's types
    """A page to look at sessions and to end them."""

    list_display = ["tenant", "user", "created_at", "last_refreshed_at", "expires_at", "revoked_at"]
    list_filter = [TENANT_FILTER, "revoked_at"]
    list_filter_submit = True
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
        log_action(request, sessions, "Revoked.")
        record_endings(sessions)
        self.message_user(request, f"{revoke_sessions(sessions)} sessions revoked.")


@admin.register(ApiToken)
class ApiTokenAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # as above
    """A page to look at API tokens and to revoke them."""

    list_display = [
        "tenant",
        "name",
        "made_by",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    ]
    list_filter = [TENANT_FILTER, "revoked_at"]
    list_filter_submit = True
    list_select_related = ["tenant", "membership__user"]
    search_fields = ["tenant__slug", "name", "membership__user__email"]
    fields = list_display  # type: ignore[assignment]  # all are names
    actions = ["revoke"]
    show_full_result_count = False

    @admin.display(ordering="membership__user__email")
    def made_by(self, token: ApiToken) -> User:
        return token.membership.user

    @admin.action(description="Revoke selected API tokens", permissions=["delete"])
    def revoke(self, request: HttpRequest, tokens: QuerySet[ApiToken]) -> None:
        log_action(request, tokens, "Revoked.")
        record_endings(tokens)
        self.message_user(request, f"{revoke_api_tokens(tokens)} API tokens revoked.")
