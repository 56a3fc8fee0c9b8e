"""How a person wants to be served, in whichever tenant."""

from accounts.models import Language, User
from config.errors import InvalidValue


def choose_language(user: User, language: str) -> None:
    """Sets the language of the person's pages; "" follows the browser. Raises InvalidValue."""
    if language and language not in Language.values:
        raise InvalidValue("The language must be es, en or empty.")
    user.language = language
    user.save(update_fields=["language"])
