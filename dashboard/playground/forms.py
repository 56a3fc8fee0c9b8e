"""The form that the playground sends."""

from __future__ import annotations

import json

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from query.models import MARKED_TEXT_MAX_CHARS, NOTE_MAX_CHARS, TEXT_MAX_CHARS
from query.services.wrong_marks import WrongAnswer

SESSION_MAX_CHARS = 64
SOURCES_MAX_CHARS = 50_000


class AskForm(forms.Form):
    """`session`: one for each conversation, made by the page."""

    question = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=TEXT_MAX_CHARS,
        widget=forms.Textarea(attrs={"rows": 2, "enterkeyhint": "send"}),
    )
    session = forms.RegexField(
        r"^[0-9a-z]{8,64}\Z", max_length=SESSION_MAX_CHARS, widget=forms.HiddenInput
    )


class WrongAnswerForm(forms.Form):
    question = forms.CharField(max_length=TEXT_MAX_CHARS, widget=forms.HiddenInput)
    answer = forms.CharField(max_length=MARKED_TEXT_MAX_CHARS, widget=forms.HiddenInput)
    sources = forms.CharField(
        max_length=SOURCES_MAX_CHARS, required=False, widget=forms.HiddenInput
    )
    note = forms.CharField(
        label=gettext_lazy("What is wrong with it?"),
        max_length=NOTE_MAX_CHARS,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def clean_sources(self) -> list[object]:
        try:
            sources = json.loads(self.cleaned_data["sources"] or "[]")
        except (ValueError, RecursionError):
            sources = None
        if not isinstance(sources, list):
            raise forms.ValidationError(_("Reload the page, then try again."))
        return sources

    @property
    def wrong(self) -> WrongAnswer:
        given = self.cleaned_data
        return WrongAnswer(given["question"], given["answer"], given["sources"], given["note"])
