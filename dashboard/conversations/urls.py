from django.urls import path

from dashboard.conversations import views

urlpatterns = [
    path("conversations", views.ConversationsView.as_view(), name="conversations"),
    path(
        "conversations/<uuid:conversation_id>",
        views.ConversationView.as_view(),
        name="conversation",
    ),
]
