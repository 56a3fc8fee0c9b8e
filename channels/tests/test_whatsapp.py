"""WhatsApp's protocol, both ways, against a server that speaks it."""

import json
import logging
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
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
from channels.surfaces.base import IncomingMessage, MessageKind, Undelivered
from channels.surfaces.whatsapp.surface import WhatsApp
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
from channels.tests.whatsapp_server import (
    SIGNATURE_HEADER,
    WhatsAppServer,
    error,
    image,
    message,
    payload,
    serve_whatsapp,
    signed_call,
    status,
    text_message,
    too_many_requests,
)
from config.tests.parallel import look_over_all_tenants
from reasons import Reason

CONFIG = {
    "phone_number_id": "106540352242922",
    "system_user_token": "EAAG-the-token-of-a-test",
    "app_secret": "the-app-secret-of-a-test",
    "verify_token": "the-verify-token-of-a-test",
}
SECRETS = [value for name, value in CONFIG.items() if name != "phone_number_id"]
OURS = CONFIG["phone_number_id"]
PERSON = "34600111222"
FROM_NOBODY: dict[str, Any] = {"from": None}


@pytest.fixture
def whatsapp(db, settings) -> Iterator[WhatsAppServer]:
    with serve_whatsapp() as server:
        settings.MESSENGER_B_API_URL = server.url
        server.add_number(CONFIG)
        yield server


@pytest.fixture
def number(whatsapp: WhatsAppServer) -> WhatsApp:
    return make_number()


def make_number(**over: str) -> WhatsApp:
    return WhatsApp({**CONFIG, **over})


def sending(number: WhatsApp, chat_id: str = PERSON, text: str = "Hola.") -> MessengerFailed:
    with pytest.raises(MessengerFailed) as failure:
        number.send_text(chat_id, text)
    return failure.value


def connecting(number: WhatsApp) -> MessengerFailed:
    with pytest.raises(MessengerFailed) as failure:
        number.connect("https://agents.example/webhooks/messenger_b/agent/1")
    return failure.value


# --- Connecting -----------------------------------------------------------------------------------


def test_connecting_asks_for_the_number_with_token_and_proof(
    whatsapp: WhatsAppServer, number: WhatsApp
):
    number.connect("https://agents.example/webhooks/messenger_b/agent/1")
    [call] = whatsapp.calls
    assert (call.method, call.account, call.name) == ("GET", OURS, "")
    assert call.headers["Authorization"] == "Bearer EAAG-the-token-of-a-test"
    assert number.account_id == OURS


def test_disconnecting_calls_nobody(whatsapp: WhatsAppServer, number: WhatsApp):
    number.disconnect()
    assert whatsapp.calls == []


REFUSED = "The messenger does not accept the connection of this phone number. The messenger says: "


@pytest.mark.parametrize(
    ("over", "reason"),
    [
        (
            {"system_user_token": "EAAG-another"},
            f"{REFUSED}Error validating access token: The session has been invalidated.",
        ),
        (
            {"app_secret": "another"},
            f"{REFUSED}Invalid appsecret_proof provided in the API argument",
        ),
        (
            {"phone_number_id": "5"},
            f"{REFUSED}Unsupported get request. Object with ID '5' does not exist, cannot be "
            "loaded due to missing permissions, or does not support this operation",
        ),
        ({"phone_number_id": ".."}, Reason("phone_number_id_wrong")),
        ({"phone_number_id": "5?a=b"}, Reason("phone_number_id_wrong")),
        ({"phone_number_id": "٣"}, Reason("phone_number_id_wrong")),
        (
            {"system_user_token": "EAAG\nX: y"},
            Reason("system_user_token_wrong"),
        ),
        (
            {"system_user_token": "EAAGñ"},
            Reason("system_user_token_wrong"),
        ),
    ],
)
def test_credentials_that_are_wrong_are_refused_with_a_reason(
    whatsapp: WhatsAppServer, over: dict[str, str], reason: Reason | str
):
    failure = connecting(make_number(**over))
    assert type(failure) is CredentialsRefused
    assert str(failure) == str(reason)


