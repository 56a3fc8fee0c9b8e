"""Addresses that fail in every way, beside the real ones. For tests alone."""

from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import path
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import PublicAPIView, TenantAPIView, validated
from config import errors, urls
from config.rest.error_forms import LEGACY
from config.rest.request_body import StrictCharField

FAILURES: dict[str, Exception] = {
    "service": errors.Conflict("Taken by another."),
    "throttled": exceptions.Throttled(wait=1.2),
    "limited": errors.TooManyRequests(retry_after_seconds=7),
    "not-found": Http404("no Source matches the query"),
    "denied": PermissionDenied("secret reason"),
    "drf-denied": exceptions.PermissionDenied("secret reason"),
    "invalid": ValidationError(["Too long.", "Too odd."]),
    "not-configured": errors.ServiceUnavailable("Set STORAGE_URL."),
    "database-away": OperationalError("server db.internal closed the connection"),
    "bug": RuntimeError("the password is hunter2"),
    "surrogate": errors.InvalidValue("\ud800 is no name"),
}


class FailingView(PublicAPIView):
    def get(self, request: Request, failure: str) -> Response:
        raise FAILURES[failure]


class LegacyView(FailingView):
    error_form = LEGACY


class SilentView(TenantAPIView):
    """Says nothing about who may use it."""

    def get(self, request: Request) -> Response:
        return Response({})


class ItemInput(serializers.Serializer[Any]):
    size = StrictCharField(max_length=5)


class EchoInput(serializers.Serializer[Any]):
    name = StrictCharField(max_length=10)
    count = serializers.IntegerField(required=False, min_value=1)
    items = ItemInput(many=True, required=False)


class EchoView(PublicAPIView):
    def post(self, request: Request) -> Response:
        return Response(validated(EchoInput, request.data))


def plain(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("the password is hunter2")


urlpatterns = [
    path("fail/<str:failure>", FailingView.as_view()),
    path("legacy/<str:failure>", LegacyView.as_view()),
    path("silent", SilentView.as_view()),
    path("echo", EchoView.as_view()),
    path("plain", plain),
    *urls.urlpatterns,
]

handler400 = urls.handler400
handler403 = urls.handler403
handler404 = urls.handler404
handler500 = urls.handler500
