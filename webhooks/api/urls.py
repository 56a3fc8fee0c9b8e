"""What messengers call."""

from django.urls import path

from webhooks.api import views

urlpatterns = [
    path("webhooks/messenger_a/<str:agent_id>", views.MessengerAView.as_view()),
    path("webhooks/messenger_b/agent/<str:agent_id>", views.MessengerBView.as_view()),
]
