"""Every page: `/` says what this is, /activate is an invitation's, the rest is below /dashboard/. A
section has its own urls."""

from django.urls import include, path
from django.views.generic import RedirectView

from dashboard.coming_in.legal import TITLES
from dashboard.coming_in.views import ActivateView, DisclosureView, LandingView, LegalView

app_name = "dashboard"

sections = [
    path("", include("dashboard.coming_in.urls")),
    path("", include("dashboard.account.urls")),
    path("", include("dashboard.sources.urls")),
    path("", include("dashboard.connections.urls")),
    path("", include("dashboard.start.urls")),
    path("", include("dashboard.agents.urls")),
    path("", include("dashboard.channels.urls")),
    path("", include("dashboard.playground.urls")),
    path("", include("dashboard.conversations.urls")),
    path("", include("dashboard.unanswered.urls")),
    path("", include("dashboard.leads.urls")),
    path("", include("dashboard.notifications.urls")),
    path("", include("dashboard.workspace.urls")),
    path("", include("dashboard.activity.urls")),
]

urlpatterns = [
    path("", LandingView.as_view(), name="landing"),
    path("security", DisclosureView.as_view(), name="disclosure"),
    *(path(name, LegalView.as_view(), {"name": name}, name=name) for name in TITLES),
    path("activate", ActivateView.as_view(), name="activate"),
    path("dashboard", RedirectView.as_view(pattern_name="dashboard:start")),
    path("dashboard/", include(sections)),
]
