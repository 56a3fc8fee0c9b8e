"""The widget, and the page that shows it."""

from django.urls import path

from channels.pages.demo import demo_page
from channels.pages.widget import widget_script

urlpatterns = [
    path("widget.js", widget_script),
    path("demo", demo_page),
]
