from django.apps import AppConfig


class EverythingConfig(AppConfig):
    name = "bench.system.programs.everything"
    label = "everything"

    def ready(self) -> None:
        from bench.system.programs.everything.registering import register

        register()
