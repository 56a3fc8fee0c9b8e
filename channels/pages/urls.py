"""The widget, and the page that shows it."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
