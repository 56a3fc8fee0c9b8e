"""The filters of the list of leads, and the form of a note."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import Membership
from agents.models import Agent
from dashboard.templatetags.talk import channel_name, status_name
from query.models import NOTE_MAX_CHARS, LeadStatus
from query.services.leads import SEARCH_MAX_CHARS

Choices = list[tuple[str, str]]


class LeadFilters(forms.Form):
    words = forms.CharField(
        label=gettext_lazy("Search"),
        required=False,
        max_length=SEARCH_MAX_CHARS,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    status = forms.ChoiceField(label=gettext_lazy("Status"), required=False)
    agent = forms.ChoiceField(label=gettext_lazy("Agent"), required=False)
    channel = forms.ChoiceField(label=gettext_lazy("Channel"), required=False)
    since = forms.DateField(
        label=gettext_lazy("From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=gettext_lazy("To"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )

    def __init__(
        self, data: Mapping[str, str], *, agents: Iterable[Agent], channels: Iterable[str]
    ) -> None:
        super().__init__(data)
        everything = ("", _("All"))
        offer(self, "status", [everything, *status_choices()])
        offer(self, "agent", [everything, *((str(agent.pk), agent.name) for agent in agents)])
        offer(self, "channel", [everything, *((kind, channel_name(kind)) for kind in channels)])

    def narrowing(self) -> dict[str, Any]:
        """The given filters, as query.services.leads.list_leads takes them."""
        given = {name: value for name, value in self.cleaned_data.items() if value}
        if "agent" in given:
            given["agent_id"] = uuid.UUID(given.pop("agent"))
        return given


class StatusForm(forms.Form):
    status = forms.ChoiceField(label=gettext_lazy("Status"))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        offer(self, "status", status_choices())


class AssigneeForm(forms.Form):
    assignee = forms.ChoiceField(label=gettext_lazy("Assigned to"), required=False)

    def __init__(self, *args: Any, members: Iterable[Membership], **options: Any) -> None:
        super().__init__(*args, **options)
        people = [(str(member.pk), member.user.email) for member in members]
        offer(self, "assignee", [("", _("Nobody")), *people])


class NoteForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("New note"),
        max_length=NOTE_MAX_CHARS,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


def status_choices() -> Choices:
    return [(status, status_name(status)) for status in LeadStatus.values]


def offer(form: forms.Form, name: str, choices: Choices) -> None:
    cast("forms.ChoiceField", form.fields[name]).choices = choices
