"""Reading of JSON bodies, stricter than DRF's own."""

from collections.abc import Mapping
from io import BytesIO
from typing import Any, ClassVar
from urllib.parse import parse_qs

from django.conf import settings
from rest_framework import serializers
from rest_framework.parsers import BaseParser, JSONParser

from config import errors


class ObjectParser(BaseParser):
    """JSON in UTF-8 (RFC 8259), whatever charset is named, whose top level is an object.

    DRF does not call it for an empty body: that is an empty object, whose fields are missing. For
    a JSONParser it would read the body first, up to Django's limit and not to ours.
    """

    media_type = JSONParser.media_type
    top_level: ClassVar[type] = dict
    top_level_name: ClassVar[str] = "object"
    max_bytes: ClassVar[int | None] = None  # as read_body has it

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        content = BytesIO(read_body(stream, max_bytes=self.max_bytes))
        try:
            data = JSONParser().parse(content, media_type, {"encoding": "utf-8"})
        except RecursionError:
            raise errors.InvalidRequestBody("The JSON is nested too deeply.") from None
        if not isinstance(data, self.top_level):
            raise errors.InvalidRequestBody(f"The body must be a JSON {self.top_level_name}.")
        return data


class ArrayParser(ObjectParser):
    """The same for an array. An empty body is still an empty object: the view refuses it."""

    top_level = list
    top_level_name = "array"


class FormBodyParser(BaseParser):
    """A form as OAuth sends it (RFC 6749, appendix B): every value of each name, in UTF-8. Empty
    ones are as good as none."""

    media_type = "application/x-www-form-urlencoded"
    max_bytes = 16 * 1024
    max_fields = 50

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, list[str]]:
        content = read_body(stream, max_bytes=self.max_bytes)
        try:
            return parse_qs(
                content.decode("ascii"), errors="strict", max_num_fields=self.max_fields
            )
        except ValueError as error:
            raise errors.InvalidRequestBody("The body is not a form in UTF-8.") from error


def read_body(stream: Any, *, max_bytes: int | None = None) -> bytes:
    """All of it, up to DATA_UPLOAD_MAX_MEMORY_SIZE, which Django keeps for its own forms only, or
    to `max_bytes`.

    Raises InvalidRequestBody past that.
    """
    limit = max_bytes or settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    content: bytes = stream.read(limit + 1)
    if len(content) > limit:
        raise errors.BodyTooLarge
    return content


class StrictCharField(serializers.CharField):
    """Text that must be JSON text: DRF's own field turns numbers into strings."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class UncheckedChoiceField(serializers.Field[str, Any, str, Any]):
    """Any text but an empty one: the service knows the choices, and refuses others with an error of
    its own. Values that are not text are read as "", which is never a choice."""

    default_error_messages = {"blank": serializers.CharField.default_error_messages["blank"]}

    def to_internal_value(self, data: Any) -> str:
        if data == "":
            self.fail("blank")
        return data if isinstance(data, str) else ""

    def to_representation(self, value: str) -> str:
        return value


class StrictIntegerField(serializers.IntegerField):
    """A JSON number without a fraction: DRF's own field takes "7", 7.0 and true."""

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return super().to_internal_value(data)


class StrictBooleanField(serializers.BooleanField):
    """JSON's true and false: DRF's own field takes "yes", 1 and 0.0."""

    default_error_messages = {"invalid": "Must be true or false."}

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data
