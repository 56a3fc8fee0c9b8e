from django.urls import path

from demo.pages import demo_page

urlpatterns = [path("demo", demo_page)]
