from django.urls import path

from dashboard.notifications import views

urlpatterns = [
    path("notifications", views.NotificationsView.as_view(), name="notifications"),
    path("notifications/bell", views.BellView.as_view(), name="bell"),
    path("notifications/read", views.ReadAllView.as_view(), name="read_all_notifications"),
    path("notifications/mails", views.MailsView.as_view(), name="notification_mails"),
    path(
        "notifications/<uuid:notification_id>/read",
        views.ReadView.as_view(),
        name="read_notification",
    ),
    path(
        "notifications/<uuid:notification_id>/open",
        views.OpenView.as_view(),
        name="open_notification",
    ),
]
