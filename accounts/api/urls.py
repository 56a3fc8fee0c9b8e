from django.urls import path

from accounts.api import (
    api_tokens,
    codes,
    members,
    passwords,
    sessions,
    signup,
    tenants,
    two_factor,
)

urlpatterns = [
    path("auth/login", sessions.LoginView.as_view()),
    path("auth/refresh", sessions.RefreshView.as_view()),
    path("auth/logout", sessions.LogoutView.as_view()),
    path("auth/me", sessions.MeView.as_view()),
    path("auth/tenants", sessions.OwnTenantsView.as_view()),
    path("auth/signup", signup.SignupView.as_view()),
    path("auth/otp/send", codes.SendCodeView.as_view()),
    path("auth/otp/verify", codes.VerifyCodeView.as_view()),
    path("auth/reset-password", passwords.ResetPasswordView.as_view()),
    path("auth/change-password", passwords.ChangePasswordView.as_view()),
    path("auth/2fa/verify", two_factor.VerifyView.as_view()),
    path("auth/2fa/setup", two_factor.SetupView.as_view()),
    path("auth/2fa/confirm", two_factor.ConfirmView.as_view()),
    path("auth/2fa/disable", two_factor.DisableView.as_view()),
    path("tenants/me/api-tokens", api_tokens.ApiTokenListView.as_view()),
    path("tenants/me/api-tokens/<str:token_id>", api_tokens.ApiTokenView.as_view()),
    path("auth/activate", members.ActivationView.as_view()),
    path("tenants/me", tenants.TenantView.as_view()),
    path("tenants/me/members", members.MemberListView.as_view()),
    path("tenants/me/members/<str:user_id>", members.MemberView.as_view()),
    path("tenants/me/membership", members.OwnMembershipView.as_view()),
    path("tenants/me/company-profile", tenants.CompanyProfileView.as_view()),
]
