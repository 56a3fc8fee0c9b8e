from django.urls import path

from dashboard.connections import choosing, reviewing, signing_in, typing_in, views

one = "connections/<uuid:connection_id>"

urlpatterns = [
    path("sources/connect", views.KindsView.as_view(), name="source_connect"),
    path(
        "sources/connect/sign-in",
        signing_in.SignInToAccountView.as_view(),
        name="connect_by_sign_in",
    ),
    path("sources/connect/account", typing_in.TypeInView.as_view(), name="connect_by_typing"),
    path("connections/callback", signing_in.CallbackView.as_view(), name="connection_callback"),
    path(one, views.ConnectionView.as_view(), name="connection"),
    path(f"{one}/sign-in", signing_in.SignInAgainView.as_view(), name="sign_in_again"),
    path(f"{one}/account", typing_in.TypeInAgainView.as_view(), name="type_in_again"),
    path(f"{one}/disconnect", views.DisconnectAccountView.as_view(), name="connection_disconnect"),
    path(f"{one}/choose", choosing.ChooseView.as_view(), name="connection_choose"),
    path(f"{one}/review", reviewing.ReviewView.as_view(), name="connection_review"),
    path(f"{one}/measure", reviewing.MeasureView.as_view(), name="connection_measure"),
    path(f"{one}/read", reviewing.ReadChosenView.as_view(), name="connection_read"),
]
