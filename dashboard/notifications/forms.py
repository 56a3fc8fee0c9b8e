"""The kinds of notifications that a member also gets by mail."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from query.models import Notification

KINDS = (
    (Notification.Kind.LEAD, _("Somebody wants to buy and left their details")),
    (Notification.Kind.SOURCE_FAILED, _("A source could not be read")),
    (Notification.Kind.CHANNEL_FAILED, _("An agent no longer answers on a channel")),
    (Notification.Kind.REAUTH_REQUIRED, _("A connected account needs to be reconnected")),
)


class MailsForm(forms.Form):
    kinds = forms.MultipleChoiceField(
        label=_("Send me an e-mail when"),
        choices=KINDS,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
