from django.urls import path

from dashboard.coming_in import by_mail, stopping, views

urlpatterns = [
    path("sign-in", views.SignInView.as_view(), name="sign_in"),
    path("sign-in/second-factor", views.SecondFactorView.as_view(), name="second_factor"),
    path("sign-in/code", by_mail.SignInByCodeView.as_view(), name="sign_in_by_code"),
    path("sign-in/code/check", by_mail.SignInCodeView.as_view(), name="sign_in_code"),
    path("sign-up", by_mail.SignUpView.as_view(), name="sign_up"),
    path("sign-up/again", by_mail.SignUpAgainView.as_view(), name="sign_up_again"),
    path("sign-up/code", by_mail.SignUpCodeView.as_view(), name="sign_up_code"),
    path("reset-password", by_mail.ForgottenView.as_view(), name="forgotten"),
    path("reset-password/code", by_mail.ResetView.as_view(), name="reset"),
    path("stop-mails/<str:token>", stopping.StopMailsView.as_view(), name="stop_mails"),
    path("workspaces", views.WorkspacesView.as_view(), name="workspaces"),
    path("workspaces/menu", views.WorkspaceMenuView.as_view(), name="workspace_menu"),
    path("sign-out", views.SignOutView.as_view(), name="sign_out"),
]
