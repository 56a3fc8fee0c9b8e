"""Telegram's protocol, both ways, against a server that speaks it."""

import json
import logging
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.errors import (
    ChatRefused,
    CredentialsRefused,
    MessengerBusy,
    MessengerFailed,
    MessengerUnreachable,
    TextRefused,
)
from channels.surfaces.base import IncomingMessage, MessageKind
from channels.surfaces.telegram.surface import MEDIA, Telegram
from channels.tests.json_values import assert_fit_for_the_database, json_values
from channels.tests.messenger_server import (
    Answer,
    endless,
    error_page,
    garbage,
    hang_up,
    redirect,
    says,
    silence,
)
from channels.tests.telegram_server import (
    SECRET_HEADER,
    TelegramServer,
    edited,
    error,
    photo,
    serve_telegram,
    too_many_requests,
    update,
    webhook_call,
)
from config.tests.parallel import look_over_all_tenants
from reasons import Reason

WEBHOOK = "https://agents.example/webhooks/messenger_a/1"
OUR_HEADER = "X-MessengerA-Bot-Api-Secret-Token"
TOKEN = "800100200:AAE-the-token_of-a-test"


@pytest.fixture
def telegram(db, settings) -> Iterator[TelegramServer]:
    with serve_telegram() as server:
        settings.MESSENGER_A_API_URL = server.url
        yield server


@pytest.fixture
def bot(telegram: TelegramServer) -> Telegram:
    return Telegram(telegram.config(TOKEN))


def make_bot(**over: str) -> Telegram:
    return Telegram({"bot_token": TOKEN, "secret_token": "our-secret", **over})


def sending(bot: Telegram, chat_id: str = "5001", text: str = "Hola.") -> MessengerFailed:
    with pytest.raises(MessengerFailed) as failure:
        bot.send_text(chat_id, text)
    return failure.value


def connecting(bot: Telegram) -> MessengerFailed:
    with pytest.raises(MessengerFailed) as failure:
        bot.connect(WEBHOOK)
    return failure.value


# --- Connecting -----------------------------------------------------------------------------------


def test_connecting_registers_the_webhook_with_our_secret_and_for_messages_alone(
    telegram: TelegramServer, bot: Telegram
):
    for _ in range(2):
        bot.connect(WEBHOOK)
    assert telegram.webhooks[TOKEN] == {
        "url": WEBHOOK,
        "secret_token": bot.config["secret_token"],
        "allowed_updates": ["message"],
    }


def test_disconnecting_removes_the_webhook_again_and_again(telegram: TelegramServer, bot: Telegram):
    bot.connect(WEBHOOK)
    for _ in range(2):
        bot.disconnect()
    assert telegram.webhooks == {}


@pytest.mark.parametrize("token", ["800100200:AAE-unknown", "no token", "1/../2?x#y", "1:ñ\n\x00"])
def test_a_token_that_is_none_is_refused(telegram: TelegramServer, token: str):
    failure = connecting(make_bot(bot_token=token))
    assert type(failure) is CredentialsRefused
    assert failure.reason == (Reason("bot_token_refused"))


def test_whatever_a_token_holds_is_one_segment_of_the_path(telegram: TelegramServer):
    connecting(make_bot(bot_token="1:a/b?c#d e%2F.."))
    assert [call.account for call in telegram.calls] == ["1:a/b?c#d e%2F.."]


def test_why_a_webhook_is_refused_is_told_in_the_messengers_words(
    telegram: TelegramServer, bot: Telegram
):
    telegram.wants_https = True
    with pytest.raises(CredentialsRefused) as failure:
        bot.connect("http://agents.example/webhooks")
    assert failure.value.reason == Reason(
        "webhook_refused",
        words="Bad Request: bad webhook: An HTTPS URL must be provided for webhook",
    )


def test_the_messengers_words_are_bounded_on_one_line_and_without_our_secrets(
    telegram: TelegramServer, bot: Telegram
):
    secret = bot.config["secret_token"]
    words = f"\x1b[31mno {TOKEN}\r\nand {secret} and {TOKEN[10:]}x{'A' * 40} " + "so on " * 99
    telegram.fail(error(400, words))
    message = str(connecting(bot))
    assert message.startswith("The messenger refused the webhook: [31mno … and … and … so on so on")
    assert message.isprintable()
    assert len(message) == len("The messenger refused the webhook: ") + 200


