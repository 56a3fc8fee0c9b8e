"""The filters of the activity list."""

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models.activity import ACTOR_MAX_CHARS
from dashboard.activity.words import ACTIONS

ALL = ("", _("Everything"))
LARGEST_ID = 2**63 - 1


class ActivityFilterForm(forms.Form):
    person = forms.CharField(
        label=_("Person"),
        required=False,
        max_length=ACTOR_MAX_CHARS,
        widget=forms.TextInput(attrs={"type": "search", "list": "people", "autocomplete": "off"}),
    )
    action = forms.ChoiceField(
        label=_("Action"), required=False, choices=lambda: [ALL, *ACTIONS.items()]
    )
    before = forms.IntegerField(
        required=False, min_value=1, max_value=LARGEST_ID, widget=forms.HiddenInput
    )
