"""All addresses: no prefix, no trailing slash. What matches none answers NOT_FOUND as JSON."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config import disclosure, health
from config.rest import documentation

admin.autodiscover()

urlpatterns = [
    path("healthz", health.LifeView.as_view()),
    path("readyz", health.ReadinessView.as_view()),
    path(".well-known/security.txt", disclosure.SecurityTxtView.as_view()),
    path("schema", documentation.SchemaView.as_view()),
    path("docs", documentation.DocsView.as_view()),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("", include("accounts.api.urls")),
    path("", include("sources.api.urls")),
    path("", include("agents.api.urls")),
    path("", include("query.api.urls")),
    path("", include("channels.api.urls")),
    path("", include("channels.pages.urls")),
    path("", include("webhooks.api.urls")),
    path("", include("dashboard.urls")),
    path("", include("demo.urls")),
]

# As pages below /dashboard/, else as JSON.
handler400 = "dashboard.problems.bad_request"
handler403 = "dashboard.problems.permission_denied"
handler404 = "dashboard.problems.not_found"
handler500 = "dashboard.problems.server_error"
