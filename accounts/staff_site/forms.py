"""The forms with which our staff signs in to the back office."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables
from unfold.forms import AdminOwnPasswordChangeForm, AuthenticationForm
from unfold.widgets import BASE_INPUT_CLASSES, TEXTAREA_CLASSES

from accounts.errors import InvalidCredentials
from accounts.models import Tenant
from accounts.models.staff import REASON_MAX_CHARS
from accounts.models.tenants import SLUG_MAX_CHARS
from accounts.services.signing_in.two_factor import check_password
from accounts.services.staff import log_staff_in, set_password
from config.errors import ServiceError
from config.security.client_address import client_address

CODE_MAX_CHARS = 40
PASSWORD_MAX_CHARS = 1000
REASON_MIN_CHARS = 10  # "help" says nothing


def code_field(label: str, *, is_required: bool) -> forms.CharField:
    attrs = {"autocomplete": "one-time-code", "class": " ".join(BASE_INPUT_CLASSES)}
    return forms.CharField(
        label=label,
        required=is_required,
        max_length=CODE_MAX_CHARS,
        widget=forms.TextInput(attrs),
    )


class StaffLoginForm(AuthenticationForm):
    """A form for both factors. `refusal` tells why a complete form was turned down."""

    code = code_field("Code, if two-factor is on", is_required=False)
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
    """A form for one's own password. A session left open does not let anybody guess the password,
    nor keep other sessions open."""

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


class NewFactorForm(forms.Form):
    """Confirms a second factor that is being set up."""

    code = code_field("Code shown in the app", is_required=True)


class StaffProofForm(forms.Form):
    password = forms.CharField(
        label="Password",
        strip=False,
        max_length=PASSWORD_MAX_CHARS,
        widget=forms.PasswordInput(
            {"autocomplete": "current-password", "class": " ".join(BASE_INPUT_CLASSES)}
        ),
    )
    code = code_field("Code, if two-factor is on", is_required=False)


class StaffAccessForm(forms.Form):
    """A form for the workspace to open, and the reason."""

    tenant = forms.CharField(
        label="Short name of the workspace",
        max_length=SLUG_MAX_CHARS,
        widget=forms.TextInput({"autocomplete": "off", "class": " ".join(BASE_INPUT_CLASSES)}),
    )
    reason = forms.CharField(
        label="Reason",
        min_length=REASON_MIN_CHARS,
        max_length=REASON_MAX_CHARS,
        help_text="Who asked you, and for what. The workspace’s admins can read this.",
        widget=forms.Textarea({"rows": 3, "class": " ".join(TEXTAREA_CLASSES)}),
    )

    def clean_tenant(self) -> Tenant:
        tenant = Tenant.objects.filter(slug=self.cleaned_data["tenant"].lower()).first()
        if tenant is None:
            raise ValidationError("There is no workspace with this short name.")
        return tenant
