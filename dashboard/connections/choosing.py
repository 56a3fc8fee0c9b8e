"""Pages with a tree in which people choose the content of an account to read."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode

from config.errors import InvalidValue
from config.wording import in_words
from dashboard.base import ADMINS, DashboardView, is_partial
from dashboard.connections.accounts import AccountLine
from sources.connectors.interface import Choice, clean_chosen
from sources.errors import SourceNotFound, SyncFailed
from sources.models import Connection, Source
from sources.services.connections import browse, get_connection
from sources.services.reading import get_source


@dataclass(frozen=True)
class Chosen:
    """A choice as a checkbox sends it."""

    id: str
    name: str

    @property
    def value(self) -> str:
        return json.dumps({"id": self.id, "name": self.name})


@dataclass(frozen=True)
class Branch:
    """A choice as the tree shows it. `address`: of the page with the choices inside it."""

    choice: Choice
    is_chosen: bool
    address: str

    @property
    def value(self) -> str:
        return Chosen(self.choice.id, self.choice.name).value


class ChoosingView(DashboardView):
    """`?source=`: whose selection is changed; without it, a new source is made."""

    allowed_roles = ADMINS
    section = "sources"
    connection: Connection
    source: Source | None

    def find(self, connection_id: uuid.UUID) -> None:
        """Raises ConnectionNotFound, and SourceNotFound for one that is not read from it."""
        self.connection = get_connection(self.tenant, connection_id)
        self.source = None
        if given := self.request.GET.get("source"):
            self.source = get_source(self.tenant, read_id(given))
            if self.source.connection_id != self.connection.pk:
                raise SourceNotFound

    def address_of(self, page: str, **query: str) -> str:
        if self.source is not None:
            query["source"] = str(self.source.pk)
        address = reverse(f"dashboard:{page}", args=[self.connection.pk])
        return f"{address}?{urlencode(query)}" if query else address

    def show(self, template: str, *, status: int = 200, **own: Any) -> HttpResponse:
        line = AccountLine(self.connection)
        if self.source is None:
            back, back_name = reverse("dashboard:connection", args=[self.connection.pk]), line.name
        else:
            back, back_name = reverse("dashboard:source", args=[self.source.pk]), self.source.name
        own |= {"line": line, "source": self.source, "back": back, "back_name": back_name}
        own["addresses"] = {
            page: self.address_of(f"connection_{page}")
            for page in ("choose", "review", "measure", "read")
        }
        return self.render(template, status=status, **own)

    def read_chosen(self) -> list[Chosen]:
        """Raises InvalidValue."""
        return read_choices(self.request.POST.getlist("chosen"))

    def selection_of(self, chosen: Iterable[Chosen]) -> dict[str, Any]:
        """The source's selection with these choices; its other values stay as they are."""
        before = self.source.selection if self.source else {}
        return {**before, "chosen": [{"id": each.id, "name": each.name} for each in chosen]}

    # --- The tree ---------------------------------------------------------------------------------

    def show_tree(
        self, chosen: list[Chosen], *, trail: Iterable[Chosen] = (), problem: str = ""
    ) -> HttpResponse:
        """Renders the tree. `trail`: the choices opened without script, one in the other.
        `problem`: shown with the choices."""
        trail, found = list(trail), list[Choice]()
        status = 400 if problem else 200
        try:
            inside = trail[-1].id if trail else ""
            found += browse(self.tenant, self.connection.pk, inside=inside)
        except SyncFailed as error:
            problem = in_words(error.reason)
        branches = self.grow(found, chosen=[each.id for each in chosen])
        shown = {branch.choice.id for branch in branches if branch.choice.can_be_read}
        return self.show(
            "connections/choose.html",
            status=status,
            branches=branches,
            elsewhere=[each for each in chosen if each.id not in shown],
            trail=trail,
            problem=problem,
        )

    def grow(self, found: Iterable[Choice], *, chosen: Iterable[str] = ()) -> list[Branch]:
        chosen = frozenset(chosen)
        return [
            Branch(
                choice,
                choice.id in chosen,
                self.address_of("connection_choose", inside=choice.id),
            )
            for choice in found
        ]


def read_id(text: str) -> uuid.UUID:
    """Raises SourceNotFound."""
    try:
        return uuid.UUID(text)
    except ValueError as error:
        raise SourceNotFound from error


def read_choices(values: Iterable[str]) -> list[Chosen]:
    """Raises InvalidValue."""
    try:
        given = [json.loads(value) for value in values]
    except (ValueError, RecursionError) as error:
        raise InvalidValue from error
    return [Chosen(**each) for each in clean_chosen(given)]


class ChooseView(ChoosingView):
    """The tree of choices. With htmx, `?inside=` answers with the content of one choice alone.
    Without script, an opened choice is a page of its own, and the form carries the choices made so
    far."""

    def get(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        self.find(connection_id)
        if is_partial(request):
            return self.show_inside(request.GET.get("inside", ""))
        chosen = clean_chosen(self.source.selection.get("chosen", [])) if self.source else []
        return self.show_tree([Chosen(**each) for each in chosen])

    def post(self, request: HttpRequest, connection_id: uuid.UUID) -> HttpResponse:
        self.find(connection_id)
        trail = read_choices(request.POST.getlist("trail"))
        if opened := request.POST.get("open"):
            trail += read_choices([opened])
        if (depth := request.POST.get("back_to", "")).isdigit():
            trail = trail[: int(depth)]
        return self.show_tree(self.read_chosen(), trail=trail)

    def show_inside(self, inside: str) -> HttpResponse:
        try:
            found = browse(self.tenant, self.connection.pk, inside=inside)
        except SyncFailed as error:
            again = self.address_of("connection_choose", inside=inside)
            problem = in_words(error.reason)
            return self.render_part("connections/inside_failed.html", problem=problem, again=again)
        return self.render_part("connections/inside.html", branches=self.grow(found))