def test_the_account_is_the_number_of_the_bot_and_nothing_of_its_secret():
    assert make_bot().account_id == "800100200"
    for token in ("AAE-the-secret-part", "800100200", "AAE:800", "", f"{'8' * 200}:x"):
        assert make_bot(bot_token=token).account_id == ""


# --- Sending --------------------------------------------------------------------------------------


def test_a_text_is_sent_to_its_chat_without_markup_or_preview(
    telegram: TelegramServer, bot: Telegram
):
    bot.send_text("-1001234567890", "*Hola* <b>_a_ 👋")
    assert telegram.calls[-1].body == {
        "chat_id": -1001234567890,
        "text": "*Hola* <b>_a_ 👋",
        "link_preview_options": {"is_disabled": True},
    }
    assert [(sent.account, sent.chat_id) for sent in telegram.sent] == [(TOKEN, "-1001234567890")]


def test_a_chat_whose_id_is_no_number_is_named_as_it_is(telegram: TelegramServer, bot: Telegram):
    bot.send_text("@our_channel", "Hola.")
    assert telegram.calls[-1].body["chat_id"] == "@our_channel"


def test_a_text_of_the_longest_length_is_taken_and_one_more_is_refused(
    telegram: TelegramServer, bot: Telegram
):
    longest = "👋" * (bot.text_max_units // 2)
    bot.send_text("5001", longest)
    assert telegram.texts(5001) == [longest]
    assert type(sending(bot, text=longest + "x")) is TextRefused


def test_many_texts_at_once_all_arrive_each_once(telegram: TelegramServer, bot: Telegram):
    with ThreadPoolExecutor(50, initializer=look_over_all_tenants) as pool:
        list(pool.map(lambda number: bot.send_text(str(number), f"to {number}"), range(1, 201)))
    sent = sorted((int(sent.chat_id), sent.text) for sent in telegram.sent)
    assert sent == [(number, f"to {number}") for number in range(1, 201)]


@pytest.mark.parametrize(
    ("status", "description", "kind"),
    [
        (401, "Unauthorized", CredentialsRefused),
        (404, "Not Found", CredentialsRefused),
        (400, "Logged out", CredentialsRefused),
        (403, "Forbidden: bot was blocked by the user", ChatRefused),
        (403, "Forbidden: user is deactivated", ChatRefused),
        (403, "Forbidden: bot can't initiate conversation with a user", ChatRefused),
        (400, "Bad Request: chat not found", ChatRefused),
        (400, "Bad Request: PEER_ID_INVALID", ChatRefused),
        (400, "Bad Request: have no rights to send a message", ChatRefused),
        (400, "Bad Request: message is too long", TextRefused),
        (400, "Bad Request: message text is empty", TextRefused),
        (413, "Request Entity Too Large", TextRefused),
        (500, "Internal Server Error", MessengerUnreachable),
        (502, "Bad Gateway", MessengerUnreachable),
    ],
)
def test_an_error_says_whether_all_one_chat_or_one_text_is_refused(
    telegram: TelegramServer,
    bot: Telegram,
    status: int,
    description: str,
    kind: type[MessengerFailed],
):
    telegram.fail(error(status, description))
    assert type(sending(bot)) is kind


def test_an_error_is_known_by_its_code_where_the_status_says_that_all_is_well(
    telegram: TelegramServer, bot: Telegram
):
    content = {"ok": False, "error_code": 403, "description": "Forbidden: user is deactivated"}
    telegram.fail(says(200, content))
    assert str(sending(bot)) == (
        "This person blocked the bot, or closed their account or the chat. "
        "The messenger says: Forbidden: user is deactivated"
    )


def test_a_token_that_is_revoked_refuses_the_next_text(telegram: TelegramServer, bot: Telegram):
    bot.send_text("5001", "Hola.")
    telegram.revoke(TOKEN)
    assert type(sending(bot)) is CredentialsRefused
    assert telegram.texts() == ["Hola."]


@pytest.mark.parametrize(
    ("answer", "wait_seconds"),
    [
        (too_many_requests(35), 35),
        (too_many_requests(0), 1),
        (too_many_requests(10**30), 86400),
        (error(429, "Too Many Requests", retry_after="soon"), 5),
        (says(429, {}, Retry_After="7"), 7),
        (says(429, {}, Retry_After="Fri, 31 Dec 1999 23:59:59 GMT"), 1),
        (says(429, {}, Retry_After="9" * 5000), 5),
        (error_page(429), 5),
    ],
)
def test_too_many_texts_have_to_wait_for_all_chats(
    telegram: TelegramServer, bot: Telegram, answer: Answer, wait_seconds: int
):
    telegram.fail(answer)
    failure = sending(bot)
    assert isinstance(failure, MessengerBusy)
    assert (failure.wait_seconds, failure.is_for_all) == (wait_seconds, True)
    bot.send_text("5001", "Hola.")
    assert telegram.texts() == ["Hola."]


SILENCES: dict[str, Answer] = {
    "hangs up": hang_up,
    "an error page": error_page(503),
    "an error page without error": garbage,
    "a page that says not found": error_page(404),
    "a redirect": redirect("http://127.0.0.1:1/elsewhere"),
    "without end": endless,
    "JSON of another form": says(200, ["ok"]),
    "JSON that says neither": says(200, {"result": True}),
    "numbers for words": says(400, {"ok": 0, "error_code": "400", "description": 7}),
    "too deep": lambda handler: handler.send_raw(200, b"[" * 60_000, "application/json"),
}


@pytest.mark.parametrize("what", SILENCES)
def test_what_is_no_answer_may_be_tried_again_later(
    telegram: TelegramServer, bot: Telegram, what: str
):
    telegram.fail(SILENCES[what])
    assert type(sending(bot)) is MessengerUnreachable
    telegram.fail(SILENCES[what])
    assert type(connecting(bot)) is MessengerUnreachable
    bot.send_text("5001", "Hola.")
    assert telegram.texts() == ["Hola."]


def test_a_silent_messenger_is_waited_for_no_longer_than_somebody_waits_for_us(
    telegram: TelegramServer, bot: Telegram, monkeypatch: pytest.MonkeyPatch
):
    for name in ("CONNECT", "FAREWELL", "SEND"):
        monkeypatch.setattr(f"channels.surfaces.telegram.surface.{name}_SECONDS", 0.3)
    telegram.fail(silence, times=float("inf"))
    started = time.monotonic()
    for call in (lambda: bot.connect(WEBHOOK), bot.disconnect, lambda: bot.send_text("1", "x")):
        with pytest.raises(MessengerUnreachable) as failure:
            call()
        assert failure.value.reason == (Reason("messenger_not_in_time"))
    assert time.monotonic() - started < 30  # with the seconds of the product: 35


def test_nobody_at_the_address_is_unreachable(db, settings):
    settings.MESSENGER_A_API_URL = "http://127.0.0.1:1"
    assert sending(make_bot()).reason == (Reason("messenger_unreachable"))


@pytest.mark.parametrize("what", [*SILENCES, "refused", "quoted", "busy"])
def test_secrets_stand_in_no_message_log_or_chain(
    telegram: TelegramServer, caplog: pytest.LogCaptureFixture, what: str
):
    answers = {
        **SILENCES,
        "refused": error(401, "Unauthorized"),
        "quoted": error(400, f"Bad Request: {TOKEN} our-secret /bot{TOKEN}/sendMessage"),
        "busy": too_many_requests(3),
    }
    bot = make_bot()
    telegram.fail(answers[what], times=2)
    with caplog.at_level(logging.DEBUG):
        for failure in (connecting(bot), sending(bot)):
            told = (
                "".join(traceback.format_exception(failure)) + repr(failure) + repr(failure.reason)
            )
            assert TOKEN[10:] not in told
            assert "our-secret" not in told
            assert failure.__context__ is None
    assert TOKEN[10:] not in caplog.text
    assert "our-secret" not in caplog.text


# --- Who calls us ---------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [SECRET_HEADER, OUR_HEADER, SECRET_HEADER.upper()])
def test_a_call_with_our_secret_is_genuine(header: str):
    headers, body = webhook_call(update("Hola."), "our-secret", header=header)
    assert make_bot().is_genuine(headers, body)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {SECRET_HEADER: ""},
        {SECRET_HEADER: "our-secre"},
        {SECRET_HEADER: "our-secret "},
        {SECRET_HEADER: "OUR-SECRET"},
        {SECRET_HEADER: "our-sécret"},
        {SECRET_HEADER: "our-secret\udcff"},
        {SECRET_HEADER: "our-secret", OUR_HEADER: "another"},
        {SECRET_HEADER: "another", OUR_HEADER: "our-secret"},
        {"X-Another-Header": "our-secret"},
    ],
)
def test_every_other_call_is_not(headers: dict[str, str]):
    assert not make_bot().is_genuine(headers, b"{}")


