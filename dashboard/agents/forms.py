"""The settings of an agent, as people write them. agents/services.py decides which are valid."""

from __future__ import annotations

import re
from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.errors import AgentLimitReached, AgentNameTaken, InvalidAgentConfig
from agents.models import (
    CONTACT_MAX_CHARS,
    DEFAULT_RETENTION_DAYS,
    HOURS_MAX_CHARS,
    MAX_ORIGINS,
    NAME_MAX_CHARS,
    ORIGIN_MAX_CHARS,
    PERSONA_MAX_CHARS,
    RETENTION_DAYS,
    WELCOME_MAX_CHARS,
    Agent,
    AgentStatus,
)
from agents.services import EMPTIED_ON_PURPOSE, MAX_AGENTS, AgentSettings
from config.errors import ServiceError
from dashboard.problems import describe_problem

ORIGINS_MAX_CHARS = MAX_ORIGINS * (ORIGIN_MAX_CHARS + 2)
EMAIL_MAX_CHARS = 254
NOT_AN_ORIGIN = re.compile(r'allowed_origins: "(.*)" is not an origin', re.DOTALL)
PHONE = re.compile(r"\+?[0-9][0-9 ()./-]{4,38}")
STATUSES = [
    (AgentStatus.ACTIVE.value, gettext_lazy("Active: answers questions")),
    (AgentStatus.INACTIVE.value, gettext_lazy("Paused: does not answer")),
]


class NewAgentForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=NAME_MAX_CHARS,
        help_text=gettext_lazy("Shown to your customers at the top of the chat."),
    )
    welcome_msg = forms.CharField(
        label=gettext_lazy("Welcome message"),
        max_length=WELCOME_MAX_CHARS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The first message of each conversation."),
    )
    persona = forms.CharField(
        label=gettext_lazy("Personality"),
        max_length=PERSONA_MAX_CHARS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=gettext_lazy(
            "Tone and style of the answers, for example “friendly and brief”. Only used"
            " when a language model writes the answers."
        ),
    )

    def add_problem(self, error: ServiceError) -> None:
        """Shows the error at the field that caused it."""
        if isinstance(error, AgentNameTaken):
            words = _("Another agent in this workspace already has this name. Choose another one.")
            self.add_error("name", words)
            return
        if isinstance(error, AgentLimitReached):
            words = _("A workspace can have at most %(count)s agents. Delete one first.")
            self.add_error(None, words % {"count": MAX_AGENTS})
            return
        field = error.message.partition(": ")[0]
        if isinstance(error, InvalidAgentConfig) and field in self.fields:
            self.add_error(field, describe_setting(field, error.message))
        else:
            self.add_error(None, describe_problem(error))


