"""The client of a language model, against a real server that behaves well and badly."""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from query.answering.llm import MAX_TOKENS, Ending, LanguageModelFailed, chat
from query.tests.chat_server import (
    WAIT_SECONDS,
    ChatServer,
    chunk,
    drip,
    error,
    events,
    hang_up,
    plain,
    raw_stream,
    serve_chat,
    stream,
    stream_and_break_off,
    stream_and_wait,
)

MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How tall is the tower?"},
]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("query.answering.llm.RETRY_SECONDS", 0.0)


@pytest.fixture
def model(db, settings) -> Iterator[ChatServer]:
    with serve_chat() as server:
        settings.LLM_BASE_URL = server.url
        settings.LLM_MODEL = "small-model"
        settings.LLM_API_KEY = ""
        settings.LLM_TIMEOUT = 20
        yield server


def read(*, streams: bool) -> tuple[list[str], Ending]:
    pieces = []
    answer = chat(MESSAGES, streams=streams)
    while True:
        try:
            pieces.append(next(answer))
        except StopIteration as end:
            return pieces, end.value


def fail(*, streams: bool = True) -> str:
    with pytest.raises(LanguageModelFailed) as failure:
        read(streams=streams)
    return str(failure.value)


# --- What is sent ---------------------------------------------------------------------------------


def test_a_request_has_the_form_of_chat_completions_with_bounded_tokens(model: ChatServer):
    model.says("Forty metres.")
    read(streams=False)
    received = model.received[0]
    assert received.path == "/v1/chat/completions"
    assert received.body == {
        "model": "small-model",
        "messages": MESSAGES,
        "max_tokens": MAX_TOKENS,
        "temperature": 0,
        "stream": False,
    }
    assert "Authorization" not in received.headers


def test_a_key_is_sent_as_bearer_token_when_there_is_one(model: ChatServer, settings):
    settings.LLM_API_KEY = "sk-test"
    model.says("Forty metres.")
    read(streams=True)
    assert model.received[0].headers["Authorization"] == "Bearer sk-test"
    assert model.received[0].body["stream"] is True


def test_proxies_of_the_environment_are_not_used(model: ChatServer, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    model.says("Forty metres.")
    assert read(streams=False) == (["Forty metres."], Ending.WHOLE)


@pytest.mark.parametrize("streams", [True, False])
def test_the_connection_is_used_again(model: ChatServer, streams: bool):
    model.says(stream("Forty ", "metres."))
    for _ in range(3):
        read(streams=streams)
    assert (len(model.received), model.connections) == (3, 1)


# --- What comes back ------------------------------------------------------------------------------


def test_a_stream_comes_in_the_pieces_that_the_model_writes(model: ChatServer):
    model.says(stream("Forty ", "metres", "."))
    assert read(streams=True) == (["Forty ", "metres", "."], Ending.WHOLE)


def test_plain_json_is_read_although_a_stream_was_asked_for(model: ChatServer):
    model.says(plain("Forty metres."))
    assert read(streams=True) == (["Forty metres."], Ending.WHOLE)


def test_a_stream_is_read_although_none_was_asked_for(model: ChatServer):
    model.says(stream("Forty ", "metres."))
    assert read(streams=False) == (["Forty ", "metres."], Ending.WHOLE)


def test_a_character_that_is_cut_in_two_is_put_together(model: ChatServer):
    whole = b"".join(events(["Señal"]))
    cut = whole.index("ñ".encode()) + 1
    model.says(raw_stream(whole[:cut], whole[cut:]))
    assert read(streams=True) == (["Señal"], Ending.WHOLE)


def test_comments_crlf_other_fields_and_a_stream_without_done_are_read(model: ChatServer):
    model.says(
        raw_stream(
            b": keep-alive\r\n\r\nevent: message\r\nid: 1\r\n",
            chunk({"content": "Forty metres."}, "stop")
            .replace(b"\n", b"\r\n")
            .replace(b": ", b":"),
        )
    )
    assert read(streams=True) == (["Forty metres."], Ending.WHOLE)


def test_what_is_no_text_of_the_answer_is_passed_over(model: ChatServer):
    model.says(
        raw_stream(
            chunk({"role": "assistant", "content": None}),
            chunk({"reasoning_content": "The tower, hm."}),
            chunk({"reasoning": "Let me think."}),
            b'data: {"choices": null}\n\n',
            b'data: {"usage": {}}\n\n',
            chunk({"content": [{"type": "text", "text": "Forty metres."}]}),
            b"data: [DONE]\n\n",
            b"data: not JSON, and behind the end\n\n",
        )
    )
    assert read(streams=True) == (["Forty metres."], Ending.CUT)


def test_the_limit_of_tokens_is_told(model: ChatServer):
    model.says(stream("Forty ", finish="length"), plain("Forty", finish="length"))
    assert read(streams=True) == (["Forty "], Ending.CUT)
    assert read(streams=False) == (["Forty"], Ending.CUT)


def test_an_answer_without_text_has_no_pieces(model: ChatServer):
    model.says(plain(None))
    assert read(streams=False) == ([], Ending.WHOLE)


# --- Failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure", [error(500), error(503), error(429), error(429, Retry_After="0"), hang_up]
)
def test_after_a_failure_that_passes_the_second_try_answers(model: ChatServer, failure):
    model.says(failure, plain("Forty metres."))
    assert read(streams=True) == (["Forty metres."], Ending.WHOLE)
    assert len(model.received) == 2


