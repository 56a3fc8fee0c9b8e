"""The checker of bench.system.chaos by itself: what it must notice, and what it must not mind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.system.chaos.book import (
    Book,
    Bookkeeper,
    Doubles,
    judge_mails,
    judge_responses,
    judge_texts,
)
from bench.system.chaos.canaries import Canary
from bench.system.chaos.facts import codes_in
from bench.system.chaos.ledger import Entry, Ledger
from bench.system.chaos.sampling import read_lives

pytestmark = pytest.mark.slow

OWN, OTHER = "BCDF-000001", "GHJK-000002"
MESSAGE = {"tenant": "acorn", "account": "bot", "chat": "7", "code": OWN, "messenger": "telegram"}
TEXT = {"account": "bot", "chat": "7", "codes": [OWN], "text": OWN}
MAIL = {"to": "sales@acorn.example", "subject": "A lead", "text": "eva@buyer.example"}


class Story:
    """A ledger, line by line, each at a second of its own choice."""

    def __init__(self, folder: Path) -> None:
        self.ledger, self.folder = Ledger(folder), folder
        for tenant, code in (("acorn", OWN), ("birch", OTHER)):
            self.tell("fact", 0, tenant=tenant, code=code, where="upload")

    def tell(self, kind: str, second: float, **fields: Any) -> None:
        self.ledger.note(kind, **{**fields, "at": second})

    def answer(self, second: float, *codes: str, expects: str = "own") -> None:
        told = {"tenant": "acorn", "code": OWN, "codes": list(codes), "text": ""}
        self.tell("answer", second, expects=expects, started=second - 0.5, **told)

    def error(self, second: float, status: int, text: str = "") -> None:
        told = {"what": "ask", "seconds": 0.5, "request_id": "", "retry_after": ""}
        self.tell("response", second, status=status, text=text, **told)

    def kill(self, second: float, target: str, *, recovered: float) -> None:
        self.tell("kill", second, target=target, signal="SIGKILL", pid=1)
        for asked in (recovered - 1, recovered):
            self.tell("readiness", asked, status=200, asked=asked)

    def read(self) -> Book:
        return Bookkeeper(self.folder).read()


@pytest.fixture
def story(tmp_path: Path) -> Iterator[Story]:
    story = Story(tmp_path)
    yield story
    story.ledger.close()


def whats(book: Book) -> list[str]:
    return [finding.what for finding in book.findings]


def test_answers_are_judged_by_whose_fact_they_name(story: Story):
    story.answer(1, OWN)
    assert whats(story.read()) == []
    story.answer(2, OWN, OTHER)
    story.answer(3, OWN, "XXXX-999999")
    story.answer(4)
    assert whats(story.read()) == ["A LEAK", "an invented code", "not answered"]


def test_what_was_deleted_may_answer_until_then(story: Story):
    story.tell("delete tried", 1, tenant="acorn", codes=[OWN], source="s")
    story.answer(2, OWN)
    story.answer(2.5)
    story.tell("deleted", 3, tenant="acorn", codes=[OWN], source="s")
    story.answer(3.2, OWN)  # it was asked before
    assert whats(story.read()) == []
    story.answer(5, OWN, expects="deleted")
    assert whats(story.read()) == ["answered after its end"]


@pytest.mark.parametrize(
    ("target", "status", "second", "is_fault"),
    [
        ("postgres", 503, 11, False),
        ("postgres", 503, 9, True),  # before it
        ("postgres", 503, 60, True),  # long after it
        ("postgres", 500, 11, True),
        ("postgres", 0, 11, True),  # the web server lives
        ("web child", 0, 11, False),
        ("postgres", 429, 11, True),
    ],
)
def test_errors_are_explained_by_kills(
    story: Story, target: str, status: int, second: float, is_fault: bool
):
    story.error(second - 3 if second < 10 else second, status)
    story.kill(10, target, recovered=15)
    assert len(judge_responses(story.read())) == is_fault


def test_a_500_of_the_interface_is_explained_likewise(story: Story):
    story.error(11, 500, "ACTIVATION_FAILED")
    assert len(judge_responses(story.read())) == 1
    story.kill(10, "postgres", recovered=15)
    assert judge_responses(story.read()) == []


@pytest.mark.parametrize(("killed_at", "explained"), [(20.5, 1), (40, 0)])
def test_a_second_reply_needs_a_kill_at_the_first(story: Story, killed_at: float, explained: int):
    story.tell("message taken", 19, **MESSAGE)
    story.tell("text sent", 20, **TEXT)
    story.tell("text sent", 100, **TEXT)
    story.kill(killed_at, "webhooks", recovered=killed_at + 5)
    doubles, book = Doubles(), story.read()
    assert judge_texts(book, doubles) == []
    assert (doubles.explained, len(doubles.findings)) == (explained, 1 - explained)


def test_messages_without_their_own_answer_are_noticed(story: Story):
    story.tell("message taken", 1, **MESSAGE)
    assert found_in_texts(story) == ["a message was not answered"]
    story.tell("text sent", 2, **{**TEXT, "codes": [OTHER]})
    assert found_in_texts(story) == ["a wrong reply", "A LEAK"]


def found_in_texts(story: Story) -> list[str]:
    return [finding.what for finding in judge_texts(story.read(), Doubles())]


def test_a_lead_that_nobody_was_told_of_is_noticed(story: Story):
    story.tell("lead accepted", 1, tenant="acorn", session="s", email="eva@buyer.example")
    (finding,) = judge_mails(story.read(), Doubles())
    assert finding.what == "a lead's mail was not sent"
    story.tell("mail taken", 2, **MAIL)
    assert judge_mails(story.read(), Doubles()) == []


def test_pages_of_an_older_version_are_gone_after_the_next_sync(story: Story):
    for second, code in ((1, OWN), (3, OTHER)):
        version = {"tenant": "acorn", "source": "s", "codes": [code]}
        story.tell("website changed", second, **version)
        story.tell("website synced", second + 1, **version)
    book = story.read()
    assert (book.gone, book.live_codes()) == ({OWN: 4}, {OTHER})
    assert book.versions == {OWN: 1, OTHER: 2}


def test_a_line_that_is_being_written_is_read_later(story: Story):
    keeper = Bookkeeper(story.folder)
    line = b'{"at": 1, "kind": "bench failed", "act": "x", "error": "y"}\n'
    with story.ledger.path.open("ab") as file:
        file.write(line[:20])
        file.flush()
        assert keeper.read().findings == []
        file.write(line[20:])
    assert whats(keeper.read()) == ["the bench itself failed"]


@pytest.mark.parametrize(("megabytes_a_minute", "is_growing"), [(0.5, False), (15.0, True)])
def test_memory_is_flat_or_not(tmp_path: Path, megabytes_a_minute: float, is_growing: bool):
    ledger = Ledger(tmp_path, "samples")
    for age in range(10, 600, 10):
        told: Entry = {"role": "web", "life": "1 2", "age": age, "files": 9}
        warming = min(age, 100) + (90 if age > 450 else 0)  # something is loaded late
        ledger.note("process", mb=warming + megabytes_a_minute * age / 60, **told)
    ledger.close()
    (life,) = read_lives(tmp_path)
    assert life.slope == pytest.approx(megabytes_a_minute, abs=0.01)
    assert life.is_growing == is_growing


def test_a_canary_is_noticed_by_its_name_and_its_subject(story: Story):
    story.answer(2, OWN, OTHER)
    findings = story.read().findings
    assert Canary("swapped", ["A LEAK"], OTHER).is_in(findings)
    assert not Canary("swapped", ["A LEAK"], OWN).is_in(findings)
    assert not Canary("swapped", ["not answered"], OTHER).is_in(findings)


def test_codes_are_found_in_any_answer():
    assert codes_in(f'{{"answer": "It is {OWN}. [1]", "x": "{OWN} {OTHER},"}}') == [OWN, OTHER]
