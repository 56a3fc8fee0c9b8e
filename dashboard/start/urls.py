from django.urls import path

from dashboard.start import views

urlpatterns = [path("", views.StartView.as_view(), name="start")]
