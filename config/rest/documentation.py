"""GET /schema: the OpenAPI description. GET /docs: the same, to be read and tried in a browser."""

import functools
import threading
from typing import Any

from django.http import HttpResponse
from django.template.response import TemplateResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import (
    OpenApiJsonRenderer,
    OpenApiJsonRenderer2,
    OpenApiYamlRenderer,
    OpenApiYamlRenderer2,
)
from rest_framework.permissions import AllowAny
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
making = threading.Lock()  # drf-spectacular makes one description at a time


class PageView(APIView):
    """For everybody, outside the rate limit, and no part of what it describes."""

    authentication_classes = []
    permission_classes = [AllowAny]
    schema = None


class SchemaView(PageView):
    """YAML, or JSON for who accepts only that."""

    def get(self, request: Request) -> HttpResponse:
        # Not `renderer_classes`: errors stay JSON.
        renderer, _ = self.get_content_negotiator().select_renderer(request, RENDERERS.values())
        with making:
            content = write_schema(renderer.media_type)
        return HttpResponse(content, content_type=renderer.media_type, headers={"Vary": "Accept"})


class DocsView(PageView):
    """Swagger UI writes style attributes. Its scripts, and whom it asks, are ours alone."""

    def get(self, request: Request) -> TemplateResponse:
        return TemplateResponse(
            request._request,
            "config/docs.html",
            headers=page_headers(styles="'self' 'unsafe-inline'"),
        )


@functools.cache
def make_schema() -> dict[str, Any]:
    """Takes most of a second of processor time: once a process."""
    generator: Any = SchemaGenerator()  # type: ignore[no-untyped-call]
    schema: dict[str, Any] = generator.get_schema(request=None, public=True)
    return schema


@functools.cache
def write_schema(media_type: str) -> str | bytes:
    return RENDERERS[media_type].render(make_schema(), renderer_context={})
