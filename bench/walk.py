"""Counts the way that a message takes through the code while it is answered.

One fixed message is asked of a small indexed company through `query.pipeline`, under
`sys.setprofile`, and the calls that hand it on are written down in their order. The company has a
conversation already, so that the message is a follow-up.

- A *stop* is a call of a function of ours that is on the message's way: its caller is, and one of
  its arguments is the message, holds it (an inquiry, a question), or is a part of it (a word). The
  same call, from one function to another, is one stop however often it is made: a loop over words
  is one way. Caches of words are emptied before, so that no stop is hidden by an earlier message.
- A *room* is a file of ours, or a folder: everything is counted by both.
- A *stay* is a run of stops in one room. Reading an attribute is not a stop, though what its
  getter calls is followed; nor is the way back from a call.
- A *climb* is a stay whose room lies on a higher layer (import-linter's, in pyproject.toml) than
  the room of the stay before it: the message was taken down to be read, and comes up again.
- A *return* is a stay in a room that the message had left before: stays are rooms and returns.
- An *entry into language/* is a stay there that begins from outside of it; the stays there are
  counted, too.
"""

from __future__ import annotations

import functools
import gc
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from inspect import isfunction
from itertools import groupby, pairwise
from pathlib import Path
from types import CodeType, FrameType, GeneratorType
from typing import Any

from language.words import WORD, fold

ROOT = Path(__file__).resolve().parent.parent
OUTSIDE = ("bench", ".venv", "var")
PART_MIN_CHARS = 4  # of a word that is told from "es" and "en"
NESTED = 2  # how deep in an argument the message is looked for
LOOKED_AT = 20  # of the things in a collection
LONGER = 3  # times as long as the message: a text that only happens to share its words
LANGUAGE = "language"


@dataclass(frozen=True)
class Walk:
    """The rooms of a message's stops, in their order."""

    stops: tuple[str, ...]

    @property
    def stays(self) -> tuple[str, ...]:
        return tuple(room for room, _ in groupby(self.stops))

    @property
    def rooms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.stops))

    @property
    def by_folder(self) -> Walk:
        """The same walk with folders as its rooms."""
        return Walk(tuple(str(Path(room).parent) for room in self.stops))

    @property
    def returns(self) -> int:
        return len(self.stays) - len(self.rooms)

    @property
    def climbs(self) -> int:
        floor_of = read_floors()
        return sum(floor_of(room) > floor_of(before) for before, room in pairwise(self.stays))

    @property
    def language_entries(self) -> Counter[str]:
        """The entries into language/, by room."""
        return Counter(
            room
            for before, room in pairwise(("", *self.stays))
            if is_language(room) and not is_language(before)
        )

    @property
    def figures(self) -> dict[str, int]:
        return {
            "rooms": len(self.rooms),
            "stays": len(self.stays),
            "climbs": self.climbs,
            "returns": self.returns,
            "stays in language/": sum(map(is_language, self.stays)),
            "entries into language/": self.language_entries.total(),
        }


def is_language(room: str) -> bool:
    return room.partition("/")[0] == LANGUAGE


# --- Layers -------------------------------------------------------------------------------------


