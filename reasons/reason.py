"""A reason as a value: a stable code, and the values that its text in the catalogue names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from reasons.catalogue import TEXTS

Value: TypeAlias = "str | int | float | Reason | tuple[Reason, ...]"

DEPTH_MAX = 5  # of reasons within each other; the deepest of ours has three
LIST_MAX = 100  # reasons in one value
PLACEHOLDER = re.compile(r"%\((\w+)\)s")


class InvalidReason(ValueError):
    """A code that the catalogue does not have, or values that its text does not name."""


class ReasonedError(Exception):
    """An exception that carries the reason for which it is raised."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason
        super().__init__(str(reason))


@dataclass(frozen=True, init=False, repr=False)
class Reason:
    """Why something failed, was left out or has to wait.

    `Reason("too_large_for_limit", limit=50)`. An int is an amount and is written with its thousands
    apart; a number that is a name (a port, an HTTP status) is given as a text. Raises
    InvalidReason: code and values have to fit the catalogue.
    """

    code: str
    _values: tuple[tuple[str, Value], ...]

    def __init__(self, code: str, /, **values: Value) -> None:
        expected = PLACEHOLDERS.get(code)
        if expected is None or expected != values.keys():
            raise InvalidReason(f"{code} with the values {', '.join(sorted(values)) or 'none'}")
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "_values", tuple(sorted(values.items())))

    def __str__(self) -> str:
        """Return the reason in plain English."""
        return self.render()

    def __repr__(self) -> str:
        values = "".join(f", {name}={value!r}" for name, value in self._values)
        return f"Reason({self.code!r}{values})"

    @property
    def values(self) -> dict[str, Value]:
        return dict(self._values)

    @property
    def main_code(self) -> str:
        """Return the code that a client is told: that of the first of several, without its
        document's name."""
        match self.values:
            case {"reasons": (Reason() as first, *_)} if self.code == "several":
                return first.main_code
            case {"reason": Reason() as inner} if self.code == "of_document":
                return inner.main_code
        return self.code

    def render(
        self,
        translate: Callable[[str], str] = str,
        write_number: Callable[[int | float], str] = "{:,}".format,
    ) -> str:
        """Return the text with its values. `translate`: of a text in the catalogue."""

        def write(value: Value) -> str:
            match value:
                case Reason():
                    return value.render(translate, write_number)
                case tuple():
                    return " ".join(map(write, value))
                case str():
                    return value
            return write_number(value)

        return (translate(TEXTS[self.code]) % {n: write(v) for n, v in self._values}).strip()

    def change_texts(self, change: Callable[[str], str]) -> Reason:
        """Return the reason with each text among its values changed, within reasons too."""

        def changed(value: Value) -> Value:
            match value:
                case Reason():
                    return value.change_texts(change)
                case tuple():
                    return tuple(each.change_texts(change) for each in value)
                case str():
                    return change(value)
            return value

        return Reason(self.code, **{name: changed(value) for name, value in self._values})

    def to_json(self) -> dict[str, Any]:
        def plain(value: Value) -> object:
            match value:
                case Reason():
                    return value.to_json()
                case tuple():
                    return [each.to_json() for each in value]
            return value

        return {"code": self.code, "values": {name: plain(value) for name, value in self._values}}

    @classmethod
    def from_json(cls, given: object, *, depth: int = DEPTH_MAX) -> Reason:
        """Return the reason that `to_json` wrote. Raises InvalidReason for anything else: what a
        process sends that an attacker may have taken over is read with this too."""
        match given:
            case {"code": str(code), "values": dict(values), **rest} if not rest and depth:
                return cls(code, **{str(n): value_of(v, depth - 1) for n, v in values.items()})
        raise InvalidReason("not a reason")


def value_of(given: object, depth: int) -> Value:
    match given:
        case bool():
            raise InvalidReason("a value of no known kind")
        case str() | int() | float():
            return given
        case list() if len(given) <= LIST_MAX:
            return tuple(Reason.from_json(each, depth=depth) for each in given)
        case dict():
            return Reason.from_json(given, depth=depth)
    raise InvalidReason("a value of no known kind")


def join_reasons(first: Reason, *others: Reason) -> Reason:
    """Return one reason that says all of these, one after the other."""
    return Reason("several", reasons=(first, *others)) if others else first


def as_reason(given: Reason | str) -> Reason:
    """Return the reason; a text that has no code becomes one with the code "text"."""
    return given if isinstance(given, Reason) else Reason("text", text=given)


def is_reason(given: object) -> bool:
    """Tell whether this JSON holds a reason, where reasons and other values stand together."""
    return isinstance(given, Mapping) and given.keys() == {"code", "values"}


PLACEHOLDERS = {code: frozenset(PLACEHOLDER.findall(text)) for code, text in TEXTS.items()}
