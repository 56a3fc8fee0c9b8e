from django.urls import path

from dashboard.sources import adding, columns, views

one = "sources/<uuid:source_id>"

urlpatterns = [
    path("sources", views.SourceListView.as_view(), name="sources"),
    path("sources/states", views.SourceStatesView.as_view(), name="source_states"),
    path("sources/add", adding.AddFilesView.as_view(), name="source_add"),
    path("sources/upload", adding.UploadFileView.as_view(), name="source_upload"),
    path("sources/earlier", adding.EarlierVersionView.as_view(), name="source_earlier"),
    path("sources/add/website", adding.CheckWebsiteView.as_view(), name="source_website"),
    path("sources/add/website/new", adding.AddWebsiteView.as_view(), name="source_website_new"),
    path("sources/columns", columns.ColumnsView.as_view(), name="source_columns"),
    path(one, views.SourceView.as_view(), name="source"),
    path(f"{one}/live", views.SourceLiveView.as_view(), name="source_live"),
    path(f"{one}/move", views.MoveSourceView.as_view(), name="source_move"),
    path(f"{one}/rename", views.RenameSourceView.as_view(), name="source_rename"),
    path(f"{one}/sync", views.SyncSourceView.as_view(), name="source_sync"),
    path(f"{one}/schedule", views.ScheduleSourceView.as_view(), name="source_schedule"),
    path(f"{one}/delete", views.DeleteSourceView.as_view(), name="source_delete"),
    path(f"{one}/download", views.DownloadSourceView.as_view(), name="source_download"),
]
