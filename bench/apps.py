from django.apps import AppConfig


class BenchConfig(AppConfig):
    """The laboratory's commands: `bin/manage evaluate`, `calibrate` and `bench`."""

    name = "bench"
