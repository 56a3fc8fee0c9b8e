"""Reading of JSON bodies, stricter than DRF's own (design §6)."""

from collections.abc import Mapping
from typing import Any, cast

from rest_framework import serializers
from rest_framework.parsers import JSONParser

from config import errors


class ObjectParser(JSONParser):
    """JSON whose top level is an object. An empty body counts as an empty object, so that fields
    are reported missing."""

    top_level: type = dict

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        try:
            data = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise errors.InvalidRequestBody("The JSON is nested too deeply.") from None
        if not isinstance(data, self.top_level):
            raise errors.InvalidRequestBody(f"The body must be a JSON {self.top_level_name()}.")
        return data

    def top_level_name(self) -> str:
        return {dict: "object", list: "array"}[self.top_level]


class StrictCharField(serializers.CharField):
    """Text that must be JSON text: DRF's own field turns numbers into strings."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return cast(str, super().to_internal_value(data))
