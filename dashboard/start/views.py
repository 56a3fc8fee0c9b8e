"""Home: how the workspace is doing."""

from django.http import HttpRequest, HttpResponse

from dashboard.base import EVERYBODY, DashboardView


class StartView(DashboardView):
    allowed_roles = EVERYBODY
    section = "start"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.render("start/start.html")
