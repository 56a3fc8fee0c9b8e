from django.urls import path

from dashboard.account import data, erasure, views

urlpatterns = [
    path("account", views.AccountView.as_view(), name="account"),
    path("account/language", views.LanguageView.as_view(), name="account_language"),
    path("account/password", views.PasswordView.as_view(), name="account_password"),
    path("account/two-factor", views.TwoFactorView.as_view(), name="two_factor"),
    path("account/two-factor/set-up", views.SetUpView.as_view(), name="two_factor_set_up"),
    path("account/two-factor/off", views.TurnOffView.as_view(), name="two_factor_off"),
    path("account/sessions/end", views.EndOthersView.as_view(), name="end_other_sessions"),
    path(
        "account/sessions/<uuid:session_id>/end",
        views.EndSessionView.as_view(),
        name="end_session",
    ),
    path("account/data", data.OwnDataView.as_view(), name="own_data"),
    path("account/data/<uuid:export_id>", data.OwnArchiveView.as_view(), name="own_archive"),
    path("account/erase", erasure.EraseView.as_view(), name="erase_account"),
    path("account/leave", views.LeaveView.as_view(), name="leave_workspace"),
]
