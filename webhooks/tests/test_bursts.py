"""Which messages are one question, and until when to wait for more."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.surfaces.base import MessageKind
from webhooks.bursts import Sort, Waiting, next_burst

BEGIN = datetime(2026, 11, 21, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGIN + timedelta(seconds=seconds)


def text(seconds: float, words: str | None = "a") -> Waiting:
    return Waiting(int(seconds * 1000), MessageKind.TEXT, words, at(seconds))


def media(seconds: float) -> Waiting:
    return Waiting(int(seconds * 1000), MessageKind.MEDIA, "", at(seconds))


def start(seconds: float) -> Waiting:
    return Waiting(int(seconds * 1000), MessageKind.START, "", at(seconds))


def test_one_message_is_asked_when_nothing_came_for_a_while() -> None:
    burst = next_burst([text(0, "When do you open?")])

    assert (burst.text, burst.ready_at, burst.sort) == ("When do you open?", at(1.5), Sort.QUESTION)


def test_messages_in_quick_succession_are_one_question_with_a_line_each() -> None:
    burst = next_burst([text(0, "hello"), text(1, "do you open"), text(2.5, "on Sundays?")])

    assert burst.text == "hello\ndo you open\non Sundays?"
    assert burst.ready_at == at(4)
    assert burst.ids == [0, 1000, 2500]


def test_a_pause_ends_the_question_which_is_then_complete() -> None:
    burst = next_burst([text(0, "first"), text(1.6, "second")])

    assert (burst.text, burst.ready_at) == ("first", at(0))


def test_whoever_does_not_stop_writing_is_answered_after_eight_seconds() -> None:
    stream = [text(second, str(second)) for second in range(8)]

    assert next_burst(stream).ready_at == at(8)
    assert next_burst([*stream, text(8), text(8.5)]).ids == [*range(0, 8001, 1000)]


def test_what_was_sent_earlier_and_came_later_stands_where_it_was_sent() -> None:
    """Messages come in the order of the chat, which need not be that of their arrival."""
    burst = next_burst([text(5, "first"), text(4, "second")])

    assert (burst.text, burst.ready_at) == ("first\nsecond", at(6.5))


@pytest.mark.parametrize(
    ("lengths", "taken"), [([499, 500], 2), ([500, 500], 1), ([1000, 1], 1), ([1, 1, 998], 2)]
)
def test_a_question_has_1000_characters_and_the_rest_begins_the_next(
    lengths: list[int], taken: int
) -> None:
    waiting = [text(number / 10, "x" * length) for number, length in enumerate(lengths)]

    burst = next_burst(waiting)

    assert len(burst.messages) == taken
    waits_on = at((taken - 1) / 10 + 1.5)
    assert burst.ready_at == (waits_on if taken == len(lengths) else at(0))


def test_media_are_part_of_it_and_add_no_text() -> None:
    burst = next_burst([media(0), text(1, "what is this?"), media(1.5)])

    assert (burst.text, burst.has_media, len(burst.messages)) == ("what is this?", True, 3)
    assert next_burst([media(0)]).text == ""


@pytest.mark.parametrize(
    ("first", "second", "sort"),
    [
        (start(0), text(0.1), Sort.START),
        (text(0), start(0.1), Sort.QUESTION),
        (text(0, "x" * 1001), text(0.1), Sort.TOO_LONG),
        (text(0), text(0.1, "x" * 1001), Sort.QUESTION),
        (text(0, None), text(0.1), Sort.UNREADABLE),
        (text(0), text(0.1, None), Sort.QUESTION),
    ],
)
def test_what_is_answered_in_another_way_is_answered_by_itself(
    first: Waiting, second: Waiting, sort: Sort
) -> None:
    burst = next_burst([first, second])

    assert (burst.sort, burst.messages, burst.ready_at) == (sort, (first,), at(0))


@pytest.mark.parametrize("words", ["x" * 1001, None])
def test_several_that_are_too_long_or_cannot_be_read_get_one_answer(words: str | None) -> None:
    assert len(next_burst([text(0, words), text(0.1, words)]).messages) == 2
    assert len(next_burst([start(0), start(0.5)]).messages) == 2


TEXTS = st.sampled_from(["", "word", "x" * 600, "x" * 1001, None])
KINDS = st.sampled_from(list(MessageKind))
MESSAGES = st.builds(Waiting, st.just(0), KINDS, TEXTS, st.floats(0, 60).map(at))


@given(st.lists(MESSAGES, min_size=1, max_size=12))
def test_every_message_is_in_one_burst_and_in_order(waiting: list[Waiting]) -> None:
    left = waiting
    taken: list[Waiting] = []
    while left:
        burst = next_burst(left)
        taken += burst.messages
        left = left[len(burst.messages) :]
        assert burst.sort is not Sort.QUESTION or len(burst.text) <= 1000
        assert burst.ready_at <= max(m.received_at for m in burst.messages) + timedelta(seconds=1.5)

    assert taken == waiting