def test_there_is_no_third_try(model: ChatServer):
    model.says(error(502))
    assert fail() == "HTTP 502"
    assert len(model.received) == 2


@pytest.mark.parametrize(
    "failure",
    [
        error(400),
        error(401),
        error(404),
        error(429, Retry_After="60"),
        error(503, Retry_After="Sat, 21 Nov 2026 12:00:00 GMT"),
    ],
)
def test_a_failure_that_stays_is_not_tried_again(model: ChatServer, failure):
    model.says(failure)
    fail()
    assert len(model.received) == 1


def test_a_redirect_is_not_followed(model: ChatServer):
    with serve_chat() as elsewhere:
        elsewhere.says("Forty metres.")
        model.says(error(307, Location=f"{elsewhere.url}/chat/completions"))
        assert fail() == "HTTP 307"
        assert elsewhere.received == []


@pytest.mark.parametrize(
    "reply",
    [
        raw_stream(b"<html>no JSON</html>\n", b"data: <html>\n\n"),
        raw_stream(b'data: {"error": {"message": "overloaded"}}\n\n'),
        raw_stream(b"{" * 200_000),
        raw_stream(b"data: " + b"[" * 200_000 + b"\n\n"),
    ],
    ids=["garbage", "error", "braces", "deep"],
)
def test_what_cannot_be_read_is_a_failure(model: ChatServer, reply):
    model.says(reply)
    fail()
    assert len(model.received) == 1


def test_text_that_was_given_is_not_asked_for_again(model: ChatServer):
    model.says(stream_and_break_off("Forty "))
    answer = chat(MESSAGES, streams=True)
    assert next(answer) == "Forty "
    with pytest.raises(LanguageModelFailed):
        next(answer)
    assert len(model.received) == 1


def test_a_server_that_sends_without_end_is_left(model: ChatServer, monkeypatch):
    monkeypatch.setattr("query.answering.llm.WIRE_MAX_BYTES", 100_000)
    model.says(drip(b": " + b"x" * 20_000 + b"\n", seconds_between=0.0))
    assert fail() == "TooLarge from 127.0.0.1"


@pytest.mark.parametrize("part", [b": still thinking\n", chunk({"content": "x"}), b"d"])
def test_a_server_that_drips_is_left_when_the_whole_time_is_over(
    model: ChatServer, settings, part: bytes
):
    settings.LLM_TIMEOUT = 1
    model.says(drip(part, seconds_between=0.1))
    started = time.monotonic()
    assert fail() == "TimedOut from 127.0.0.1"
    assert time.monotonic() - started < 20
    assert len(model.received) == 1


def test_the_second_try_has_what_time_the_first_left(model: ChatServer, settings):
    settings.LLM_TIMEOUT = 1
    model.says(error(500), drip(b":\n", seconds_between=0.1))
    started = time.monotonic()
    fail()
    assert time.monotonic() - started < 3


def test_closing_the_generator_breaks_the_connection_off(model: ChatServer):
    model.says(stream_and_wait("Forty ", "metres"))
    with closing(chat(MESSAGES, streams=True)) as answer:
        assert next(answer) == "Forty "
        assert not model.was_left.is_set()
    assert model.was_left.wait(WAIT_SECONDS)


def test_nobody_who_listens_is_a_failure(model: ChatServer, settings):
    settings.LLM_BASE_URL = "http://127.0.0.1:1/v1"
    assert fail() == "Unreachable from 127.0.0.1"


def test_the_log_names_the_failure_and_neither_key_nor_prompt(
    model: ChatServer, settings, caplog: pytest.LogCaptureFixture
):
    settings.LLM_API_KEY = "sk-secret"
    quoted = {"error": {"message": f"sk-secret: {MESSAGES[1]['content']}", "code": "overloaded"}}
    model.says(error(500, json.dumps(quoted)))
    with caplog.at_level(logging.DEBUG):
        assert fail() == "HTTP 500 overloaded"
    assert "HTTP 500 overloaded" in caplog.text
    assert "sk-secret" not in caplog.text
    assert "tower" not in caplog.text


def test_no_database_connection_is_held_while_the_model_writes(model: ChatServer, monkeypatch):
    released = []
    monkeypatch.setattr(
        "query.answering.llm.release_connection", lambda: released.append(model.received[:])
    )
    model.says("Forty metres.")
    read(streams=False)
    assert released == [[]]
