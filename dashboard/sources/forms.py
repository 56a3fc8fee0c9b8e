"""Forms about sources. Services hold the rules; a form only says what it needs."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.models import ScheduleFrequency
from accounts.models.tenants import COLUMN_MAX_CHARS
from sources.connectors.interface import SOURCE_URL
from sources.models import NAME_MAX_CHARS
from sources.services.ordering import Step

NOT_IN_PLAN = _("Your plan does not include this frequency.")
FREQUENCIES = {
    ScheduleFrequency.MANUAL: _("Only when somebody presses “Sync now”"),
    ScheduleFrequency.HOURLY: _("Every hour"),
    ScheduleFrequency.EVERY_SIX_HOURS: _("Every 6 hours"),
    ScheduleFrequency.DAILY: _("Every day"),
    ScheduleFrequency.WEEKLY: _("Every week"),
}


class SourceFilterForm(forms.Form):
    """The filters in the address of the list; invalid ones are ignored."""

    q = forms.CharField(
        label=_("Search by name"),
        max_length=NAME_MAX_CHARS,
        required=False,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    state = forms.ChoiceField(
        label=_("Show"),
        choices=[("", _("All sources")), ("failing", _("Sources that need attention"))],
        required=False,
    )

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return self.cleaned_data


class UploadForm(forms.Form):
    file = forms.FileField(label=_("File"), allow_empty_file=True, max_length=255)
    replaces = forms.UUIDField(required=False, widget=forms.HiddenInput)  # a source's id


class WebsiteForm(forms.Form):
    """Browsers would refuse "example.com" in a field of addresses; here it is completed."""

    source_url = forms.CharField(
        label=_("Address of the website"),
        max_length=SOURCE_URL.max_chars,
        help_text=_(
            "The page to start from, such as https://example.com. Pages below this address"
            " that it links to are read too."
        ),
        widget=forms.TextInput(
            attrs={
                "inputmode": "url",
                "autocomplete": "url",
                "autocapitalize": "none",
                "autofocus": True,
            }
        ),
    )

    def clean_source_url(self) -> str:
        address: str = self.cleaned_data["source_url"]
        return address if "://" in address else f"https://{address}"


class NewWebsiteForm(WebsiteForm):
    name = forms.CharField(label=_("Name"), max_length=NAME_MAX_CHARS)


class RenameSourceForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=NAME_MAX_CHARS)


class ScheduleSourceForm(forms.Form):
    frequency = forms.ChoiceField(label=_("How often"), choices=list(FREQUENCIES.items()))


class DeleteSourceForm(forms.Form):
    """`name` has to be typed, so that nobody deletes by a slip."""

    name = forms.CharField(label=_("Name of the source"), max_length=NAME_MAX_CHARS)

    def __init__(self, *args: Any, wanted: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = wanted

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.wanted.strip():
            raise forms.ValidationError(_("That is not the name of the source."))
        return name


class MoveSourceForm(forms.Form):
    """Either a step, or the source that it was dropped beside."""

    step = forms.ChoiceField(choices=[(step.value, step.value) for step in Step], required=False)
    beside = forms.UUIDField(required=False)
    is_after = forms.BooleanField(required=False)


class ColumnForm(forms.Form):
    """Decides whether a column is told in answers: one of the list, or one whose name is typed."""

    name = forms.CharField(
        label=_("Column name"),
        max_length=COLUMN_MAX_CHARS,
        help_text=_(
            "Write it as it appears at the top of the column. Accents and capitals do not matter."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    is_told = forms.TypedChoiceField(
        choices=[("yes", ""), ("no", "")], coerce=lambda value: value == "yes"
    )
