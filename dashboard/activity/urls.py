from django.urls import path

from dashboard.activity import views

urlpatterns = [
    path("activity", views.ActivityView.as_view(), name="activity"),
    path("activity.csv", views.ActivityFileView.as_view(), name="activity_file"),
]