@functools.cache
def read_floors() -> Callable[[str], tuple[int, int]]:
    """Returns a function that tells a room's floor: that of its app, and its own in the app; the
    larger, the higher."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = {one["id"]: floors(one["layers"]) for one in contracts if one["type"] == "layers"}

    def floor_of(room: str) -> tuple[int, int]:
        app, *inside = Path(room).with_suffix("").parts
        return layers["apps"][app], layers.get(app, {}).get(inside[0] if inside else "", 0)

    return floor_of


def floors(layers: Sequence[str]) -> dict[str, int]:
    return {
        name.strip(): number
        for number, layer in enumerate(reversed(layers), start=1)
        for name in layer.replace(":", "|").split("|")
    }


# --- Following a message ------------------------------------------------------------------------


@dataclass
class Follower:
    """Follows a message through the calls of a thread: `with Follower(text) as follower`."""

    text: str
    stops: list[str] = field(default_factory=list)
    made: set[tuple[CodeType | None, CodeType]] = field(default_factory=set)
    known: dict[FrameType, bool] = field(default_factory=dict)
    getters: frozenset[CodeType] = frozenset()

    def __post_init__(self) -> None:
        self.folded = fold(self.text)
        self.words = {word for word in WORD.findall(self.folded) if len(word) >= PART_MIN_CHARS}

    def __enter__(self) -> Follower:
        empty_caches()
        self.getters = frozenset(getters())
        sys.setprofile(self.see)
        return self

    def __exit__(self, *error: object) -> None:
        sys.setprofile(None)
        self.known.clear()

    def see(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame not in self.known and room_of(frame.f_code):
            self.known[frame] = self.is_on_the_way(frame)

    def is_on_the_way(self, frame: FrameType) -> bool:
        """Tells whether the call is, and writes down where it leads when it is a new one."""
        caller = caller_of(frame)
        if self.stops and not self.known.get(caller or frame):
            return False
        code = frame.f_code
        if code.co_name.startswith("<") or code in self.getters:
            return True  # a comprehension is a part of its function
        if not any(self.holds(value) for value in arguments_of(frame)):
            return False
        call = (caller.f_code if caller else None, code)
        if call not in self.made:
            self.made.add(call)
            self.stops.append(room_of(code))
        return True

    def holds(self, value: Any, depth: int = NESTED, *, is_part: bool = True) -> bool:
        if isinstance(value, str):
            return self.is_message(value) or (is_part and self.is_part(value))
        if isinstance(value, (list, tuple, set, frozenset)):
            few = list(value)[:LOOKED_AT]
            held = sum(self.holds(one, depth - 1, is_part=is_part) for one in few if depth)
            return bool(held) and 2 * held >= len(few)
        if isinstance(value, GeneratorType):  # which begins when it is asked for its first value
            return value.gi_frame is not None and any(map(self.holds, arguments_of(value.gi_frame)))
        fields = vars(value) if hasattr(value, "__dataclass_fields__") else {}
        return depth > 0 and any(
            self.holds(one, depth - 1, is_part=False) for one in fields.values()
        )

    def is_message(self, text: str) -> bool:
        """Tells whether the text is the message, perhaps written another way."""
        if len(text) > LONGER * len(self.text):
            return False
        said = {word for word in WORD.findall(fold(text)) if len(word) >= PART_MIN_CHARS}
        return len(said & self.words) * 2 >= max(len(said), len(self.words))

    def is_part(self, text: str) -> bool:
        plain = fold(text).strip()
        return len(plain) >= PART_MIN_CHARS and plain in self.folded


def room_of(code: CodeType) -> str:
    """The file of ours that the code stands in; "" for all other code."""
    return room_at(code.co_filename)


@functools.cache
def room_at(filename: str) -> str:
    path = Path(filename)
    if not path.is_relative_to(ROOT):
        return ""
    room = path.relative_to(ROOT)
    return "" if room.parts[0] in OUTSIDE or len(room.parts) < 2 else str(room)


def caller_of(frame: FrameType) -> FrameType | None:
    """The nearest frame of ours above this one."""
    caller = frame.f_back
    while caller is not None and not room_of(caller.f_code):
        caller = caller.f_back
    return caller


def arguments_of(frame: FrameType) -> list[Any]:
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    return [frame.f_locals.get(name) for name in code.co_varnames[:count]]


def getters() -> Iterator[CodeType]:
    """The code of all properties."""
    for one in gc.get_objects():
        if isinstance(one, property) and isfunction(one.fget):
            yield one.fget.__code__
        elif isinstance(one, functools.cached_property):
            yield one.func.__code__


def empty_caches() -> None:
    """Empties what is remembered of words; what is read once, as a list of words is, stays."""
    for one in gc.get_objects():
        if isinstance(one, functools._lru_cache_wrapper) and is_of_words(one):
            one.cache_clear()


def is_of_words(cached: functools._lru_cache_wrapper[Any]) -> bool:
    module = getattr(cached, "__module__", "") or ""
    is_ours = module.startswith(("language.", "query."))
    return is_ours and cached.cache_parameters()["maxsize"] is not None


def as_text(walk: Walk, *, shows_stays: bool) -> str:
    folders = walk.by_folder.figures
    lines = [f"{'by':24} file folder"]
    lines += [f"{name:24} {value:4} {folders[name]:6}" for name, value in walk.figures.items()]
    lines += [f"  {room:30} {count:3}" for room, count in walk.language_entries.most_common()]
    if shows_stays:
        lines += ["", *numbered(walk.stays)]
    return "\n".join(lines)


def numbered(stays: Iterable[str]) -> list[str]:
    return [f"{number:3}. {room}" for number, room in enumerate(stays, start=1)]