def test_an_id_of_another_kind_of_thing_is_refused(whatsapp: WhatsAppServer, number: WhatsApp):
    words = "(#100) Tried accessing nonexisting field (display_phone_number)"
    whatsapp.fail(error(100, words))
    failure = connecting(number)
    assert (type(failure), str(failure)) == (CredentialsRefused, f"{REFUSED}{words}")


def test_the_messengers_words_are_bounded_on_one_line_and_without_our_secrets(
    whatsapp: WhatsAppServer, number: WhatsApp
):
    words = f"Malformed\n token {' '.join(SECRETS)} {'E' * 40} " + "so on " * 99
    whatsapp.fail(error(190, words, status=401))
    message = str(connecting(number))
    assert message.startswith(f"{REFUSED}Malformed token … … … … so on so on")
    assert message.isprintable()
    assert len(message) == len(REFUSED) + 200


# --- Sending --------------------------------------------------------------------------------------


def test_a_text_is_sent_to_a_phone_number_without_preview(
    whatsapp: WhatsAppServer, number: WhatsApp
):
    number.send_text(PERSON, "Hola 👋")
    assert whatsapp.calls[-1].body == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": PERSON,
        "type": "text",
        "text": {"preview_url": False, "body": "Hola 👋"},
    }
    assert [(sent.account, sent.chat_id) for sent in whatsapp.sent] == [(OURS, PERSON)]


@pytest.mark.parametrize("person", ["ES.13491208655302741918", "ES.ENT.11815799212886844830"])
def test_a_person_who_hides_their_number_is_written_to_by_their_id(
    whatsapp: WhatsAppServer, number: WhatsApp, person: str
):
    number.send_text(person, "Hola.")
    body = whatsapp.calls[-1].body
    assert (body["recipient"], "to" in body) == (person, False)
    assert whatsapp.texts(person) == ["Hola."]


def test_a_text_of_the_longest_length_is_taken_and_one_more_is_refused(
    whatsapp: WhatsAppServer, number: WhatsApp
):
    number.send_text(PERSON, "x" * number.text_max_units)
    assert len(whatsapp.texts(PERSON)[0]) == 4096
    failure = sending(number, text="x" * 4097)
    assert (type(failure), str(failure)) == (
        TextRefused,
        "The messenger does not accept this text. It says: "
        "(#100) Param text['body'] must be at most 4096 characters long.",
    )


def test_many_texts_at_once_all_arrive_each_once(whatsapp: WhatsAppServer, number: WhatsApp):
    with ThreadPoolExecutor(50, initializer=look_over_all_tenants) as pool:
        list(pool.map(lambda each: number.send_text(str(each), f"to {each}"), range(1, 201)))
    sent = sorted((int(sent.chat_id), sent.text) for sent in whatsapp.sent)
    assert sent == [(each, f"to {each}") for each in range(1, 201)]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        *[
            (error(code, status=http_status), CredentialsRefused)
            for code, http_status in [
                (0, 401), (3, 500), (10, 403), (33, 400), (190, 401), (200, 403), (299, 403),
                (368, 403), (131005, 403), (131031, 403), (131037, 400), (131042, 400),
                (131045, 500), (133006, 400), (133010, 400), (777777, 401), (777777, 403),
            ]
        ],
        *[
            (error(code, status=http_status), ChatRefused)
            for code, http_status in [
                (130472, 400), (130497, 403), (131021, 400), (131026, 400), (131030, 400),
                (131047, 400), (131049, 400), (131050, 400), (131062, 400),
            ]
        ],
        *[
            (error(code), TextRefused)
            for code in (100, 131001, 131008, 131009, 131051, 135000, 777777)
        ],
        *[
            (error(code, status=http_status), MessengerUnreachable)
            for code, http_status in [
                (1, 400), (2, 503), (131000, 500), (131016, 500), (131057, 500), (133004, 503),
                (777777, 500),
            ]
        ],
        (error(100, error_subcode=33), CredentialsRefused),
        (error(100, "Invalid appsecret_proof provided"), CredentialsRefused),
    ],
)  # fmt: skip
def test_a_code_says_whether_all_one_person_or_one_text_is_refused(
    whatsapp: WhatsAppServer, number: WhatsApp, answer: Answer, kind: type[MessengerFailed]
):
    whatsapp.fail(answer)
    assert type(sending(number)) is kind


