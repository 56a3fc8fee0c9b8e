"""Forms for answers that a member of the company writes."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from sources.models import ENTRY_ANSWER_MAX_CHARS, ENTRY_QUESTION_MAX_CHARS

SAVED = _("Saved. Agents will answer from it as soon as it has been read.")


class EntryForm(forms.Form):
    question = forms.CharField(
        label=_("Question"),
        max_length=ENTRY_QUESTION_MAX_CHARS,
        help_text=_("As a customer would ask it."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    answer = forms.CharField(
        label=_("Answer"),
        max_length=ENTRY_ANSWER_MAX_CHARS,
        help_text=_("Agents quote it word for word. Write it so that it makes sense on its own."),
        widget=forms.Textarea(attrs={"rows": 6}),
    )


class DeletionForm(forms.Form):
    """A deletion. `word`: the word that has to be typed."""

    word = forms.CharField(max_length=100)

    @property
    def typed(self) -> str:
        return str(self.cleaned_data["word"]).strip() if self.is_valid() else ""
