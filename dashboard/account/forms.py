"""Forms with which people change their own account."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from dashboard.passwords import PASSWORD_RULES
from dashboard.service_form import ServiceForm

PASSWORD_MAX_CHARS = 1000
CODE_MAX_CHARS = 100
# Each in its own language, so that people who cannot read the others find theirs.
LANGUAGES = [("", _("Same as browser")), ("es", "Español"), ("en", "English")]


class OwnPasswordField(forms.CharField):
    """A password, kept exactly as it is typed, spaces included."""

    def __init__(self, *, autocomplete: str = "current-password", **options: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": autocomplete})
        super().__init__(max_length=PASSWORD_MAX_CHARS, strip=False, widget=widget, **options)


class AppCodeField(forms.CharField):
    def __init__(self, **options: Any) -> None:
        attrs = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
        super().__init__(
            label=_("Code"),
            max_length=CODE_MAX_CHARS,
            widget=forms.TextInput(attrs=attrs),
            **options,
        )


class LanguageForm(forms.Form):
    use_required_attribute = False  # else browsers would not send the first choice, which is ""

    language = forms.ChoiceField(label=_("Dashboard language"), choices=LANGUAGES)


class PasswordForm(ServiceForm):
    problem_fields = {"INCORRECT_PASSWORD": "current_password", "WEAK_PASSWORD": "new_password"}

    current_password = OwnPasswordField(label=_("Current password"))
    new_password = OwnPasswordField(
        label=_("New password"),
        autocomplete="new-password",
        help_text=PASSWORD_RULES,
    )


class ConfirmForm(ServiceForm):
    problem_fields = {"INVALID_OTP": "code", "SERVICE_UNAVAILABLE": "code"}

    code = AppCodeField(help_text=_("The six digits shown in the app."))


class TurnOffForm(ServiceForm):
    problem_fields = {
        "INCORRECT_PASSWORD": "password",
        "INVALID_OTP": "code",
        "SERVICE_UNAVAILABLE": "code",
    }

    password = OwnPasswordField(label=_("Your password"))
    code = AppCodeField(help_text=_("A code from the app, or a recovery code."))


class LeaveForm(ServiceForm):
    name = forms.CharField(label=_("Name of the workspace"), max_length=200)


class EraseForm(ServiceForm):
    problem_fields = {"INCORRECT_PASSWORD": "password"}

    password = OwnPasswordField(label=_("Your password"))