def test_a_person_who_wrote_too_long_ago_is_not_written_to(
    whatsapp: WhatsAppServer, number: WhatsApp
):
    whatsapp.close_window(PERSON)
    failure = sending(number)
    assert (type(failure), failure.reason) == (
        ChatRefused,
        Reason("window_closed"),
    )


def test_details_say_more_than_the_title_of_an_error(whatsapp: WhatsAppServer, number: WhatsApp):
    details = {"messaging_product": "whatsapp", "details": "Add the number to the list first."}
    whatsapp.fail(error(131030, "(#131030) Not in allowed list", error_data=details))
    assert str(sending(number)) == (
        "The messenger does not deliver messages to this person. "
        "The messenger says: Add the number to the list first."
    )


def test_a_token_that_is_revoked_refuses_the_next_text(whatsapp: WhatsAppServer, number: WhatsApp):
    number.send_text(PERSON, "Hola.")
    whatsapp.revoke(CONFIG["system_user_token"])
    assert type(sending(number)) is CredentialsRefused
    assert whatsapp.texts() == ["Hola."]


@pytest.mark.parametrize(
    ("answer", "wait_seconds", "is_for_all"),
    [
        (error(130429), 5, True),
        (error(4), 60, True),
        (error(80007), 60, True),
        (error(131048), 900, True),
        (error(131056), 6, False),
        (too_many_requests(35), 35, True),
        (too_many_requests(12, code=131056), 12, False),
        (too_many_requests(12, code=777777), 12, True),
        (says(429, {}, Retry_After="10000000"), 86400, True),
        (error_page(429), 60, True),
    ],
)
def test_too_many_texts_have_to_wait(
    whatsapp: WhatsAppServer,
    number: WhatsApp,
    answer: Answer,
    wait_seconds: int,
    is_for_all: bool,
):
    whatsapp.fail(answer)
    failure = sending(number)
    assert isinstance(failure, MessengerBusy)
    assert (failure.wait_seconds, failure.is_for_all) == (wait_seconds, is_for_all)
    number.send_text(PERSON, "Hola.")
    assert whatsapp.texts() == ["Hola."]


SILENCES: dict[str, Answer] = {
    "hangs up": hang_up,
    "an error page": error_page(503),
    "an error page without error": garbage,
    "a page that says forbidden": error_page(403),
    "a redirect": redirect("http://127.0.0.1:1/elsewhere"),
    "without end": endless,
    "JSON of another form": says(200, ["ok"]),
    "JSON that says neither": says(200, {"success": True}),
    "an error that is no error": says(200, {"error": "no"}),
    "numbers for words": says(500, {"error": {"code": "190", "message": 7}}),
    "too deep": lambda handler: handler.send_raw(200, b"[" * 60_000, "application/json"),
}


@pytest.mark.parametrize("what", SILENCES)
def test_what_is_no_answer_may_be_tried_again_later(
    whatsapp: WhatsAppServer, number: WhatsApp, what: str
):
    whatsapp.fail(SILENCES[what])
    assert type(sending(number)) is MessengerUnreachable
    whatsapp.fail(SILENCES[what])
    assert type(connecting(number)) is MessengerUnreachable
    number.send_text(PERSON, "Hola.")
    assert whatsapp.texts() == ["Hola."]


def test_a_silent_messenger_is_waited_for_no_longer_than_somebody_waits_for_us(
    whatsapp: WhatsAppServer, number: WhatsApp, monkeypatch: pytest.MonkeyPatch
):
    for name in ("CONNECT", "SEND"):
        monkeypatch.setattr(f"channels.surfaces.whatsapp.surface.{name}_SECONDS", 0.3)
    whatsapp.fail(silence, times=float("inf"))
    started = time.monotonic()
    for failure in (connecting(number), sending(number)):
        assert failure.reason == (Reason("messenger_not_in_time"))
    assert time.monotonic() - started < 25  # with the seconds of the product: 30


