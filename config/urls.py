"""All addresses: no prefix, no trailing slash. What matches none answers NOT_FOUND as JSON."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from config import api_pages, health

urlpatterns = [
    path("healthz", health.LifeView.as_view()),
    path("readyz", health.ReadinessView.as_view()),
    path("schema", api_pages.SchemaView.as_view()),
    path("docs", api_pages.DocsView.as_view()),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("", include("accounts.api.urls")),
    path("", include("sources.api.urls")),
    path("", include("agents.api.urls")),
    path("", include("query.api.urls")),
    path("", include("channels.api.urls")),
    path("", include("channels.pages.urls")),
    path("", include("webhooks.api.urls")),
]

handler400 = "config.api.bad_request"
handler403 = "config.api.permission_denied"
handler404 = "config.api.not_found"
handler500 = "config.api.server_error"
