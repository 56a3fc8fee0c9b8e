from django.urls import path

from dashboard.channels import views

urlpatterns = [
    path("agents/<uuid:agent_id>/channels", views.ChannelsView.as_view(), name="agent_channels"),
    path(
        "agents/<uuid:agent_id>/channels/<str:kind>/connect",
        views.ConnectView.as_view(),
        name="connect_channel",
    ),
    path(
        "agents/<uuid:agent_id>/channels/<str:kind>/disconnect",
        views.DisconnectView.as_view(),
        name="disconnect_channel",
    ),
    path("agents/<uuid:agent_id>/preview", views.PreviewView.as_view(), name="agent_preview"),
]
