from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.http import HttpRequest


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from config.readiness import IS_FROM_STAFF

        IS_FROM_STAFF.append(is_from_staff)


class BackOfficeConfig(admin_apps.SimpleAdminConfig):
    """Django's admin, with doors of our own. Its pages load all services: they are found together
    with the addresses (config/urls.py), not by each command."""

    default = False
    default_site = "accounts.staff_site.site.StaffSite"


def is_from_staff(request: HttpRequest) -> bool:
    from accounts.staff_site.doors import (
        find_staff,  # with its first request, not with each command
    )

    return find_staff(request) is not None