@pytest.mark.parametrize("what", [*SILENCES, "refused", "quoted", "busy"])
def test_secrets_stand_in_no_message_log_or_chain(
    whatsapp: WhatsAppServer, number: WhatsApp, caplog: pytest.LogCaptureFixture, what: str
):
    answers = {
        **SILENCES,
        "refused": error(190, status=401),
        "quoted": error(100, " ".join(SECRETS), error_data={"details": "|".join(SECRETS)}),
        "busy": too_many_requests(3),
    }
    whatsapp.fail(answers[what], times=2)
    with caplog.at_level(logging.DEBUG):
        for failure in (connecting(number), sending(number)):
            told = (
                "".join(traceback.format_exception(failure)) + repr(failure) + repr(failure.reason)
            )
            assert not [secret for secret in SECRETS if secret in told]
            assert failure.__context__ is None
    assert not [secret for secret in SECRETS if secret in caplog.text]
    assert "appsecret_proof=" not in caplog.text


# --- Who calls us ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [SIGNATURE_HEADER, SIGNATURE_HEADER.lower()])
def test_a_call_signed_with_our_secret_is_genuine(name: str):
    headers, body = signed_call(payload(OURS, text_message("¡Hola!")), CONFIG["app_secret"])
    assert make_number().is_genuine({name: headers[SIGNATURE_HEADER]}, body)


def test_the_signature_is_of_the_raw_bytes():
    headers = {
        # printf '{"a": 1}' | openssl dgst -sha256 -hmac key
        SIGNATURE_HEADER: "sha256=85e7b68cdf027474f0f0b8e2e63c4afb88cacf8a3e503aa13160f290dfc506d4"
    }
    number = make_number(app_secret="key")
    assert number.is_genuine(headers, b'{"a": 1}')
    assert not number.is_genuine(headers, b'{"a":1}')


@pytest.mark.parametrize("change", [str.upper, lambda sent: sent[7:], lambda sent: sent[:-1],
                                    lambda sent: sent + " ", lambda _: "", lambda _: "sha256=",
                                    lambda _: "sha256=ñ", lambda _: "\udcff"])  # fmt: skip
def test_every_other_signature_is_not(change):
    headers, body = signed_call({}, CONFIG["app_secret"])
    headers[SIGNATURE_HEADER] = change(headers[SIGNATURE_HEADER])
    assert not make_number().is_genuine(headers, body)


def test_no_signature_another_apps_or_an_empty_secret_makes_no_call_genuine():
    assert not make_number().is_genuine({}, b"{}")
    assert not make_number().is_genuine(*signed_call({}, "another"))
    assert not make_number(app_secret="").is_genuine(*signed_call({}, ""))


# --- What comes in --------------------------------------------------------------------------------


def read(content: object) -> list[IncomingMessage]:
    return list(make_number().read_messages(content))


def kinds(*messages: dict[str, Any]) -> list[tuple[MessageKind, str]]:
    return [(each.kind, each.text) for each in read(payload(OURS, *messages))]


AN_HOUR_AGO = int(datetime.now(UTC).timestamp()) - 3600


def test_a_text_is_read_with_its_chat_and_time():
    sent = text_message("¿Abrís mañana?", chat_id="34611", id="wamid.1", timestamp=str(AN_HOUR_AGO))
    assert read(payload(OURS, sent)) == [
        IncomingMessage(
            provider_message_id="wamid.1",
            chat_id="34611",
            kind=MessageKind.TEXT,
            text="¿Abrís mañana?",
            position=AN_HOUR_AGO,
            sent_at=datetime.fromtimestamp(AN_HOUR_AGO, UTC),
            language="",
        )
    ]


def test_all_messages_of_a_call_are_read_in_their_order_and_those_of_other_numbers_left_out():
    content = payload(OURS, text_message("1"), text_message("2", chat_id="34699"))
    content["entry"][0]["changes"] += [
        *payload("5", text_message("of another number"))["entry"][0]["changes"],
        *payload(OURS, statuses=[status("read")])["entry"][0]["changes"],
        *payload(OURS, text_message("an echo"), field="smb_message_echoes")["entry"][0]["changes"],
    ]
    content["entry"] += payload(OURS, text_message("3"), statuses=[status()])["entry"]
    assert [(each.text, each.chat_id) for each in read(content)] == [
        ("1", PERSON),
        ("2", "34699"),
        ("3", PERSON),
    ]


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("button", {"payload": "x", "text": "Sí, gracias"}),
        ("interactive", {"type": "button_reply", "button_reply": {"title": "Sí, gracias"}}),
        ("interactive", {"type": "list_reply", "list_reply": {"title": "Sí, gracias"}}),
    ],
)
def test_a_pressed_button_says_what_stands_on_it(kind: str, content: dict[str, Any]):
    assert kinds(message(kind, content)) == [(MessageKind.TEXT, "Sí, gracias")]


