"""Connects an account, or connects it again, by signing in to it at its provider."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from config.errors import Forbidden
from config.wording import in_words
from dashboard.base import ADMINS, DashboardView
from dashboard.connections.accounts import AccountLine, KindCard, find_card, get_card
from reasons import Reason
from sources.errors import OtherAccount, SignInExpired, SignInFailed
from sources.services.connections import (
    begin_sign_in,
    finish_sign_in,
    get_connection,
    list_sources_of,
)


class SigningInView(DashboardView):
    allowed_roles = ADMINS
    section = "sources"

    @property
    def session_id(self) -> uuid.UUID:
        """Raises Forbidden for a caller without a session: the dashboard's cookie names one."""
        if self.caller.session is None:
            raise Forbidden
        return self.caller.session.pk

    def leave(self, kind: str, **anew: Any) -> HttpResponse:
        """Renders a page that continues to the provider by itself. A redirect would not work:
        browsers let our forms lead to our own pages only, and the provider's further redirects are
        not known."""
        address = begin_sign_in(self.tenant, kind, session_id=self.session_id, **anew)
        label = get_card(kind).label
        return self.render("connections/leaving.html", address=address, label=label)


class SignInToAccountView(SigningInView):
    """`?kind=`: of which account. Says first what will be read, and who will see it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        card = self.find_card()
        if card is None:
            return self.go_to("source_connect")
        return self.render("connections/sign_in.html", card=card)

    def post(self, request: HttpRequest) -> HttpResponse:
        card = self.find_card()
        return self.leave(card.kind) if card else self.go_to("source_connect")

    def find_card(self) -> KindCard | None:
        card = find_card(self.request.GET.get("kind", ""))
        return card if card and card.is_signed_in_to else None


class SignInAgainView(SigningInView):
    http_method_names = ["post"]

    def post(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        connection = get_connection(self.tenant, connection_id)
        takes_other = request.POST.get("takes_other") == "yes"
        return self.leave(connection.provider, connection_id=connection.pk, takes_other=takes_other)


class CallbackView(SigningInView):
    """All providers send people here: the address is registered there, exactly."""

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            connection = finish_sign_in(self.tenant, request.GET.dict(), session_id=self.session_id)
        except OtherAccount as error:
            return self.refuse(error.reason, connection_id=error.connection_id)
        except (SignInExpired, SignInFailed) as error:
            return self.refuse(error.reason)
        name = AccountLine(connection).name
        messages.success(request, _("%(account)s is connected.") % {"account": name})
        is_used = list_sources_of(connection).exists()
        return self.go_to("connection" if is_used else "connection_choose", connection.pk)

    def refuse(self, reason: Reason, *, connection_id: uuid.UUID | None = None) -> HttpResponse:
        """`connection_id`: of the account whose place the other one may take."""
        back = reverse("dashboard:source_connect")
        if connection_id:
            back = reverse("dashboard:connection", args=[connection_id])
        return self.render(
            "connections/not_connected.html",
            reason=in_words(reason),
            connection_id=connection_id,
            back=back,
        )