class AgentForm(NewAgentForm):
    status = forms.ChoiceField(label=gettext_lazy("Status"), choices=STATUSES)
    cite_sources = forms.BooleanField(
        label=gettext_lazy("Show customers the sources of each answer"), required=False
    )
    allowed_origins = forms.CharField(
        label=gettext_lazy("Websites that may show the chat"),
        max_length=ORIGINS_MAX_CHARS,
        required=False,
        widget=forms.Textarea(
            attrs={"rows": 3, "placeholder": "https://www.shop.example", "spellcheck": "false"}
        ),
        help_text=gettext_lazy(
            "One address per line, for example https://www.shop.example. Add both if your"
            " website works with and without www. Without an address, the chat is not"
            " shown on any website."
        ),
    )
    lead_capture_enabled = forms.BooleanField(
        label=gettext_lazy(
            "Collect leads: ask customers who want to buy for their contact details"
        ),
        required=False,
    )
    lead_notification_email = forms.EmailField(
        label=gettext_lazy("E-mail address for new leads"),
        max_length=EMAIL_MAX_CHARS,
        required=False,
    )
    store_transcripts = forms.BooleanField(
        label=gettext_lazy("Keep conversations"),
        required=False,
        help_text=gettext_lazy("If this is off, questions and answers are not stored."),
    )
    transcript_retention_days = forms.TypedChoiceField(
        label=gettext_lazy("Delete conversations after"),
        coerce=int,
        choices=lambda: [(days, _("%(days)d days") % {"days": days}) for days in RETENTION_DAYS],
        initial=DEFAULT_RETENTION_DAYS,
    )
    contact_phone = forms.CharField(
        label=gettext_lazy("Phone"),
        max_length=CONTACT_MAX_CHARS,
        required=False,
        widget=forms.TextInput(attrs={"type": "tel"}),
        help_text=gettext_lazy(
            "Customers who ask for a person, or for whom nothing is found, are told this and"
            " the next three fields."
        ),
    )
    contact_whatsapp = forms.CharField(
        label="WhatsApp",
        max_length=CONTACT_MAX_CHARS,
        required=False,
        widget=forms.TextInput(attrs={"type": "tel"}),
    )
    contact_email = forms.EmailField(
        label=gettext_lazy("E-mail address for customers"),
        max_length=EMAIL_MAX_CHARS,
        required=False,
    )
    contact_hours = forms.CharField(
        label=gettext_lazy("When somebody is there"),
        max_length=HOURS_MAX_CHARS,
        required=False,
        widget=forms.TextInput(
            attrs={"placeholder": gettext_lazy("Monday to Friday, 9 a.m. to 6 p.m.")}
        ),
    )
    field_order = [
        "name",
        "status",
        "welcome_msg",
        "persona",
        "cite_sources",
        "allowed_origins",
        "contact_phone",
        "contact_whatsapp",
        "contact_email",
        "contact_hours",
        "lead_capture_enabled",
        "lead_notification_email",
        "store_transcripts",
        "transcript_retention_days",
    ]

    @classmethod
    def of(cls, agent: Agent) -> AgentForm:
        values: dict[str, Any] = {name: getattr(agent, name) for name in cls.base_fields}
        return cls(initial=values | {"allowed_origins": "\n".join(agent.allowed_origins)})

    def clean_contact_phone(self) -> str:
        return clean_phone(self.cleaned_data["contact_phone"])

    def clean_contact_whatsapp(self) -> str:
        return clean_phone(self.cleaned_data["contact_whatsapp"])

    def clean_allowed_origins(self) -> list[str]:
        lines = self.cleaned_data["allowed_origins"].split()
        return [trim_origin(line) for line in lines]

    @property
    def settings(self) -> AgentSettings:
        """The settings without the name. The names of empty ones are in `empties`."""
        values = {name: value for name, value in self.cleaned_data.items() if name != "name"}
        return cast(AgentSettings, values)  # the fields are its keys

    @property
    def empties(self) -> list[str]:
        """The texts that somebody emptied."""
        return [name for name in EMPTIED_ON_PURPOSE if not self.cleaned_data[name]]


def clean_phone(number: str) -> str:
    """Return the number as it was written. Raises ValidationError for anything but a number."""
    if number and not PHONE.fullmatch(number):
        raise forms.ValidationError(_("Enter a phone number, for example +34 912 345 678."))
    return number


def trim_origin(address: str) -> str:
    """Return the address without what browsers add to it when it is copied, a slash at the end,
    and with the https:// that people leave out."""
    with_scheme = address if "://" in address else f"https://{address}"
    return with_scheme.rstrip("/")


def describe_setting(field: str, message: str) -> str:
    if field == "lead_notification_email":
        return _("To collect leads, enter the e-mail address that should receive them.")
    if found := NOT_AN_ORIGIN.match(message):
        return _(
            "“%(text)s” is not a valid website address. Enter only the address, such as"
            " https://www.shop.example."
        ) % {"text": found[1]}
    if field == "allowed_origins":
        return _("Enter at most %(count)d websites.") % {"count": MAX_ORIGINS}
    return message.partition(": ")[2]
