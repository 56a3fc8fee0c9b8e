"""The back office's own doors: logging in, and changing one's password.

Guessing is slowed down as in the API, and staff with two-factor on give a code too.
"""

import functools
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib.auth.views import PasswordChangeView
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables
from unfold.forms import AdminOwnPasswordChangeForm, AuthenticationForm
from unfold.sites import UnfoldAdminSite
from unfold.widgets import BASE_INPUT_CLASSES

from accounts.activity import STAFF, acting_as
from accounts.errors import InvalidCredentials
from accounts.services.staff import log_staff_in, set_password
from accounts.services.two_factor import check_password
from config.errors import ServiceError
from config.security.client_address import client_address

TOO_MANY_REQUESTS = 429


class StaffLoginForm(AuthenticationForm):
    """One form for both factors. `refusal` is why a complete form was turned down."""

    code = forms.CharField(
        label="Code, if two-factor is on",
        required=False,
        max_length=40,
        widget=forms.TextInput(
            {"autocomplete": "one-time-code", "class": " ".join(BASE_INPUT_CLASSES)}
        ),
    )
    request: HttpRequest
    refusal: ServiceError | None = None

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if {"username", "password", "code"} <= given.keys():
            address = client_address(self.request)
            try:
                self.user_cache = log_staff_in(
                    given["username"], given["password"], given["code"], address=address
                )
            except InvalidCredentials:
                raise self.get_invalid_login_error() from None
            except ServiceError as error:
                self.refusal = error
                raise ValidationError(error.message) from error
        return given


class OwnPasswordForm(AdminOwnPasswordChangeForm):
    """A session that somebody left open does not let guess the password, nor keep others open."""

    def __init__(self, *args: Any, address: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.address = address

    @sensitive_variables()
    def clean_old_password(self) -> str:
        given: str = self.cleaned_data["old_password"]
        try:
            check_password(self.user, given, address=self.address)
        except ServiceError as error:
            raise ValidationError(error.message) from error
        return given

    def save(self, commit: bool = True) -> Any:
        set_password(self.user, self.cleaned_data["new_password1"])
        return self.user


class OwnPasswordView(PasswordChangeView):
    form_class = OwnPasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"address": client_address(self.request)}


class StaffSite(UnfoldAdminSite):
    login_form = StaffLoginForm
    login_template = "admin/staff_login.html"

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Tenants read of what is done here, and not who of us did it."""

        @functools.wraps(view)
        def as_staff(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            with acting_as(STAFF):
                return view(request, *args, **kwargs)

        return super().admin_view(as_staff, cacheable)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """A login that was put off answers 429 with Retry-After, or 503 without the counters."""
        response: HttpResponse = super().login(request, extra_context)
        form = (getattr(response, "context_data", None) or {}).get("form")
        refusal = getattr(form, "refusal", None)
        if refusal is not None and refusal.status >= TOO_MANY_REQUESTS:
            response.status_code = refusal.status
            for name, value in refusal.headers.items():
                response.headers[name] = value
        return response

    def password_change(  # type: ignore[override]  # a redirect is no TemplateResponse
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        request.current_app = self.name
        return OwnPasswordView.as_view(
            success_url=reverse("admin:password_change_done", current_app=self.name),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )(request)
