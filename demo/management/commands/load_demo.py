"""Loads the demo company and its website's agent once, and prints how to try it."""

import json
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from demo.loading import DemoFailed, load_demo
from demo.site import make_demo_site


class Command(BaseCommand):
    help = (
        "Loads the demo company, unless that was done before, and prints one JSON object:"
        " tenant_slug, email, password, questions. What is not known any more is null."
    )
    requires_system_checks = []  # bin/up runs this at every start, after `migrate` has done them

    def handle(self, *args: Any, **options: Any) -> None:
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        try:
            demo = load_demo(settings.DATA_DIR, self.report)
        except DemoFailed as error:
            raise CommandError(str(error)) from error
        make_demo_site(settings.DATA_DIR, base_url=settings.BASE_URL, port=settings.PORT)
        self.stdout.write(json.dumps(asdict(demo), ensure_ascii=False))

    def report(self, line: str) -> None:
        self.stderr.write(line, style_func=str)  # progress, not an error: no red
