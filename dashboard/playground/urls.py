from django.urls import path

from dashboard.playground import views

urlpatterns = [
    path("agents/<uuid:agent_id>/playground", views.PlaygroundView.as_view(), name="playground"),
    path(
        "agents/<uuid:agent_id>/playground/ask",
        views.AskView.as_view(),
        name="playground_ask",
    ),
    path(
        "agents/<uuid:agent_id>/playground/wrong",
        views.MarkWrongView.as_view(),
        name="mark_wrong",
    ),
    path("agents/<uuid:agent_id>/marks", views.MarksView.as_view(), name="agent_marks"),
    path(
        "agents/<uuid:agent_id>/marks/<uuid:mark_id>/take-back",
        views.TakeBackView.as_view(),
        name="take_back_mark",
    ),
]