def test_an_empty_secret_makes_no_call_genuine():
    assert not make_bot(secret_token="").is_genuine({SECRET_HEADER: ""}, b"{}")


# --- What comes in --------------------------------------------------------------------------------


def read(payload: object) -> list[IncomingMessage]:
    return list(make_bot().read_messages(payload))


def update_with(fields: dict[str, Any]) -> dict[str, Any]:
    return update(**{"text": "Hola.", **fields})


def kinds(payload: object) -> list[tuple[MessageKind, str]]:
    return [(message.kind, message.text) for message in read(payload)]


AN_HOUR_AGO = int(datetime.now(UTC).timestamp()) - 3600


def test_a_text_is_read_with_its_chat_position_time_and_language():
    sent = update("¿Abrís mañana?", chat_id=77, update_id=31, message_id=12, date=AN_HOUR_AGO)
    assert read(sent) == [
        IncomingMessage(
            provider_message_id="31",
            chat_id="77",
            kind=MessageKind.TEXT,
            text="¿Abrís mañana?",
            position=12,
            sent_at=datetime.fromtimestamp(AN_HOUR_AGO, UTC),
            language="es",
        )
    ]


@pytest.mark.parametrize(
    ("code", "language"),
    [("es", "es"), ("es-419", "es"), ("EN_us", "en"), ("en", "en")]
    + [(code, "") for code in ("fr", "est", "eng", "", None, 7, ["es"])],
)
def test_the_language_is_that_of_the_persons_app(code: object, language: str):
    sender = {"from": {"id": 77, "is_bot": False, "language_code": code}}
    assert [message.language for message in read(update_with(sender))] == [language]


