from django.apps import AppConfig


class EverythingConfig(AppConfig):
    name = "bench.programs.everything"
    label = "everything"

    def ready(self) -> None:
        from bench.programs.everything.registering import register

        register()
