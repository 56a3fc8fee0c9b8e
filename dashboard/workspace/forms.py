"""The forms of admins. Services hold the rules; a form only says what is required."""

import zoneinfo
from functools import cache
from typing import Any

from django import forms
from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Language, Role
from accounts.models.countries import COUNTRIES
from accounts.models.tenants import NAME_MAX_CHARS
from dashboard.service_form import ServiceForm

EMAIL_MAX_CHARS = 254
PASSWORD_MAX_CHARS = 1000
DAYS = (30, 90, 180, 365)
HOME_COUNTRY = "ES"
ROLES: dict[str, Promise] = {
    Role.ADMIN: _("Admin: everything, including people and plan"),
    Role.MEMBER: _("Member: reads sources and agents, looks after conversations and leads"),
    Role.VIEWER: _("Viewer: can view and ask agents"),
    Role.API_USER: _("API user: for programs"),
}
ROLE_NAMES: dict[str, Promise] = {
    Role.ADMIN: _("Admin"),
    Role.MEMBER: _("Member"),
    Role.VIEWER: _("Viewer"),
    Role.API_USER: _("API user"),
}


@cache
def list_time_zones() -> list[str]:
    """The time zones named after places, and UTC; no outdated names or fixed offsets."""
    names = zoneinfo.available_timezones()
    return ["UTC", *sorted(name for name in names if "/" in name and name[:4] != "Etc/")]


def time_zone_choices() -> list[tuple[str, Any]]:
    default = gettext("Default: %(zone)s") % {"zone": settings.LOCAL_TIME_ZONE}
    return [("", default), *((name, name.replace("_", " ")) for name in list_time_zones())]


def country_choices() -> list[tuple[str, str]]:
    """The browser writes names beside the codes (workspace.js)."""
    return [
        (code, code) for code in sorted(COUNTRIES, key=lambda code: (code != HOME_COUNTRY, code))
    ]


class WorkspaceForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=NAME_MAX_CHARS)
    language = forms.ChoiceField(
        label=_("Language of our e-mails"),
        choices=[(Language.SPANISH, "Español"), (Language.ENGLISH, "English")],
        help_text=_("Each person chooses the language of the dashboard for themselves."),
    )
    time_zone = forms.ChoiceField(label=_("Time zone"), required=False, choices=time_zone_choices)


class CompanyForm(forms.Form):
    legal_name = forms.CharField(label=_("Legal name"), max_length=NAME_MAX_CHARS)
    tax_id = forms.CharField(label=_("Tax number"), max_length=40)
    address = forms.CharField(
        label=_("Address"),
        max_length=NAME_MAX_CHARS,
        widget=forms.TextInput(attrs={"autocomplete": "street-address"}),
    )
    postal_code = forms.CharField(
        label=_("Postal code"),
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "postal-code"}),
    )
    city = forms.CharField(label=_("City"), max_length=100)
    country = forms.ChoiceField(
        label=_("Country"),
        choices=country_choices,
        widget=forms.Select(attrs={"data-countries": "", "autocomplete": "country"}),
    )
    billing_email = forms.EmailField(
        label=_("E-mail address for invoices"), max_length=EMAIL_MAX_CHARS
    )


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=EMAIL_MAX_CHARS,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    role = forms.ChoiceField(
        label=_("Role"), choices=lambda: list(ROLES.items()), initial=Role.MEMBER
    )


class TokenForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=NAME_MAX_CHARS,
        help_text=_("What it is for, such as “Shop”."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        initial=90,
        choices=lambda: [(days, gettext("%(days)s days") % {"days": days}) for days in DAYS],
    )


class ConfirmationForm(forms.Form):
    """A confirmation: the name of the thing to delete, typed again."""

    confirmation = forms.CharField(max_length=EMAIL_MAX_CHARS, required=False)


class ProofForm(ServiceForm):
    """Asks for the password again, before everything is exported or the workspace is ended."""

    problem_fields = {"INCORRECT_PASSWORD": "password"}

    password = forms.CharField(
        label=_("Your password"),
        max_length=PASSWORD_MAX_CHARS,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def typed(self) -> str:
        return str(self.cleaned_data["password"]) if self.is_valid() else ""


class ContactForm(forms.Form):
    """`shown`: the fingerprint of what a page has said was found; empty before."""

    contact = forms.CharField(max_length=EMAIL_MAX_CHARS)
    shown = forms.CharField(max_length=64, required=False)
