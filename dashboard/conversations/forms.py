"""The filters of the list of conversations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agents.models import Agent
from dashboard.templatetags.talk import channel_name, outcome_name
from query.models import Outcome
from query.services.conversations import SEARCH_MAX_CHARS


class ConversationFilters(forms.Form):
    words = forms.CharField(
        label=gettext_lazy("Search"),
        required=False,
        max_length=SEARCH_MAX_CHARS,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    agent = forms.ChoiceField(label=gettext_lazy("Agent"), required=False)
    channel = forms.ChoiceField(label=gettext_lazy("Channel"), required=False)
    outcome = forms.ChoiceField(label=gettext_lazy("Outcome"), required=False)

    def __init__(
        self, data: Mapping[str, str], *, agents: Iterable[Agent], channels: Iterable[str]
    ) -> None:
        super().__init__(data)
        everything = ("", _("All"))
        self.choose("agent", [everything, *((str(agent.pk), agent.name) for agent in agents)])
        self.choose("channel", [everything, *((kind, channel_name(kind)) for kind in channels)])
        self.choose("outcome", [everything, *((one, outcome_name(one)) for one in Outcome.values)])

    def choose(self, name: str, choices: list[tuple[str, str]]) -> None:
        cast("forms.ChoiceField", self.fields[name]).choices = choices
