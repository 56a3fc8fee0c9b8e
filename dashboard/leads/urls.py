from django.urls import path

from dashboard.leads import views

urlpatterns = [
    path("leads", views.LeadsView.as_view(), name="leads"),
    path("leads/export", views.ExportView.as_view(), name="export_leads"),
    path("leads/<uuid:lead_id>", views.LeadView.as_view(), name="lead"),
    path("leads/<uuid:lead_id>/status", views.StatusView.as_view(), name="lead_status"),
    path("leads/<uuid:lead_id>/assignee", views.AssigneeView.as_view(), name="lead_assignee"),
    path("leads/<uuid:lead_id>/notes", views.NotesView.as_view(), name="lead_notes"),
]
