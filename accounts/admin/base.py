"""Base classes and helpers for the back-office pages of every app."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from unfold.admin import ModelAdmin
from unfold.contrib.filters.admin import AutocompleteSelectFilter

from accounts.models import Tenant, User
from accounts.services.staff import record_endings
from accounts.services.staff_access import list_running
from config.errors import ServiceError

TENANT_FILTER = ("tenant", AutocompleteSelectFilter)
TEXT_SHOWN_CHARS = 500  # of a text that a customer wrote


class AsksWhatIsOffered:
    """A page whose list is narrowed down only by the filters that it offers."""

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        """Allows lookups that the list's filters offer, and no others. Django would let people
        filter by any column, and so find out hidden values letter by letter."""
        filters = self.get_list_filter(request)  # type: ignore[attr-defined]  # ModelAdmin's
        offered = [one[0] if isinstance(one, tuple) else one for one in filters]
        is_offered = any(lookup == name or lookup.startswith(f"{name}__") for name in offered)
        return is_offered and super().lookup_allowed(lookup, value, request)  # type: ignore[misc]


class LookOnly(AsksWhatIsOffered):
    """A page of rows that only the service writes. Deleting stays allowed, since rows are deleted
    together with those that they belong to."""

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def log_deletions(self, request: HttpRequest, queryset: QuerySet[Any]) -> Any:
        """Records in the tenants' activity that the deleted sessions, tokens and accesses have
        ended."""
        record_endings(queryset)
        return super().log_deletions(request, queryset)  # type: ignore[misc]  # ModelAdmin's


class ReadOnly(LookOnly):
    """A page whose rows are not deleted either: with them would go rows that only a service
    deletes."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnly, ModelAdmin):  # type: ignore[misc]  # the theme's types
    list_filter_submit = True


class ReasonNeededAdmin(ReadOnlyAdmin):
    """A page of models that hold what customers wrote or keep. Staff, superusers included, see only
    the rows of tenants that they have opened to themselves with a reason.

    Every page, search, filter, action and autocompletion asks `get_queryset`, and a row that is not
    in it does not exist for them (config/tests/test_customers_words.py).
    """

    list_before_template = "admin/staff_access_running.html"  # type: ignore[assignment]  # its types

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        opened = list_running(cast(User, request.user)).order_by().values("tenant")
        rows: QuerySet[Any] = super().get_queryset(request)
        return rows.filter(tenant__in=opened)

    # mypy: the theme says TemplateResponse, which no redirect is.
    def changelist_view(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        accesses = list(list_running(cast(User, request.user)))
        if not accesses and self.has_view_permission(request):
            return self.ask_for_reason(request)
        shown = {**(extra_context or {}), "accesses": accesses}
        answer: HttpResponse = super().changelist_view(request, shown)
        return answer

    def _get_obj_does_not_exist_redirect(
        self, request: HttpRequest, opts: Any, object_id: str
    ) -> HttpResponse:
        """Redirects from a row that they may not see yet to the page that opens its tenant."""
        try:
            row = super().get_queryset(request).filter(pk=unquote(object_id)).first()
        except (ValidationError, ValueError):  # no id at all
            row = None
        if row is not None and self.has_view_permission(request):
            return self.ask_for_reason(request, row.tenant)
        hook = super()._get_obj_does_not_exist_redirect  # type: ignore[misc]  # not in the stubs
        answer: HttpResponse = hook(request, opts, object_id)
        return answer

    def ask_for_reason(
        self, request: HttpRequest, tenant: Tenant | None = None
    ) -> HttpResponseRedirect:
        asked = {"next": request.get_full_path()} | ({"tenant": tenant.slug} if tenant else {})
        return HttpResponseRedirect(f"{reverse('admin:staff_access')}?{urlencode(asked)}")


class KeepsRules(AsksWhatIsOffered, ModelAdmin):  # type: ignore[misc]  # as above
    """A page of models whose rules live in services: a rule that refuses is told on the page, and
    the whole request is rolled back."""

    # mypy: the theme says TemplateResponse, which no redirect after a success is either.
    def changeform_view(  # type: ignore[override]
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.unless_refused(super().changeform_view, request, *args, **kwargs)

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self.unless_refused(super().delete_view, request, *args, **kwargs)

    def changelist_view(  # type: ignore[override]
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.unless_refused(super().changelist_view, request, *args, **kwargs)

    def unless_refused(
        self, view: Callable[..., HttpResponse], request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        try:
            with transaction.atomic():
                return view(request, *args, **kwargs)
        except ServiceError as error:
            self.message_user(request, error.message, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())


class SuperusersOnly:
    """A page of the permissions and the actions of our staff. Only superusers may look at it."""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_root(request)

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return is_root(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_root(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return is_root(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_root(request)


def is_root(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_superuser)


def is_beyond(request: HttpRequest, owner: Any) -> bool:
    """True if somebody who is not a superuser is about to change a record of a member of our staff,
    themselves included (their own they change in their account, after proving who they are)."""
    is_ours = owner is not None and (owner.is_staff or owner.is_superuser)
    return is_ours and not is_root(request)


def log_action(request: HttpRequest, rows: Iterable[Model], said: str) -> None:
    """Logs what a list's action did to each of the rows. Django logs only its own pages."""
    LogEntry.objects.log_actions(
        cast(User, request.user).pk, list(rows), CHANGE, change_message=said
    )
