from django.urls import path

from dashboard.unanswered import entries, views

urlpatterns = [
    path("unanswered", views.GroupsView.as_view(), name="unanswered"),
    path("unanswered/entries", entries.EntriesView.as_view(), name="entries"),
    path("unanswered/entries/add", entries.AddEntryView.as_view(), name="add_entry"),
    path("unanswered/entries/state", entries.EntriesStateView.as_view(), name="entries_state"),
    path("unanswered/entries/<uuid:entry_id>", entries.EntryView.as_view(), name="entry"),
    path(
        "unanswered/entries/<uuid:entry_id>/delete",
        entries.DeleteEntryView.as_view(),
        name="delete_entry",
    ),
    path("unanswered/<uuid:group_id>", views.GroupView.as_view(), name="question_group"),
    path("unanswered/<uuid:group_id>/dismiss", views.DismissView.as_view(), name="dismiss_group"),
    path("unanswered/<uuid:group_id>/reopen", views.ReopenView.as_view(), name="reopen_group"),
]
