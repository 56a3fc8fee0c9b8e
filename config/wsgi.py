"""The WSGI application that gunicorn serves, with what the first request would have to wait for."""

import os

from django.apps import apps
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()

for app in apps.get_app_configs():
    if warm_up := getattr(app, "warm_up", None):
        warm_up()
