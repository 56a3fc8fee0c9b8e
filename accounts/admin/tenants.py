"""Plans, tenants, and what belongs to a tenant as a whole."""

from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from unfold.admin import ModelAdmin, StackedInline, TabularInline
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from accounts.activity import record
from accounts.admin.base import TENANT_FILTER, AsksWhatIsOffered, LookOnly
from accounts.models import Action, CompanyProfile, Plan, ScheduleFrequency, Tenant, UsageCounter
from accounts.models.countries import COUNTRIES
from accounts.services.signing_in.signup import PLAN as PLAN_OF_NEW_TENANTS


class PlanForm(forms.ModelForm):  # type: ignore[type-arg]  # Django itself is not generic
    schedule_frequencies = forms.MultipleChoiceField(
        choices=ScheduleFrequency.choices, widget=UnfoldAdminCheckboxSelectMultipleWidget
    )

    def clean_schedule_frequencies(self) -> list[str]:
        chosen: list[str] = self.cleaned_data["schedule_frequencies"]
        if ScheduleFrequency.MANUAL not in chosen:
            raise ValidationError(
                "Every plan includes manual, because new sources are synced manually."
            )
        return chosen

    def clean_max_requests_per_minute(self) -> int:
        return at_least_one(self.cleaned_data["max_requests_per_minute"])

    def clean_max_pages_per_crawl(self) -> int:
        return at_least_one(self.cleaned_data["max_pages_per_crawl"])


def at_least_one(value: int) -> int:
    if value < 1:
        raise ValidationError("At least 1: with 0, nothing works.")
    return value


@admin.register(Plan)
class PlanAdmin(ModelAdmin):
    """A page of plans. A change applies to all tenants on the plan from their next request on."""

    form = PlanForm
    list_display = [
        "slug",
        "name",
        "price",
        "max_documents",
        "max_passages",
        "max_queries_per_month",
        "max_connectors",
        "frequencies",
        "max_requests_per_minute",
        "max_pages_per_crawl",
        "blocks_overage",
    ]
    fieldsets = [
        (None, {"fields": ["slug", "name", "monthly_price"]}),
        (
            "Quotas (empty: unlimited)",
            {
                "fields": [
                    "max_documents",
                    "max_passages",
                    "max_queries_per_month",
                    "max_connectors",
                    "blocks_overage",
                ]
            },
        ),
        (
            "Limits",
            {"fields": ["max_requests_per_minute", "max_pages_per_crawl", "schedule_frequencies"]},
        ),
    ]
    search_fields = ["slug", "name"]
    empty_value_display = "unlimited"

    def get_readonly_fields(self, request: HttpRequest, obj: Plan | None = None) -> list[str]:
        return ["slug"] if obj else []  # its primary key: a change would make a second plan

    def has_delete_permission(self, request: HttpRequest, obj: Plan | None = None) -> bool:
        is_needed = obj is not None and obj.slug == PLAN_OF_NEW_TENANTS
        return super().has_delete_permission(request, obj) and not is_needed

    @admin.display(description="monthly price", empty_value="on request", ordering="monthly_price")
    def price(self, plan: Plan) -> Decimal | None:
        return plan.monthly_price

    @admin.display(description="schedule frequencies")
    def frequencies(self, plan: Plan) -> str:
        return ", ".join(plan.schedule_frequencies)


class CompanyProfileForm(forms.ModelForm):  # type: ignore[type-arg]  # Django itself is not generic
    def clean_country(self) -> str:
        country = str(self.cleaned_data["country"]).upper()
        if country not in COUNTRIES:
            raise ValidationError("An ISO 3166-1 alpha-2 code, such as ES.")
        return country


class CompanyProfileInline(StackedInline):
    model = CompanyProfile
    form = CompanyProfileForm
    extra = 0
    max_num = 1


class UsageInline(LookOnly, TabularInline):  # type: ignore[misc]  # the theme's types
    model = UsageCounter
    fields = ["period_start", "metric", "used", "overage"]
    extra = 0
    can_delete = False


@admin.register(Tenant)
class TenantAdmin(AsksWhatIsOffered, ModelAdmin):  # type: ignore[misc]  # as above
    list_display = ["slug", "name", "plan", "language", "created_at"]
    list_filter = ["plan", "language"]
    list_select_related = ["plan"]
    search_fields = ["slug", "name"]
    autocomplete_fields = ["plan"]
    fields = ["id", "slug", "name", "plan", "language", "requires_two_factor", "created_at"]
    readonly_fields = ["id", "requires_two_factor", "created_at"]
    inlines: ClassVar[list[Any]] = [CompanyProfileInline, UsageInline]

    def has_delete_permission(self, request: HttpRequest, obj: Tenant | None = None) -> bool:
        return False  # the originals in the file storage would stay behind

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and form.changed_data:
            record(obj, Action.WORKSPACE_CHANGED, fields=form.changed_data)

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        super().save_formset(request, form, formset, change)
        if formset.model is CompanyProfile and formset.has_changed():
            record(form.instance, Action.COMPANY_CHANGED)


@admin.register(CompanyProfile)
class CompanyProfileAdmin(AsksWhatIsOffered, ModelAdmin):  # type: ignore[misc]  # as above
    form = CompanyProfileForm
    list_display = ["tenant", "legal_name", "tax_id", "country", "billing_email", "updated_at"]
    list_filter = [TENANT_FILTER]
    list_filter_submit = True
    list_select_related = ["tenant"]
    search_fields = ["tenant__slug", "legal_name", "tax_id", "billing_email"]
    autocomplete_fields = ["tenant"]

    def get_readonly_fields(
        self, request: HttpRequest, obj: CompanyProfile | None = None
    ) -> list[str]:
        return ["tenant", "updated_at"] if obj else ["updated_at"]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        record(obj.tenant, Action.COMPANY_CHANGED)


@admin.register(UsageCounter)
class UsageCounterAdmin(LookOnly, ModelAdmin):  # type: ignore[misc]  # as above
    list_display = ["tenant", "period_start", "metric", "used", "overage"]
    list_filter = [TENANT_FILTER, "metric", "period_start"]
    list_filter_submit = True
    list_select_related = ["tenant"]
    search_fields = ["tenant__slug"]
    fields = ["tenant", "period_start", "metric", "used", "overage"]
    show_full_result_count = False

    def has_delete_permission(self, request: HttpRequest, obj: UsageCounter | None = None) -> bool:
        return False  # what gets billed
