"""Connects an account, or connects it again, with typed credentials. The account is checked
first."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from config.wording import in_words
from dashboard.base import ADMINS, DashboardView, is_partial, redirect_to
from dashboard.connections.accounts import AccountLine, KindCard, find_card, get_card
from dashboard.connections.amounts import amount_in_words
from dashboard.connections.forms import AccountForm, NameForm
from dashboard.kinds import BEING_READ
from sources.errors import ConnectionRefused, InvalidSourceType, OtherAccount
from sources.services.checking import check_account_fields
from sources.services.connections import connect_account, get_connection
from sources.services.creating import create_source
from sources.services.syncing import start_sync


class TypingInView(DashboardView):
    """The form is sent twice: to look at the account, and then to connect it (`step=add`). Secrets
    do not come back from us; with htmx, they still stand where they were typed."""

    allowed_roles = ADMINS
    section = "sources"

    def show(
        self, card: KindCard, form: AccountForm, *, status: int = 200, **own: Any
    ) -> HttpResponse:
        own |= {"card": card, "form": form, "here": self.request.get_full_path()}
        if is_partial(self.request):
            return self.render_part("connections/found.html", status=status, **own)
        return self.render("connections/typing_in.html", status=status, **own)

    def take(self, card: KindCard, **own: Any) -> HttpResponse:
        form = AccountForm(card.connector, self.request.POST)
        is_sure = self.request.POST.get("step") == "add"
        try:
            if form.is_valid():
                return self.add(card, form) if is_sure else self.look(card, form, **own)
        except ConnectionRefused as error:
            form.refuse(error)
        except OtherAccount as error:
            form.add_error(None, in_words(error.reason))
        return self.show(card, form, status=400, **own)

    def look(self, card: KindCard, form: AccountForm, **own: Any) -> HttpResponse:
        found = check_account_fields(self.tenant, card.kind, form.cleaned_data)
        if "line" not in own:  # a new one, of which a source is made
            own["name_form"] = NameForm(initial={"name": found.account.label or card.label})
        return self.show(card, form, found=found, amount=amount_in_words(found.amount), **own)

    def add(self, card: KindCard, form: AccountForm) -> HttpResponse:
        """Raises ConnectionRefused, OtherAccount."""
        raise NotImplementedError


class TypeInView(TypingInView):
    """The form for a new account. `?kind=`: the kind of account."""

    def get(self, request: HttpRequest) -> HttpResponse:
        card = self.find_card()
        if card is None:
            return self.go_to("source_connect")
        return self.show(card, AccountForm(card.connector))

    def post(self, request: HttpRequest) -> HttpResponse:
        card = self.find_card()
        return self.take(card) if card else self.go_to("source_connect")

    def find_card(self) -> KindCard | None:
        card = find_card(self.request.GET.get("kind", ""))
        return card if card and card.is_typed_in else None

    def add(self, card: KindCard, form: AccountForm) -> HttpResponse:
        name_form = NameForm(self.request.POST)
        if not name_form.is_valid():
            return self.show(card, form, status=400, name_form=name_form)
        source = create_source(
            self.tenant,
            name=name_form.cleaned_data["name"],
            source_type=card.kind,
            connection=form.cleaned_data,
        )
        if card.connector.is_browsable:  # it is read once that is chosen
            page = reverse("dashboard:connection_choose", args=[source.connection_id])
            return redirect_to(self.request, f"{page}?{urlencode({'source': str(source.pk)})}")
        start_sync(self.tenant, source.pk)
        return self.go_to("source", source.pk, said=str(BEING_READ))


class TypeInAgainView(TypingInView):
    def get(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        line, card = self.find(connection_id)
        return self.show(card, AccountForm(card.connector), line=line)

    def post(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        line, card = self.find(connection_id)
        return self.take(card, line=line)

    def find(self, connection_id: uuid.UUID) -> tuple[AccountLine, KindCard]:
        connection = get_connection(self.tenant, connection_id)
        card = get_card(connection.provider)
        if not card.is_typed_in:
            raise InvalidSourceType
        return AccountLine(connection), card

    def add(self, card: KindCard, form: AccountForm) -> HttpResponse:
        connection_id = self.kwargs["connection_id"]
        connect_account(
            self.tenant,
            card.kind,
            form.cleaned_data,
            check_account_fields(self.tenant, card.kind, form.cleaned_data),
            connection_id=connection_id,
        )
        return self.go_to("connection", connection_id, said=_("The account is connected."))
