from django.urls import path

from accounts.api import sessions, two_factor

urlpatterns = [
    path("auth/login", sessions.LoginView.as_view()),
    path("auth/refresh", sessions.RefreshView.as_view()),
    path("auth/logout", sessions.LogoutView.as_view()),
    path("auth/me", sessions.MeView.as_view()),
    path("auth/tenants", sessions.OwnTenantsView.as_view()),
    path("auth/2fa/verify", two_factor.VerifyView.as_view()),
    path("auth/2fa/setup", two_factor.SetupView.as_view()),
    path("auth/2fa/confirm", two_factor.ConfirmView.as_view()),
    path("auth/2fa/disable", two_factor.DisableView.as_view()),
]
