"""Signups, one-time codes and second factors: to look at, never what proves."""

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from unfold.admin import ModelAdmin

from accounts.admin.base import KeepsRules, LookOnly, is_beyond
from accounts.models import CodeAlarm, OneTimeCode, RecoveryCode, Signup, TwoFactor
from accounts.services.signing_in.two_factor import switch_off_for


@admin.register(Signup)
class SignupAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # the theme's types
    """A page of signups. Deleting one frees its slug."""

    list_display = ["slug", "tenant_name", "email", "language", "created_at", "expires_at"]
    search_fields = ["slug", "tenant_name", "email"]
    fields = list_display  # type: ignore[assignment]  # all are names
    show_full_result_count = False


@admin.register(OneTimeCode)
class OneTimeCodeAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # as above
    list_display = ["email", "purpose", "created_at", "expires_at", "tries_left", "used_at"]
    list_filter = ["purpose"]
    search_fields = ["email"]
    fields = list_display  # type: ignore[assignment]  # all are names
    show_full_result_count = False


@admin.register(CodeAlarm)
class CodeAlarmAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # as above
    """A page of alarms: somebody tries one-time codes out. What to do: docs/operations.md,
    "Alarms"."""

    list_display = ["hour", "last_at", "wrong_codes", "networks"]
    fields = list_display  # type: ignore[assignment]  # all are names
    show_full_result_count = False


class OfAPerson(LookOnly):
    """A page of somebody's proof of identity. Only superusers may weaken that of our own staff."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_allowed: bool = super().has_delete_permission(request, obj)  # type: ignore[misc]  # ModelAdmin's
        return is_allowed and not is_beyond(request, owner_of(obj))


def owner_of(obj: TwoFactor | RecoveryCode | None) -> Any:
    two_factor = obj.two_factor if isinstance(obj, RecoveryCode) else obj
    return two_factor and two_factor.user


@admin.register(TwoFactor)
class TwoFactorAdmin(OfAPerson, KeepsRules):  # type: ignore[misc]  # as above
    """A page of second factors. Deleting one turns it off, for somebody who lost the phone and the
    recovery codes. Make sure that it is them: a mail tells them of it."""

    list_display = ["user", "is_on", "confirmed_at", "codes_left"]
    list_select_related = ["user"]
    search_fields = ["user__email"]
    fields = ["user", "is_on", "created_at", "confirmed_at", "codes_left"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[TwoFactor]:
        unused = Count("recovery_codes", filter=Q(recovery_codes__used_at=None))
        rows: QuerySet[TwoFactor] = super().get_queryset(request).annotate(codes_left=unused)
        return rows

    @admin.display(boolean=True, description="on")
    def is_on(self, two_factor: TwoFactor) -> bool:
        return two_factor.confirmed_at is not None

    @admin.display(description="recovery codes left")
    def codes_left(self, two_factor: TwoFactor) -> int:
        left: int = two_factor.codes_left  # type: ignore[attr-defined]  # annotated
        return left

    def delete_model(self, request: HttpRequest, obj: TwoFactor) -> None:
        switch_off_for(obj.user)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[TwoFactor]) -> None:
        for two_factor in queryset:
            switch_off_for(two_factor.user)


@admin.register(RecoveryCode)
class RecoveryCodeAdmin(OfAPerson, ModelAdmin):  # type: ignore[misc]  # as above
    list_display = ["user", "used_at"]
    list_select_related = ["two_factor__user"]
    search_fields = ["two_factor__user__email"]
    fields = list_display  # type: ignore[assignment]  # all are names
    ordering = ["two_factor__user__email"]
    show_full_result_count = False

    @admin.display(ordering="two_factor__user__email")
    def user(self, code: RecoveryCode) -> str:
        return code.two_factor.user.email
