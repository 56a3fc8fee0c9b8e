"""JSON of signing up."""

from typing import Any

from rest_framework import serializers

from accounts.api.serializers.limits import EMAIL_MAX_CHARS, PASSWORD_MAX_CHARS
from accounts.models import Language, Signup
from config.rest.request_body import StrictCharField


class SignupInput(serializers.Serializer[Any]):
    email = StrictCharField(max_length=EMAIL_MAX_CHARS)
    password = StrictCharField(max_length=PASSWORD_MAX_CHARS, trim_whitespace=False)
    # The service checks these two: too long a slug has an error of its own, which is told first.
    tenant_name = StrictCharField(help_text="at most 200 characters")
    slug = StrictCharField(help_text="3 to 63 letters, digits and hyphens; kept in lower case")
    language = serializers.ChoiceField(
        choices=Language.choices,
        required=False,
        allow_null=True,
        allow_blank=True,
        help_text=(
            "language of our e-mails; by default the best match of Accept-Language, or Spanish"
        ),
    )


class SignupOutput(serializers.Serializer[Signup]):
    """The ids that the person and the workspace have once the code is verified."""

    user_id = serializers.UUIDField()
    tenant_id = serializers.UUIDField(source="id")
    tenant_slug = serializers.CharField(source="slug")
