"""The API's description for who is signed in, where it is not for everybody."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from config.rest.documentation import MEDIA_TYPE, show_docs, write_schema
from dashboard.base import EVERYBODY, DashboardView


class ApiDocsView(DashboardView):
    allowed_roles = EVERYBODY

    def get(self, request: HttpRequest) -> HttpResponse:
        return show_docs(request, reverse("dashboard:api_schema"))


class ApiSchemaView(DashboardView):
    allowed_roles = EVERYBODY

    def get(self, request: HttpRequest) -> HttpResponse:
        return HttpResponse(write_schema(MEDIA_TYPE), content_type=MEDIA_TYPE)
