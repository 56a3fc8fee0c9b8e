"""Channels of agents, and what visitors of websites call."""

from django.urls import path

from channels.api.views import ChannelListView, ChannelView
from channels.api.visitor_views import VisitorQueryView, VisitorSessionsView

urlpatterns = [
    path("agents/<str:agent_id>/channels", ChannelListView.as_view()),
    path("agents/<str:agent_id>/channels/<str:channel_type>", ChannelView.as_view()),
    path("public/agents/<str:agent_id>/sessions", VisitorSessionsView.as_view()),
    path("public/agents/<str:agent_id>/query", VisitorQueryView.as_view()),
]
