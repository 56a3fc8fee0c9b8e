"""GET /schema: the OpenAPI description. GET /docs: the same, to be read and tried in a browser."""

import functools
import threading
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from rest_framework.authentication import BaseAuthentication
from rest_framework.permissions import AllowAny, BasePermission, IsAuthenticated
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from config.rest.pages import page_headers

RENDERERS: dict[str, BaseRenderer] = {
    renderer.media_type: renderer
    for renderer in (
        OpenApiYamlRenderer(),
        OpenApiYamlRenderer2(),
        OpenApiJsonRenderer(),
        OpenApiJsonRenderer2(),
    )
}
MEDIA_TYPE = OpenApiYamlRenderer.media_type
making = threading.Lock()  # drf-spectacular makes one description at a time


class PageView(APIView):
    """Outside the rate limit, and no part of what it describes. For everybody where the operator
    says so (PUBLIC_API_DOCS); else for who brings a token."""

    permission_classes = [IsAuthenticated]
    throttle_classes = []
    schema = None

    def get_authenticators(self) -> list[BaseAuthentication]:
        return [] if settings.PUBLIC_API_DOCS else super().get_authenticators()

    def get_permissions(self) -> list[BasePermission]:
        return [AllowAny()] if settings.PUBLIC_API_DOCS else [IsAuthenticated()]


class SchemaView(PageView):
    """YAML, or JSON for who accepts only that."""

    def get(self, request: Request) -> HttpResponse:
        # Not `renderer_classes`: errors stay JSON.
        renderer, _ = self.get_content_negotiator().select_renderer(request, RENDERERS.values())
        content = write_schema(renderer.media_type)
        return HttpResponse(content, content_type=renderer.media_type, headers={"Vary": "Accept"})


class DocsView(PageView):
    """A page that says nothing by itself: it asks for the description. Where that is not for
    everybody, it is read in the dashboard, by who is signed in there."""

    def get_authenticators(self) -> list[BaseAuthentication]:
        return []

    def get_permissions(self) -> list[BasePermission]:
        return [AllowAny()]

    def get(self, request: Request) -> HttpResponse:
        if not settings.PUBLIC_API_DOCS:
            return HttpResponseRedirect("/dashboard/docs")
        return show_docs(request._request, "/schema")


def show_docs(request: HttpRequest, schema_url: str) -> TemplateResponse:
    """Swagger UI writes style attributes. Its scripts, and whom it asks, are ours alone."""
    return TemplateResponse(
        request,
        "config/docs.html",
        {"schema_url": schema_url},
        headers=page_headers(styles="'self' 'unsafe-inline'"),
    )


@functools.cache
def make_schema() -> dict[str, Any]:
    """Takes most of a second of processor time: once a process."""
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema: dict[str, Any] = generator.get_schema(request=None, public=True)
    return schema


def write_schema(media_type: str) -> str | bytes:
    with making:
        return write_once(media_type)


@functools.cache
def write_once(media_type: str) -> str | bytes:
    return RENDERERS[media_type].render(make_schema(), renderer_context={})