@pytest.mark.parametrize(
    "text",
    [
        "/start",
        " /start ",
        "/start@our_bot",
        "/start promo_2-x",
        "/start@our_bot promo",
        "/help",
        "/help@our_bot",
    ],
)
def test_whoever_opens_the_chat_has_said_nothing_yet(text: str):
    assert kinds(update(text)) == [(MessageKind.START, "")]


@pytest.mark.parametrize(
    "text", ["/started", "/start ¿a qué hora abrís?", "start", "/help prices", "a /start"]
)
def test_other_texts_are_texts_also_those_that_look_like_commands(text: str):
    assert kinds(update(text)) == [(MessageKind.TEXT, text)]


@pytest.mark.parametrize("name", sorted(MEDIA))
def test_media_are_media(name: str):
    assert kinds(update_with({name: {"file_id": "x"}, "text": None})) == [(MessageKind.MEDIA, "")]


def test_a_caption_is_one_more_text_behind_its_photo():
    messages = read(photo("¿Tenéis esta talla?", update_id=31))
    assert [(each.provider_message_id, each.kind, each.text) for each in messages] == [
        ("31", MessageKind.MEDIA, ""),
        ("31:caption", MessageKind.TEXT, "¿Tenéis esta talla?"),
    ]


def test_a_message_of_few_fields_is_from_a_person_who_writes_now():
    before = datetime.now(UTC)
    [message] = read({"update_id": 9, "message": {"chat": {"id": 5}, "text": "Hola."}})
    assert (message.chat_id, message.position, message.language) == ("5", 9, "")
    assert before <= message.sent_at <= datetime.now(UTC)


