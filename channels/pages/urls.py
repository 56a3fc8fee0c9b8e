"""The widget."""

from django.urls import path

from channels.pages.widget import widget_script

urlpatterns = [
    path("widget.js", widget_script),
]
