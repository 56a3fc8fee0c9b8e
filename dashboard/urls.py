"""Every page: `/` says what this is, the rest is below /dashboard/. A section has its own urls."""

from django.urls import include, path
from django.views.generic import RedirectView

from dashboard.coming_in.views import LandingView

app_name = "dashboard"

sections = [
    path("", include("dashboard.coming_in.urls")),
    path("", include("dashboard.start.urls")),
    path("", include("dashboard.workspace.urls")),
    path("", include("dashboard.activity.urls")),
]

urlpatterns = [
    path("", LandingView.as_view(), name="landing"),
    path("dashboard", RedirectView.as_view(pattern_name="dashboard:start")),
    path("dashboard/", include(sections)),
]