@pytest.mark.parametrize("age", [timedelta(days=-1), timedelta(days=9), timedelta(days=9000)])
def test_a_message_whose_date_cannot_be_was_sent_now(age: timedelta):
    before = datetime.now(UTC)
    [message] = read(update("Hola.", date=int((before - age).timestamp())))
    assert before <= message.sent_at <= datetime.now(UTC)


LEFT_ALONE: dict[str, object] = {
    "a group": update("Hola.", chat={"id": -5, "type": "group"}),
    "a supergroup": update("Hola.", chat={"id": -1005, "type": "supergroup"}),
    "a group that does not say so": update("Hola.", chat={"id": -5}),
    "a channel": update("Hola.", chat={"id": -1005, "type": "channel"}),
    "a bot": update_with({"from": {"id": 5, "is_bot": True}}),
    "an edit": edited("Hola."),
    "a post": {"update_id": 1, "channel_post": update("Hola.")["message"]},
    "a pressed button": {"update_id": 1, "callback_query": {"id": "1", "data": "x"}},
    "a sticker": update(sticker={"file_id": "x"}),
    "dice": update(dice={"emoji": "🎲", "value": 3}),
    "a member who joined": update(new_chat_members=[{"id": 5, "is_bot": False}]),
    "a pinned message": update(pinned_message=update("Hola.")["message"]),
    "an unknown kind": update(hologram={"file_id": "x"}),
    "nothing but spaces": update(" \n\u3000"),
    "nothing that can be shown": update("\x00\x01"),
    "no number of its own": update("Hola.", update_id=None),
    "a number of 5,000 digits": update("Hola.", update_id=10**5000),
    "an id of 201 characters": update("Hola.", update_id="9" * 201),
    "an id that no database takes": update("Hola.", chat={"id": "a\x00b"}),
    "no chat": update("Hola.", chat=None),
    "a truth for a number": update("Hola.", chat={"id": True}),
    "nothing": {},
    "no object": [update("Hola.")],
    "null": None,
}


@pytest.mark.parametrize("what", LEFT_ALONE)
def test_everything_else_is_left_alone(what: str):
    assert read(LEFT_ALONE[what]) == []


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("  Hola.\n", "Hola."),
        ("a\r\nb\rc\u2028d\te", "a\nb\nc\nd e"),
        ("a\x00b\x1b[1mc\x7f\x9fd", "ab[1mcd"),
        ("a\ud83db", "a\ufffdb"),
        ("👋🏽 é", "👋🏽 é"),
        ("x" * 10_001, "x" * 10_000),
    ],
)
def test_a_text_is_kept_as_a_database_can_hold_it(sent: str, kept: str):
    assert kinds(update(sent)) == [(MessageKind.TEXT, kept)]


@given(json_values)
def test_no_json_whatsoever_raises_anything(payload: object):
    assert_fit_for_the_database(read(payload))


NAMES = ("message_id", "date", "from", "chat", "text", "caption", "photo", "sticker")
fields = st.fixed_dictionaries({}, optional=dict.fromkeys(NAMES, json_values))
chats = st.fixed_dictionaries({"chat": st.builds(lambda value: {"id": value}, json_values)})


@given(st.integers() | json_values, st.builds(lambda a, b: {**a, **b}, fields, chats | fields))
def test_no_fields_of_a_message_raise_anything(update_id: object, message: dict[str, Any]):
    assert_fit_for_the_database(read({"update_id": update_id, "message": message}))


def test_a_payload_comes_as_json_as_telegram_writes_it():
    _, body = webhook_call(photo("¿Y esto?"), "our-secret")
    assert kinds(json.loads(body)) == [(MessageKind.MEDIA, ""), (MessageKind.TEXT, "¿Y esto?")]


# --- Plain text -----------------------------------------------------------------------------------


def test_a_text_stays_as_it_is_but_for_what_cannot_be_shown():
    plain = make_bot().as_plain("*a* _b_ `c` <b>d</b> [e](https://f.example/a_b)\r\n/g\x00\ud800")
    assert plain == "*a* _b_ `c` <b>d</b> [e](https://f.example/a_b)\n/g\ufffd"
