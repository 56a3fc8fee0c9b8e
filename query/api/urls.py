from django.urls import path

from query.api.views import AgentQueryView, QueryView

urlpatterns = [
    path("agent/query", QueryView.as_view()),
    path("agents/<str:agent_id>/query", AgentQueryView.as_view()),
]
