from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts.staff_site.doors import find_staff
        from config.health import IS_FROM_STAFF

        IS_FROM_STAFF.append(lambda request: find_staff(request) is not None)


class BackOfficeConfig(admin_apps.AdminConfig):
    """Django's admin, with doors of our own."""

    default = False
    default_site = "accounts.staff_site.site.StaffSite"
