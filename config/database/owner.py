"""The login of the tables' owner, for migrations alone, and for code that makes databases."""

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from config.environment import env

LOGIN = ("USER", "PASSWORD", "HOST", "PORT")


def log_in_as_owner(connection: BaseDatabaseWrapper) -> None:
    """Makes the connection log in with DATABASE_OWNER_URL, to the same database."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's has pools
    owner = env.db_url_config(settings.DATABASE_OWNER_URL)
    connection.settings_dict.update({name: owner[name] for name in LOGIN})
