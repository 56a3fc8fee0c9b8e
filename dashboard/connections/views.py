"""The list of connected and connectable accounts, one account's page, and disconnecting it."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from dashboard.base import ADMINS, DashboardView
from dashboard.connections.accounts import AccountLine, get_card, list_cards
from sources.services.connections import disconnect, get_connection, list_sources_of


class KindsView(DashboardView):
    allowed_roles = ADMINS
    section = "sources"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.render("connections/kinds.html", tab="connect", cards=list_cards(self.tenant))


class ConnectionView(DashboardView):
    allowed_roles = ADMINS
    section = "sources"

    def get(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        connection = get_connection(self.tenant, connection_id)
        sources = list_sources_of(connection).order_by("position", "created_at", "id")
        return self.render(
            "connections/account.html",
            connection=connection,
            line=AccountLine(connection, tuple(sources)),
            card=get_card(connection.provider),
        )


class DisconnectAccountView(DashboardView):
    allowed_roles = ADMINS
    section = "sources"
    http_method_names = ["post"]

    def post(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        line = AccountLine(get_connection(self.tenant, connection_id))
        disconnect(self.tenant, connection_id)
        said = _("%(account)s is disconnected.") % {"account": line.name}
        return self.go_to("source_connect", said=said)
