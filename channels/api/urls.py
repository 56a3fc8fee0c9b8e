"""Channels of agents, and what visitors of websites call."""

from django.urls import path

from channels.api.visitor_views import VisitorQueryView, VisitorSessionsView

urlpatterns = [
    path("public/agents/<str:agent_id>/sessions", VisitorSessionsView.as_view()),
    path("public/agents/<str:agent_id>/query", VisitorQueryView.as_view()),
]
