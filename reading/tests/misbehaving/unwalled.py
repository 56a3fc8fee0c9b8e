"""The hijacked parser where nothing confines it: shows that its attempts are real ones."""

import sys

from reading.tests.misbehaving.hijacked import extract

__all__ = ["extract"]


def nothing(*_: object, **__: object) -> None:
    pass


sys.modules["__main__"].confine = nothing  # type: ignore[attr-defined]
