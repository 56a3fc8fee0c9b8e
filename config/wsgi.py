"""The WSGI application that gunicorn serves, with what the first request would have to wait for."""

import os
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from django.apps import apps
from django.conf import settings
from django.core.signals import request_finished
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django_application = get_wsgi_application()
# A proxy ends TLS, and what it says of that any client can say: how people reach us is a setting.
SCHEME = urlsplit(settings.BASE_URL).scheme


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    environ["wsgi.url_scheme"] = SCHEME
    try:
        return django_application(environ, start_response)
    except BaseException:  # a body has not come (config.serving): the request is made again
        request_finished.send(sender=application)  # gives the database's connection back
        raise


for app in apps.get_app_configs():
    if warm_up := getattr(app, "warm_up", None):
        warm_up()
