"""Pages to review the choices made in an account, and to start reading them."""

from __future__ import annotations

import uuid

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from config.errors import InvalidValue
from config.wording import in_words
from dashboard.connections.accounts import AccountLine
from dashboard.connections.amounts import amount_in_words
from dashboard.connections.choosing import ChoosingView, Chosen
from dashboard.connections.forms import NameForm
from dashboard.kinds import BEING_READ
from sources.errors import SyncFailed, SyncInProgress
from sources.models import NAME_MAX_CHARS, Source
from sources.services.connections import measure
from sources.services.creating import change_selection, create_connected_source
from sources.services.syncing import start_sync


class ReviewView(ChoosingView):
    """Shows the choices before they are read."""

    def get(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        """The review, where nothing can be chosen in the account; other accounts are redirected to
        the choice first."""
        self.find(connection_id)
        line = AccountLine(self.connection)
        if line.connector.is_browsable:
            return self.go_to("connection_choose", connection_id)
        return self.show_review([], NameForm(initial={"name": line.name}))

    def post(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        self.find(connection_id)
        chosen = self.read_chosen()
        try:
            AccountLine(self.connection).connector.clean_selection(self.selection_of(chosen))
        except InvalidValue as error:
            return self.show_tree(chosen, problem=in_words(error.reason))
        return self.show_review(chosen, NameForm(initial={"name": self.name_for(chosen)}))

    def name_for(self, chosen: list[Chosen]) -> str:
        names = ", ".join(each.name for each in chosen) or AccountLine(self.connection).name
        return names if len(names) <= NAME_MAX_CHARS else f"{names[: NAME_MAX_CHARS - 1]}…"

    def show_review(
        self, chosen: list[Chosen], form: NameForm, *, status: int = 200
    ) -> HttpResponse:
        return self.show("connections/review.html", status=status, chosen=chosen, form=form)


class MeasureView(ChoosingView):
    """How much it will be: asked for by htmx, for it takes seconds."""

    http_method_names = ["post"]

    def post(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        self.find(connection_id)
        selection = self.selection_of(self.read_chosen())
        try:
            words = amount_in_words(measure(self.tenant, connection_id, selection))
        except SyncFailed as error:
            words = in_words(error.reason)
        return self.render_part("connections/amount.html", words=words)


class ReadChosenView(ReviewView):
    http_method_names = ["post"]

    def post(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        self.find(connection_id)
        chosen = self.read_chosen()
        if self.source is not None:
            return self.change(self.source, chosen)
        form = NameForm(request.POST)
        if not form.is_valid():
            return self.show_review(chosen, form, status=400)
        source = create_connected_source(
            self.tenant,
            name=form.cleaned_data["name"],
            connection_id=connection_id,
            selection=self.selection_of(chosen),
        )
        start_sync(self.tenant, source.pk)
        return self.go_to("source", source.pk, said=str(BEING_READ))

    def change(self, source: Source, chosen: list[Chosen]) -> HttpResponse:
        change_selection(self.tenant, source.pk, self.selection_of(chosen))
        try:
            start_sync(self.tenant, source.pk)
        except SyncInProgress:
            return self.go_to(
                "source", source.pk, said=_("The next sync will read what you chose.")
            )
        return self.go_to("source", source.pk, said=_("What you chose is being read."))
