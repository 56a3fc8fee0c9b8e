"""What a page reads of its address and of its form: what it never looks at makes no difference."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.http import HttpRequest, QueryDict

OF_ONE = ("__getitem__", "get", "getlist", "__contains__", "pop", "setdefault")
OF_ALL = (
    "__iter__", "keys", "values", "items", "lists", "dict", "copy", "urlencode", "__copy__",
    "__deepcopy__", "popitem", "__or__", "__ror__", "__eq__",
)  # fmt: skip


class Readings:
    """The names that were looked up, whether they were there or not, of each set of parameters."""

    def __init__(self) -> None:
        self.found: list[tuple[QueryDict, set[str]]] = []

    def note(self, given: QueryDict, *names: str) -> None:
        # It is written to while the request is parsed, which asks for names too.
        if not given._mutable:
            self.found.append((given, set(names)))

    def of(self, given: QueryDict) -> set[str]:
        return {name for other, names in self.found if other is given for name in names}


@contextmanager
def readings() -> Iterator[Readings]:
    """Of all requests that are answered meanwhile."""
    noted = Readings()
    with pytest.MonkeyPatch.context() as patch:
        for name in OF_ONE:
            patch.setattr(QueryDict, name, noting_one(noted, getattr(QueryDict, name)))
        for name in OF_ALL:
            patch.setattr(QueryDict, name, noting_all(noted, getattr(QueryDict, name)))
        full_path = HttpRequest.get_full_path

        def get_full_path(self: HttpRequest, *args: Any, **options: Any) -> str:
            noted.note(self.GET, *dict.keys(self.GET))
            return full_path(self, *args, **options)

        patch.setattr(HttpRequest, "get_full_path", get_full_path)
        yield noted


def noting_one(noted: Readings, method: Any) -> Any:
    def read(self: QueryDict, name: Any, *args: Any, **options: Any) -> Any:
        noted.note(self, name)
        return method(self, name, *args, **options)

    return read


def noting_all(noted: Readings, method: Any) -> Any:
    def read(self: QueryDict, *args: Any, **options: Any) -> Any:
        noted.note(self, *dict.keys(self))
        return method(self, *args, **options)

    return read
