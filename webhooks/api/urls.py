"""Addresses that messengers call."""

from django.urls import path

from channels.surfaces.registry import MESSENGERS
from webhooks.api.views import view_of

urlpatterns = [
    path(
        messenger.webhook.path.removeprefix("/").replace("{agent_id}", "<str:agent_id>"),
        view_of(messenger).as_view(),
    )
    for messenger in MESSENGERS.values()
]