MEDIA = ("image", "video", "audio", "document", "location", "contacts")


@pytest.mark.parametrize("kind", MEDIA)
def test_media_are_media(kind: str):
    content: object = [{"name": {}}] if kind == "contacts" else {"id": "1"}
    assert kinds(message(kind, content)) == [(MessageKind.MEDIA, "")]


@pytest.mark.parametrize(
    "unknown",
    [
        message("hologram", {"body": "Hola."}),
        message("poll_creation", {"name": "¿Cuándo?"}),
        message("unsupported", errors=[{"code": 131051}]),
    ],
    ids=lambda one: str(one["type"]),
)
def test_a_kind_that_nobody_knows_is_told_that_only_texts_are_read(unknown: dict[str, Any]):
    assert kinds(unknown) == [(MessageKind.MEDIA, "")]


def test_a_person_who_opens_the_chat_is_welcomed():
    assert kinds(message("request_welcome")) == [(MessageKind.START, "")]


PRODUCTS = [
    {"product_retailer_id": "A1", "quantity": 2, "item_price": 30, "currency": "EUR"},
    {"product_retailer_id": "B-7", "quantity": "1"},
]


@pytest.mark.parametrize(
    ("order", "text"),
    [
        (
            {"catalog_id": "1", "text": "Quiero dos, ¿cuándo llegan?", "product_items": PRODUCTS},
            "Quiero dos, ¿cuándo llegan?",
        ),
        ({"catalog_id": "1", "text": "", "product_items": PRODUCTS}, "2 × A1, 1 × B-7"),
        ({"product_items": [{"product_retailer_id": "A1"}, {"quantity": 3}, 7]}, "1 × A1"),
    ],
)
def test_an_order_is_what_was_written_to_it_or_else_its_products(order: dict[str, Any], text: str):
    assert kinds(message("order", order)) == [(MessageKind.ORDER, text)]


def test_an_order_of_nothing_is_left_alone():
    assert kinds(message("order", {"product_items": []}), message("order", "A1")) == []


def test_a_caption_is_one_more_text_behind_its_picture():
    messages = read(payload(OURS, image("¿Tenéis esta talla?", id="wamid.1")))
    assert [(each.provider_message_id, each.kind, each.text) for each in messages] == [
        ("wamid.1", MessageKind.MEDIA, ""),
        ("wamid.1:caption", MessageKind.TEXT, "¿Tenéis esta talla?"),
    ]


def test_a_person_who_hides_their_number_is_known_by_their_id():
    hidden = text_message("Hola.", **FROM_NOBODY, from_user_id="ES.1349120865")
    shown = text_message("Hola.", from_user_id="ES.1349120865")
    assert [each.chat_id for each in read(payload(OURS, hidden, shown))] == [
        "ES.1349120865",
        PERSON,
    ]


def test_a_message_without_a_time_was_sent_now():
    before = datetime.now(UTC)
    [each] = read(payload(OURS, text_message("Hola.", timestamp=None)))
    assert before <= each.sent_at <= datetime.now(UTC)
    assert each.position == int(each.sent_at.timestamp())


LEFT_ALONE: dict[str, dict[str, Any]] = {
    "a sticker": message("sticker", {"id": "1"}),
    "a reaction": message("reaction", {"message_id": "wamid.1", "emoji": "👍"}),
    "of the system": message("system", {"body": "changed their number", "type": "user_changed"}),
    "a form": message("interactive", {"type": "nfm_reply", "nfm_reply": {"body": "Sent"}}),
    "of a group": text_message("Hola.", group_id="Y2FwaV9n"),
    "nothing but spaces": text_message(" \n\u3000"),
    "no id": text_message("Hola.", id=None),
    "nobody": text_message("Hola.", **FROM_NOBODY),
    "an id of 201 characters": text_message("Hola.", id="w" * 201),
    "an id that no database takes": text_message("Hola.", id="w\x00"),
    "a list for a kind": text_message("Hola.", type=["text"]),
    "a text for an object": message("text", "Hola."),
}


