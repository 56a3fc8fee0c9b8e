"""Fields that several endpoints take."""

from typing import Any

from accounts.api.serializers.limits import EMAIL_MAX_CHARS
from accounts.models import User
from config.rest.request_body import StrictCharField


class AddressField(StrictCharField):
    """An e-mail address that may have an account. Its form is not checked: a text that is not an
    address has no account, and gets the same answer.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=EMAIL_MAX_CHARS, **options)

    def to_internal_value(self, data: Any) -> str:
        """Before its length is checked: an address may get longer in lower case."""
        return User.objects.normalize_email(super().to_internal_value(data))
