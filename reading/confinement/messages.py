"""The messages between a worker (sandbox.py) and the confined process (server.py). Django-free.

The confined process is not trusted: its records are JSON lines of bounded size, and every field is
checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from reading.confinement.limits import Limits
from reading.member_names import clean_member_name
from reading.passages import (
    MEMBER_MAX_BYTES,
    MEMBERS_MAX,
    MEMBERS_MAX_BYTES,
    Block,
    Member,
)
from reasons import InvalidReason, Reason

EXIT_UNCONFINED = 70  # the process could not be confined and has not touched the file
EXIT_BROKEN_PIPE = 71  # the worker has read enough
STOP = b"stop"  # the word of a worker that has read enough
REQUEST_MAX_BYTES = 4096
RESULT_MAX_BYTES = 96 * 1024 * 1024  # 50,000 passages of the greatest length
# Of one line: whatever a hostile one holds, decoded it takes less than 300 MB of the worker.
RECORD_MAX_BYTES = 8 * 1024 * 1024
BLOCK_MAX_CHARS = (
    1_000_000  # of a line; a longer block comes in several, in UTF-8 half of the above
)
BLOCKS_MAX = 500_000  # ten short ones a passage
MESSAGE_MAX_CHARS = 2000
WARNINGS_MAX = 50  # of a file
WARNING_MAX_CHARS = 500  # of a text in a reason
REASON_MAX_BYTES = 20_000
PAGES_MAX = 1_000_000


# NUL and halves of surrogate pairs: an honest process has cleaned them away, and writes other
# characters as they are.
# A backslash of the text itself is written as two.
UNSTORABLE_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\u(?:0000|[dD][89a-fA-F])")


class InvalidMessage(Exception):
    """The other side sent an invalid message."""


@dataclass(frozen=True)
class Request:
    """One extractor over one file. `options`: its settings (interface.Extractor)."""

    extractor: str
    limits: Limits
    options: Mapping[str, str] = field(default_factory=dict)

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> Request:
        fields = json.loads(data)
        return cls(
            extractor=fields["extractor"],
            limits=Limits(**fields["limits"]),
            options=fields["options"],
        )


@dataclass(frozen=True)
class JobReport:
    """How the confined process ended. `status` as os.waitstatus_to_exitcode: negative, the number
    of a signal.
    """

    status: int
    timed_out: bool
    cpu_seconds: float
    peak_bytes: int

    def encode(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def decode(cls, data: bytes) -> JobReport:
        return cls(**json.loads(data))


@dataclass(frozen=True)
class JobResult:
    """The result of the confined process: facts, blocks and warnings, or the refusal of the file,
    or its own failure."""

    blocks: tuple[Block, ...] = ()
    warnings: tuple[Reason, ...] = ()
    pages: int = 0
    refusal: Reason | None = None
    failure: str = ""
    is_complete: bool = False
    facts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    members: tuple[Member, ...] = ()


def divide(block: Block) -> Iterator[Block]:
    """Into blocks that each fit into a record, between two words: a text file may be one line."""
    text = block.text
    while len(text) > BLOCK_MAX_CHARS:
        end = text.rfind(" ", 1, BLOCK_MAX_CHARS)
        end = end if end > 0 else BLOCK_MAX_CHARS
        yield replace(block, text=text[:end])
        text = text[end:].lstrip()
    yield replace(block, text=text)


def encode_block(block: Block) -> bytes:
    place = [block.text, block.location, block.section_title]
    return encode_record([*place, block.is_heading, block.is_recognised, block.is_aside])


def encode_facts(facts: Mapping[str, Sequence[str]]) -> bytes:
    return encode_record({"facts": {name: list(values) for name, values in facts.items()}})


def encode_member(member: Member) -> bytes:
    """The only record that is followed by bytes: a hundred files as JSON would be four copies more
    of each."""
    record = {
        "member": member.name,
        "refusal": encode_reason(member.refusal),
        "bytes": len(member.content),
    }
    return encode_record(record) + member.content


def encode_end(
    *,
    warnings: Sequence[Reason] = (),
    pages: int = 0,
    refusal: Reason | None = None,
    failure: str = "",
) -> bytes:
    return encode_record(
        {
            "warnings": [encode_reason(each) for each in warnings[:WARNINGS_MAX]],
            "pages": pages,
            "refusal": encode_reason(refusal),
            "failure": failure[:MESSAGE_MAX_CHARS],
        }
    )


def encode_reason(reason: Reason | None) -> object:
    return reason.change_texts(lambda text: text[:WARNING_MAX_CHARS]).to_json() if reason else None


def encode_record(record: object) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode_result(data: bytes) -> JobResult:
    """Raises InvalidMessage when anything is not as an honest process writes it."""
    blocks: list[Block] = []
    members: list[Member] = []
    members_bytes = 0
    facts: dict[str, tuple[str, ...]] = {}
    records = Records(data)
    for line in records:
        match decode_record(line):
            case [str(text), str(location), str(section), bool(heading), bool(seen), bool(aside)]:
                blocks.append(Block(text, location, section, heading, seen, aside))
            case {"facts": dict(given)} if not facts and not blocks:
                facts = read_facts(given)
            case {"member": str(name), "refusal": refusal, "bytes": int(size)}:
                members.append(read_member(name, refusal, records, size))
                members_bytes += size
            case {
                "warnings": list(warnings),
                "pages": int(pages),
                "refusal": refusal,
                "failure": str(failure),
            }:
                return JobResult(
                    blocks=tuple(blocks),
                    warnings=read_warnings(warnings),
                    pages=min(max(pages, 0), PAGES_MAX),
                    refusal=read_refusal(refusal),
                    failure=failure[:MESSAGE_MAX_CHARS],
                    is_complete=True,
                    facts=facts,
                    members=tuple(members),
                )
            case _:
                raise InvalidMessage("a record of no known form")
        if len(blocks) > BLOCKS_MAX:
            raise InvalidMessage("too many blocks")
        if len(members) > MEMBERS_MAX or members_bytes > MEMBERS_MAX_BYTES:
            raise InvalidMessage("too many files")
    return JobResult(tuple(blocks))


def read_warnings(given: list[Any]) -> tuple[Reason, ...]:
    if len(given) > WARNINGS_MAX:
        raise InvalidMessage("too many warnings")
    return tuple(map(read_reason, given))


def read_refusal(given: object) -> Reason | None:
    return None if given is None else read_reason(given)


def read_reason(given: object) -> Reason:
    """Raises InvalidMessage, also for a reason that is far longer than an honest process makes."""
    if len(json.dumps(given)) > REASON_MAX_BYTES:
        raise InvalidMessage("a reason that is too long")
    try:
        return Reason.from_json(given)
    except InvalidReason as error:
        raise InvalidMessage("not a reason") from error


def read_facts(given: dict[Any, Any]) -> dict[str, tuple[str, ...]]:
    facts = {name: tuple(values) for name, values in given.items() if isinstance(values, list)}
    texts = [text for values in facts.values() for text in values]
    if len(facts) < len(given) or not all(isinstance(text, str) for text in texts):
        raise InvalidMessage("facts that are not texts")
    return facts


def read_member(name: str, refusal: object, records: Records, size: int) -> Member:
    if not 0 <= size <= MEMBER_MAX_BYTES:
        raise InvalidMessage("a file of an impossible size")
    return Member(clean_member_name(name), records.take(size), read_refusal(refusal))


class Records:
    """The lines of `data`, and the bytes that follow one of them. A record that was cut off by the
    end of its process is none.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def __iter__(self) -> Iterator[bytes]:
        while (end := self._data.find(b"\n", self._position)) >= 0:
            start, self._position = self._position, end + 1
            if end - start > RECORD_MAX_BYTES:
                raise InvalidMessage("a record that is too long")
            yield self._data[start:end]

    def take(self, size: int) -> bytes:
        start, self._position = self._position, min(self._position + size, len(self._data))
        return self._data[start : self._position]


def decode_record(line: bytes) -> object:
    try:
        text = line.decode()
        record: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidMessage("a record that is not JSON") from error
    if UNSTORABLE_ESCAPE.search(text):
        raise InvalidMessage("characters that no database stores")
    return record
