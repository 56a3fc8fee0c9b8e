from django.apps import AppConfig


class ProductConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        import config.celery  # noqa: F401 - the application that shared tasks belong to
