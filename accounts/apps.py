from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class AccountsConfig(AppConfig):
    name = "accounts"


class BackOfficeConfig(admin_apps.AdminConfig):
    """Django's admin, with doors of our own."""

    default = False
    default_site = "accounts.staff_site.site.StaffSite"
