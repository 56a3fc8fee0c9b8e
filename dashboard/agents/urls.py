from django.urls import path

from dashboard.agents import views

urlpatterns = [
    path("agents", views.AgentsView.as_view(), name="agents"),
    path("agents/new", views.NewAgentView.as_view(), name="new_agent"),
    path("agents/<uuid:agent_id>", views.AgentPageView.as_view(), name="agent"),
    path(
        "agents/<uuid:agent_id>/settings",
        views.AgentSettingsView.as_view(),
        name="agent_settings",
    ),
    path("agents/<uuid:agent_id>/sources", views.ScopeView.as_view(), name="agent_scope"),
    path("agents/<uuid:agent_id>/sources/add", views.AddToScopeView.as_view(), name="agent_add"),
    path(
        "agents/<uuid:agent_id>/sources/remove",
        views.RemoveFromScopeView.as_view(),
        name="agent_remove",
    ),
    path("agents/<uuid:agent_id>/sources/all", views.WholeScopeView.as_view(), name="agent_all"),
    path("agents/<uuid:agent_id>/delete", views.DeleteAgentView.as_view(), name="delete_agent"),
]
