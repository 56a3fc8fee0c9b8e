"""The forms of the pages outside. Services hold the rules; a form only says what is required."""

from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models.tenants import NAME_MAX_CHARS, SLUG_MAX_CHARS
from dashboard.passwords import PASSWORD_RULES
from dashboard.service_form import ServiceForm

EMAIL_MAX_CHARS = 254
PASSWORD_MAX_CHARS = 1000
CODE_MAX_CHARS = 100  # as people type a recovery code, in groups
CHALLENGE_MAX_CHARS = 4000
LINK_MAX_CHARS = 1000
CODE_ATTRS = {
    "autocomplete": "one-time-code",
    "autocapitalize": "none",
    "spellcheck": "false",
    "autofocus": True,
}


class PasswordField(forms.CharField):
    """A password, kept exactly as it is typed, spaces included."""

    def __init__(self, *, autocomplete: str, **options: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
        super().__init__(max_length=PASSWORD_MAX_CHARS, strip=False, widget=widget, **options)


class NewPasswordField(PasswordField):
    def __init__(self, **options: Any) -> None:
        super().__init__(autocomplete="new-password", help_text=PASSWORD_RULES, **options)


class EmailForm(ServiceForm):
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        max_length=EMAIL_MAX_CHARS,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )


class SignInForm(EmailForm):
    password = PasswordField(label=gettext_lazy("Password"), autocomplete="current-password")
    tenant_slug = forms.CharField(
        max_length=SLUG_MAX_CHARS, required=False, widget=forms.HiddenInput
    )


class SignUpForm(EmailForm):
    problem_fields = {
        "WEAK_PASSWORD": "password",
        "INVALID_SLUG": "slug",
        "SLUG_ALREADY_IN_USE": "slug",
    }

    password = NewPasswordField(label=gettext_lazy("Password"))
    tenant_name = forms.CharField(
        label=gettext_lazy("Name of the workspace"),
        max_length=NAME_MAX_CHARS,
        help_text=gettext_lazy("Usually the name of your company."),
        widget=forms.TextInput(attrs={"autocomplete": "organization"}),
    )
    slug = forms.CharField(
        label=gettext_lazy("Short name"),
        max_length=SLUG_MAX_CHARS,
        help_text=gettext_lazy("Used in web addresses: 3 to 63 letters, digits and hyphens."),
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
                "data-suggested-from": "id_tenant_name",
            }
        ),
    )

    @classmethod
    def typed(cls, given: Any) -> "SignUpForm":
        """A form whose empty short name is made from the long one, as the page's script would."""
        data = given.copy()
        if not data.get("slug", "").strip():
            data["slug"] = slugify(data.get("tenant_name", ""))[:SLUG_MAX_CHARS]
        return cls(data)


class CodeForm(ServiceForm):
    """The code that was mailed to `email`."""

    problem_fields = {"INVALID_OTP": "code"}

    email = forms.EmailField(max_length=EMAIL_MAX_CHARS, widget=forms.HiddenInput)
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=CODE_MAX_CHARS,
        widget=forms.TextInput(attrs=CODE_ATTRS | {"inputmode": "numeric"}),
    )

    def clean_code(self) -> str:
        """The code without spaces: some mail programs show it in groups."""
        return "".join(self.cleaned_data["code"].split())


class ResetForm(CodeForm):
    problem_fields = {"INVALID_OTP": "code", "WEAK_PASSWORD": "new_password"}

    new_password = NewPasswordField(label=gettext_lazy("New password"))


class SecondFactorForm(ServiceForm):
    problem_fields = {"INVALID_OTP": "code", "SERVICE_UNAVAILABLE": "code"}

    challenge = forms.CharField(max_length=CHALLENGE_MAX_CHARS, widget=forms.HiddenInput)
    # Whether it was said which workspace: else several are chosen from.
    is_chosen = forms.BooleanField(required=False, widget=forms.HiddenInput)
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=CODE_MAX_CHARS,
        widget=forms.TextInput(attrs=CODE_ATTRS),
    )


class ActivationForm(ServiceForm):
    problem_fields = {"WEAK_PASSWORD": "password"}

    # dashboard/static/dashboard/coming_in.js fills it in, and hides it.
    token = forms.CharField(
        label=gettext_lazy("Link from the e-mail"),
        max_length=LINK_MAX_CHARS,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}
        ),
        error_messages={
            "required": gettext_lazy(
                "The link is incomplete. Open it from the e-mail again, or copy all of it."
            )
        },
    )
    password = NewPasswordField(label=gettext_lazy("Password"))
    repeated = PasswordField(label=gettext_lazy("Repeat the password"), autocomplete="new-password")

    def clean_token(self) -> str:
        """The token, also taken out of the whole link, as people copy it."""
        return str(self.cleaned_data["token"]).rpartition("token=")[2]

    def clean_repeated(self) -> str:
        repeated: str = self.cleaned_data["repeated"]
        if repeated != self.cleaned_data.get("password", repeated):
            raise forms.ValidationError(
                _("The two passwords do not match. Enter them again."), code="not_the_same"
            )
        return repeated