@pytest.mark.parametrize("what", LEFT_ALONE)
def test_everything_else_is_left_alone(what: str):
    assert read(payload(OURS, LEFT_ALONE[what])) == []


def test_a_caption_whose_id_would_be_too_long_is_left_out():
    [only] = read(payload(OURS, image("Hola.", id="w" * 200)))
    assert only.kind is MessageKind.MEDIA


def test_a_text_is_kept_as_a_database_can_hold_it():
    sent = text_message("a\r\nb\x00\x1b\ud83dc" + "x" * 20_000)
    [(_, kept)] = kinds(sent)
    assert kept.startswith("a\nb\ufffdcx")
    assert len(kept) == 10_000


@given(json_values)
def test_no_json_whatsoever_raises_anything(content: object):
    assert_fit_for_the_database(read(content))


NAMES = ("id", "from", "from_user_id", "timestamp", "text", "image", "interactive", "button")
fields = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "image", "interactive", "button"]) | json_values},
    optional=dict.fromkeys(NAMES, json_values | st.builds(lambda any: {"body": any}, json_values)),
)


@given(st.lists(fields | json_values, max_size=3))
def test_no_fields_of_a_message_raise_anything(messages: list[dict[str, Any]]):
    content = payload(OURS)
    content["entry"][0]["changes"][0]["value"]["messages"] = messages
    assert_fit_for_the_database(read(content))


@given(json_values, st.sampled_from(["entry", "changes", "value", "metadata", "messages"]))
def test_no_level_of_a_call_raises_anything(anything: object, level: str):
    written = json.dumps(payload(OURS, text_message("Hola.")))
    content = json.loads(
        written, object_hook=lambda each: {**each, level: anything} if level in each else each
    )
    assert_fit_for_the_database(read(content))


# --- Plain text: channels/tests/test_whatsapp_markup.py -------------------------------------------


def test_a_text_is_plain_and_without_what_cannot_be_shown():
    assert make_number().as_plain("*Hola*\r\n\x00a_b\ud800") == "∗Hola∗\na_b\ufffd"


# --- What did not arrive --------------------------------------------------------------------------


def failed(code: object, *, chat_id: str = PERSON, **over: Any) -> dict[str, Any]:
    """The status of a message that the messenger had accepted."""
    errors = [{"code": code, "title": "Title", "message": "Words of Meta"}]
    return {**status("failed", chat_id=chat_id), "errors": errors, **over}


def undelivered(*statuses: dict[str, Any], number: str = OURS) -> list[Undelivered]:
    return list(make_number().read_undelivered(payload(number, statuses=list(statuses))))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (131042, CredentialsRefused),  # payment
        (131031, CredentialsRefused),  # locked
        (131026, ChatRefused),  # no WhatsApp
        (131047, ChatRefused),  # more than 24 hours
        (131051, TextRefused),
        (131048, MessengerBusy),
    ],
)
def test_a_failed_status_says_whether_the_account_a_person_or_a_text_is_refused(
    code: int, kind: type[MessengerFailed]
):
    [told] = undelivered(failed(code, timestamp=str(AN_HOUR_AGO)))

    assert type(told.failure) is kind
    assert told.chat_id == PERSON
    assert told.failed_at == datetime.fromtimestamp(AN_HOUR_AGO, UTC)


def test_only_failures_of_our_own_number_are_told():
    told = undelivered(status("read"), status("delivered"), failed(131026), status("sent"))

    assert [each.chat_id for each in told] == [PERSON]
    assert undelivered(failed(131026), number="5") == []


@pytest.mark.parametrize(
    "odd",
    [
        failed(131026, errors=[]),
        failed(131026, errors="131026"),
        failed("none"),
        failed(131026, recipient_id=None),
        failed(131026, recipient_id=["34"]),
    ],
)
def test_a_failure_that_names_no_code_or_person_is_left_alone(odd: dict[str, Any]):
    assert undelivered(odd) == []


@given(json_values)
def test_no_status_of_any_form_raises(content: object):
    number = make_number()
    number.read_undelivered(content)
    number.read_undelivered(payload(OURS, statuses=content))  # type: ignore[arg-type]
