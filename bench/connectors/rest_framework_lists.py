"""Lists as Django REST framework pages them, a server of its own: PORT DOCUMENTS. No view of it is
ours, but for what makes the items."""

from __future__ import annotations

import sys
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of-a-bench",  # noqa: S106 - nothing is signed here
    REST_FRAMEWORK={
        "UNAUTHENTICATED_USER": None,
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    },
    MIDDLEWARE=["django.middleware.http.ConditionalGetMiddleware"],
)
django.setup()

from django.core.wsgi import get_wsgi_application  # noqa: E402 - as all below
from django.urls import path  # noqa: E402
from rest_framework.generics import ListAPIView  # noqa: E402
from rest_framework.pagination import LimitOffsetPagination, PageNumberPagination  # noqa: E402
from rest_framework.request import Request  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.serializers import CharField, IntegerField, Serializer  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

articles: list[dict[str, Any]] = []


class ArticleSerializer(Serializer[Any]):
    id = IntegerField()
    title = CharField()
    body = CharField()


class Numbered(PageNumberPagination):
    page_size = 100


class Offset(LimitOffsetPagination):
    default_limit = 100


class ArticlesView(ListAPIView[Any]):
    serializer_class = ArticleSerializer

    def get_queryset(self) -> Any:
        return articles


class ChangeView(APIView):
    def get(self, request: Request, number: int) -> Response:
        articles[number]["body"] += " Or a day later."
        return Response()


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *arguments: Any) -> None:
        pass


urlpatterns = [
    path("pages/", ArticlesView.as_view(pagination_class=Numbered)),
    path("offsets/", ArticlesView.as_view(pagination_class=Offset)),
    path("change/<int:number>/", ChangeView.as_view()),
]

if __name__ == "__main__":
    port, documents = map(int, sys.argv[1:])
    for number in range(1, documents + 1):
        body = f"Spare part {number} arrives in {number % 9 + 1} days."
        articles.append({"id": number, "title": f"Article {number}", "body": body})
    application = get_wsgi_application()
    make_server("127.0.0.1", port, application, handler_class=QuietHandler).serve_forever()
