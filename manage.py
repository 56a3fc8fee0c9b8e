#!/usr/bin/env python
"""Django's command line. `bin/manage` runs it inside .venv with the embedded services up."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from config.database.acting import over_all_tenants
    from config.security.memory import hide_memory

    hide_memory()
    try:
        with over_all_tenants():  # commands are maintenance; `migrate` says otherwise
            execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"manage.py: {error}")  # it names the variable: a traceback would only hide that


if __name__ == "__main__":
    main()
