from django.apps import AppConfig


class ProductConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        import config.celery  # noqa: F401 - the application that shared tasks belong to
        from config.readiness import DETAILS
        from config.serving import shortage

        DETAILS["bodies of requests"] = shortage.tell
