"""Channels of agents, and what visitors of websites call."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
