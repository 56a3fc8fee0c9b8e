"""What people type outside. Rules are the services'; a form only says what has to be there."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models.tenants import SLUG_MAX_CHARS

EMAIL_MAX_CHARS = 254
PASSWORD_MAX_CHARS = 1000


class SignInForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=EMAIL_MAX_CHARS,
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=PASSWORD_MAX_CHARS,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    tenant_slug = forms.CharField(
        max_length=SLUG_MAX_CHARS, required=False, widget=forms.HiddenInput
    )
