"""Precision and recall of purchase intent and of contact data, on bench/leads.jsonl.

Usage: .venv/bin/python -m bench.evaluation.score_leads [--mistakes [SPLIT]]

The dialogues are our own. The rules were made on "dev"; "test" was written after them and read once
before its mistakes were looked at: docs/decisions/0013-leads.md has the figures of that first
reading, which are what to expect of new messages. Those of today tell whether a change made
something worse. Contact data counts by the field: a wrong value is a false one and a missed one.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from language.message import read_message  # noqa: E402 - needs the path
from query.leads.contacts import read_contact  # noqa: E402 - needs the path
from query.leads.intent import shows_intent  # noqa: E402

FILE = ROOT / "bench" / "leads.jsonl"
FIELDS = ("email", "phone", "name")
REGIONS = {"es": ("ES",), "en": ("GB", "US")}  # of dialogues that name no country


@dataclass
class Tally:
    right: int = 0
    false: int = 0
    missed: int = 0

    def count(self, expected: str, found: str) -> None:
        self.right += bool(expected) and expected == found
        self.false += bool(found) and expected != found
        self.missed += bool(expected) and expected != found

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.false) if self.right + self.false else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


@dataclass(frozen=True)
class Reading:
    """A message: what should be read from it, by field, and what was."""

    dialogue: dict[str, Any]
    text: str
    expected: dict[str, str]
    found: dict[str, str]


def read_dialogues() -> list[dict[str, Any]]:
    return [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def readings() -> Iterator[Reading]:
    for dialogue in read_dialogues():
        country = dialogue.get("country")
        regions = (country,) if country else REGIONS[dialogue["language"]]
        for message in dialogue["messages"]:
            text = message["text"]
            contact = asdict(read_contact(text, regions))
            yield Reading(
                dialogue,
                text,
                {"intent": "yes" * message["intent"], **(message["contact"] or {})},
                {"intent": "yes" * shows_intent(read_message(text))}
                | {f: contact[f] for f in FIELDS},
            )


def tally() -> dict[tuple[str, str, str], Tally]:
    """By split, language ("all" for both together) and field."""
    tallies: dict[tuple[str, str, str], Tally] = defaultdict(Tally)
    for reading in readings():
        for field in ("intent", *FIELDS):
            expected, found = reading.expected.get(field, ""), reading.found[field]
            for split in (reading.dialogue["split"], "all"):
                for language in (reading.dialogue["language"], "all"):
                    tallies[split, language, field].count(expected, found)
                    if field in ("email", "phone"):
                        tallies[split, language, "contact"].count(expected, found)
    return tallies


def print_mistakes(split: str) -> None:
    for reading in readings():
        if reading.dialogue["split"] != split:
            continue
        for field in ("intent", *FIELDS):
            expected, found = reading.expected.get(field, ""), reading.found[field]
            if expected != found:
                print(f"{reading.dialogue['id']} {field}: {expected!r} read as {found!r}")
                print(f"    {reading.text}")


def main() -> None:
    if "--mistakes" in sys.argv:
        print_mistakes(sys.argv[2] if len(sys.argv) > 2 else "dev")
        return
    tallies = tally()
    print("split  language  field     precision  recall   right false missed")
    for split in ("dev", "test", "all"):
        for language in ("es", "en", "all"):
            for field in ("intent", "contact", *FIELDS):
                one = tallies[split, language, field]
                print(
                    f"{split:6} {language:9} {field:9} {one.precision:9.3f} {one.recall:7.3f}"
                    f"   {one.right:5} {one.false:5} {one.missed:6}"
                )


if __name__ == "__main__":
    main()
