from django.urls import path

from query.api.chat_views import ChatCompletionView, ModelListView, ModelView
from query.api.mail_stops import one_click_stop
from query.api.mcp import McpView, NothingBelowView
from query.api.views import AgentQueryView, QueryView

urlpatterns = [
    path("agent/query", QueryView.as_view()),
    path("agents/<str:agent_id>/query", AgentQueryView.as_view()),
    path("stop-mails/<str:token>", one_click_stop),
    path("tenants/me/mcp", McpView.as_view()),
    path("tenants/me/mcp/", NothingBelowView.as_view()),
    path("tenants/me/mcp/<path:rest>", NothingBelowView.as_view()),
    path("v1/models", ModelListView.as_view()),
    path("v1/models/<str:model>", ModelView.as_view()),
    path("v1/chat/completions", ChatCompletionView.as_view()),
]
