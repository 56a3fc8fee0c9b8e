from django.urls import path

from sources.api import views

urlpatterns = [
    path("ingest/sources", views.SourceListView.as_view()),
    path("ingest/sources/upload", views.SourceUploadView.as_view()),
    path("ingest/sources/<str:source_id>/status", views.SourceStatusView.as_view()),
]
