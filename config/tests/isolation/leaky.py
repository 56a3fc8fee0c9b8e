"""Endpoints that are wrong on purpose, each in its own way, and a row for each: the matrix must
report them. A URL table of its own, never part of the product's. They go past the wall in the
database too, which would hide most of these faults.
"""

import uuid
from typing import Any, cast

from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, TenantAPIView, read_id
from accounts.errors import UserNotFound
from accounts.permissions import IsAdmin, IsAnyRole, Public
from accounts.signing_in.authentication import TokenAuthentication
from config.database.acting import over_all_tenants
from config.errors import Forbidden
from config.tests.isolation.body_rows import BodyRow
from config.tests.isolation.matrix import ADMINS, Row
from config.tests.isolation.public_rows import PublicRow
from config.tests.isolation.world import Side
from sources.errors import SourceNotFound
from sources.models import Source

NO_ID = uuid.UUID(int=0)


def key_of(text: str) -> uuid.UUID:
    return read_id(text) or NO_ID


def find_source(source_id: str) -> Source:
    source = Source.all_tenants.filter(pk=key_of(source_id)).first()
    if source is None:
        raise SourceNotFound
    return source


class OwnSourceView(TenantAPIView):
    """As it should be; the others are it with one fault."""

    permission_classes = [IsAdmin]

    def find(self, source_id: str) -> Source:
        rows = Source.objects.for_tenant(self.tenant)
        source = rows.filter(pk=key_of(source_id)).first()
        if source is None:
            raise SourceNotFound
        return source

    def post(self, request: Request, source_id: str) -> Response:
        with over_all_tenants():
            source = self.find(source_id)
            source.name = "renamed"
            source.save(update_fields=["name"])
        return Response({"name": source.name})


class AnybodysSourceView(OwnSourceView):
    """Forgets the tenant."""

    def find(self, source_id: str) -> Source:
        return find_source(source_id)


class AnybodysListView(TenantAPIView):
    """Forgets the tenant where no id is given."""

    permission_classes = [IsAdmin]

    def get(self, request: Request) -> Response:
        with over_all_tenants():
            return Response(list(Source.all_tenants.values("id", "name")))


class AnyRoleView(OwnSourceView):
    """Forgets the role."""

    permission_classes = [IsAnyRole]


class NoTokenView(OwnSourceView):
    """Forgets the token: the tenant is the object's."""

    permission_classes = [Public]

    def find(self, source_id: str) -> Source:
        return find_source(source_id)


class TalkativeView(OwnSourceView):
    """Tells that another tenant has the id."""

    def find(self, source_id: str) -> Source:
        if find_source(source_id).tenant != self.tenant:
            raise SourceNotFound("This source belongs to another tenant.")
        return super().find(source_id)


class TalkativeHeaderView(OwnSourceView):
    """Tells it in a header alone."""

    def post(self, request: Request, source_id: str) -> Response:
        with over_all_tenants():
            self.is_there = Source.all_tenants.filter(pk=key_of(source_id)).exists()
        return super().post(request, source_id)

    def finalize_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(*args, **kwargs)
        if getattr(self, "is_there", False):
            response["X-Cost"] = "2"
        return response


class OtherStatusView(OwnSourceView):
    """Tells it by the status."""

    def find(self, source_id: str) -> Source:
        if find_source(source_id).tenant != self.tenant:
            raise Forbidden
        return super().find(source_id)


class HastyView(OwnSourceView):
    """Changes something before it refuses."""

    def find(self, source_id: str) -> Source:
        Source.all_tenants.filter(pk=key_of(source_id)).update(position=99)
        return super().find(source_id)


class HastyForRolesView(OwnSourceView):
    """Changes something of ours before it looks at the role."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if request.auth:
            Source.objects.for_tenant(self.tenant).update(position=99)
        super().initial(request, *args, **kwargs)


class WrongCodeView(OwnSourceView):
    """Refuses as if something else were missing."""

    def find(self, source_id: str) -> Source:
        if not Source.objects.for_tenant(self.tenant).filter(pk=key_of(source_id)).exists():
            raise UserNotFound
        return super().find(source_id)


class CrashingView(OwnSourceView):
    """Does not expect that an id is none."""

    def find(self, source_id: str) -> Source:
        return Source.objects.for_tenant(self.tenant).get(pk=source_id)


class PublicView(PublicAPIView):
    """Needs no token, and heeds one: it shows the sources of whoever brings one."""

    authentication_classes = [TokenAuthentication]

    def get(self, request: Request) -> Response:
        if request.auth is None:
            return Response([])
        rows = Source.objects.for_tenant(request.auth.tenant)  # type: ignore[union-attr]
        return Response([row.name for row in rows])


class BodyView(TenantAPIView):
    """Tells of another tenant's id in a body."""

    permission_classes = [IsAdmin]

    def post(self, request: Request) -> Response:
        given = cast(dict[str, str], request.data)
        with over_all_tenants():
            if find_source(given["source_id"]).tenant != self.tenant:
                raise SourceNotFound("This source belongs to another tenant.")
        return Response({})


class AddedView(OwnSourceView):
    """Nobody has written its row."""


VIEWS = {
    "own": OwnSourceView,
    "anybodys": AnybodysSourceView,
    "any-role": AnyRoleView,
    "no-token": NoTokenView,
    "talkative": TalkativeView,
    "talkative-header": TalkativeHeaderView,
    "other-status": OtherStatusView,
    "hasty": HastyView,
    "hasty-for-roles": HastyForRolesView,
    "wrong-code": WrongCodeView,
    "crashing": CrashingView,
}

urlpatterns = [
    path("list", AnybodysListView.as_view()),
    path("public", PublicView.as_view()),
    path("body", BodyView.as_view()),
    path("added/<str:source_id>", AddedView.as_view()),
    *(path(f"{name}/<str:source_id>", view.as_view()) for name, view in VIEWS.items()),
]


def source_id(side: Side) -> object:
    return side.source.pk


def leaky_row(name: str) -> Row:
    if name == "list":
        return Row("GET", "list", ADMINS)
    route = f"{name}/<str:source_id>"
    return Row("POST", route, ADMINS, own_id=source_id, not_found=SourceNotFound)


LEAKY_PUBLIC_ROW = PublicRow("GET", "public", "it forgets nothing but to forget the token")
LEAKY_BODY_ROW = BodyRow(
    "POST",
    "body",
    "source_id",
    404,
    theirs=lambda world: world.theirs.source.pk,
    body=lambda cell, given: {"source_id": given},
)
