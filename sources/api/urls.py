from django.urls import path

from sources.api import downloads, usage, views

urlpatterns = [
    path("files/<str:token>", downloads.StoredFileView.as_view()),
    path("ingest/sources", views.SourceListView.as_view()),
    path("ingest/sources/preflight", views.WebsiteCheckView.as_view()),
    path("ingest/sources/upload", views.SourceUploadView.as_view()),
    path("ingest/sources/reorder", views.SourceOrderView.as_view()),
    path("ingest/sources/<str:source_id>", views.SourceView.as_view()),
    path("ingest/sources/<str:source_id>/file", views.SourceFileView.as_view()),
    path("ingest/sources/<str:source_id>/sync", views.SourceSyncView.as_view()),
    path("ingest/sources/<str:source_id>/status", views.SourceStatusView.as_view()),
    path("ingest/sources/<str:source_id>/preview", views.SourcePreviewView.as_view()),
    path("ingest/sources/<str:source_id>/history", views.SourceHistoryView.as_view()),
    path("ingest/sources/<str:source_id>/schedule", views.SourceScheduleView.as_view()),
    path("ingest/sources/<str:source_id>/download", downloads.SourceDownloadView.as_view()),
    path("tenants/me/usage", usage.UsageView.as_view()),
]
