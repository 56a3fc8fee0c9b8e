from django.urls import path

from accounts.api import sessions

urlpatterns = [
    path("auth/login", sessions.LoginView.as_view()),
    path("auth/refresh", sessions.RefreshView.as_view()),
    path("auth/logout", sessions.LogoutView.as_view()),
    path("auth/me", sessions.MeView.as_view()),
    path("auth/tenants", sessions.OwnTenantsView.as_view()),
]
