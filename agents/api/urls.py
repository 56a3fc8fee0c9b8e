from django.urls import path

from agents.api.views import AgentListView, AgentScopeView, AgentView

urlpatterns = [
    path("agents", AgentListView.as_view()),
    path("agents/<str:agent_id>", AgentView.as_view()),
    path("agents/<str:agent_id>/sources", AgentScopeView.as_view()),
]
