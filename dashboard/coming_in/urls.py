from django.urls import path

from dashboard.coming_in import views

urlpatterns = [
    path("sign-in", views.SignInView.as_view(), name="sign_in"),
    path("sign-up", views.SignInView.as_view(), name="sign_up"),
    path("sign-out", views.SignOutView.as_view(), name="sign_out"),
]
