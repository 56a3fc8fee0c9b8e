"""POST /webhooks/messenger_a/{agent_id} and /webhooks/messenger_b/agent/{agent_id}."""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import socket
import time
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from celery import current_app
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import Tenant
from agents.models import Agent
from agents.tests.factories import make_agent
from channels.connections import mark_working
from channels.models import ChannelConnection, ConnectionStatus
from channels.tests.factories import APP_SECRET, SECRET_TOKEN, make_config, make_connection
from config.security.rate_limits import Limit
from config.tests.parallel import in_parallel
from query.services.notifications import list_notifications
from webhooks import services
from webhooks.inbox import open_text
from webhooks.models import Chat, InboundMessage
from webhooks.tests.factories import make_chat

TELEGRAM_HEADER = "X-Telegram-Bot-Api-Secret-Token"
SPECIFIED_HEADER = "X-MessengerA-Bot-Api-Secret-Token"
DEEP = b'{"message":' + b"[" * 60_000

NOT_GENUINE = {
    "error": {
        "code": "UNAUTHORIZED",
        "message": "The call does not prove that it comes from the messenger.",
    }
}
NO_JSON = {"error": {"code": "INVALID_REQUEST_BODY", "message": "The body is not valid JSON."}}


@pytest.fixture
def agent(tenant: Tenant) -> Agent:
    return make_agent(tenant)


@pytest.fixture
def bot(agent: Agent) -> ChannelConnection:
    return make_connection(agent, "messenger_a")


@pytest.fixture
def number(agent: Agent) -> ChannelConnection:
    return make_connection(agent, "messenger_b")


@pytest.fixture(autouse=True)
def enqueued(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What would be handed to a worker: (task's name, its arguments, countdown)."""
    calls: list[tuple[Any, ...]] = []

    def enqueue(task: Any, *arguments: str, countdown_seconds: float = 0) -> bool:
        calls.append((task.name, *arguments, countdown_seconds))
        return True

    monkeypatch.setattr(services, "enqueue", enqueue)
    return calls


# --- What messengers send -------------------------------------------------------------------------


def update(text: str = "Is the pool heated?", *, number: int = 1, chat: int = 77) -> dict[str, Any]:
    """Of Telegram's Bot API: a private chat's text."""
    return {
        "update_id": 1000 + number,
        "message": {
            "message_id": number,
            "from": {"id": chat, "is_bot": False, "first_name": "Ada", "language_code": "en"},
            "chat": {"id": chat, "first_name": "Ada", "type": "private"},
            "date": int(time.time()),
            "text": text,
        },
    }


def notification(connection: ChannelConnection, *messages: dict[str, Any], **more: Any) -> Any:
    """Of WhatsApp's Cloud API: one entry, one change."""
    value = {
        "messaging_product": "whatsapp",
        "metadata": {
            "display_phone_number": "15550100",
            "phone_number_id": connection.account,
        },
        "contacts": [
            {"profile": {"name": "Ada"}, "wa_id": message["from"]} for message in messages
        ],
        "messages": list(messages),
        **more,
    }
    return {
        "object": "whatsapp_business_account",
        "entry": [{"id": "9", "changes": [{"field": "messages", "value": value}]}],
    }


def words(text: str, *, number: int = 1, person: str = "34600000001") -> dict[str, Any]:
    return {
        "from": person,
        "id": f"wamid.{number}",
        "timestamp": str(int(time.time())),
        "type": "text",
        "text": {"body": text},
    }


def as_bytes(payload: object) -> bytes:
    return payload if isinstance(payload, bytes) else json.dumps(payload).encode()


def post(path: str, body: bytes, headers: dict[str, str], **more: Any) -> Any:
    client: Any = APIClient(raise_request_exception=False)
    content_type = more.pop("content_type", "application/json")
    return client.generic("POST", path, body, content_type, headers=headers, **more)


def deliver_a(
    connection: ChannelConnection,
    payload: object,
    *,
    secret: str = SECRET_TOKEN,
    header: str = TELEGRAM_HEADER,
    **more: Any,
) -> Any:
    path = f"/webhooks/messenger_a/{connection.agent_id}"
    return post(path, as_bytes(payload), {header: secret}, **more)


def deliver_b(
    connection: ChannelConnection, payload: object, *, secret: str = APP_SECRET, **more: Any
) -> Any:
    body = as_bytes(payload)
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    path = f"/webhooks/messenger_b/agent/{connection.agent_id}"
    return post(path, body, {"X-Hub-Signature-256": f"sha256={signature}"}, **more)


def texts(connection: ChannelConnection) -> list[tuple[str, str]]:
    """(chat, text) of what was kept, in the order of arrival."""
    rows = InboundMessage.objects.for_tenant(connection.tenant).filter(connection=connection)
    return [
        (row.chat.external_id, open_text(row)) for row in rows.select_related("chat").order_by("id")
    ]


def assert_taken(answer: HttpResponse) -> None:
    assert (answer.status_code, answer.content) == (200, b"{}")
    assert answer["Content-Type"] == "application/json"


# --- A message ------------------------------------------------------------------------------------


@pytest.mark.parametrize("header", [TELEGRAM_HEADER, SPECIFIED_HEADER])
def test_an_update_is_kept_and_its_chat_handed_to_a_worker(bot, enqueued, header):
    assert_taken(deliver_a(bot, update("¿Hay piscina? 🏊"), header=header))

    assert texts(bot) == [("77", "¿Hay piscina? 🏊")]
    chat = Chat.objects.for_tenant(bot.tenant).get()
    assert enqueued == [("webhooks.tasks.tend_chat", str(chat.pk), str(bot.tenant_id), 1.5)]
    assert chat.due_at is not None
    assert chat.due_at > timezone.now()


def test_a_signed_notification_is_kept_and_its_chat_handed_to_a_worker(number, enqueued):
    assert_taken(deliver_b(number, notification(number, words("¿Hay piscina?"))))

    assert texts(number) == [("34600000001", "¿Hay piscina?")]
    assert len(enqueued) == 1


def test_a_batch_is_kept_whole_and_each_chat_handed_over_once(number, enqueued):
    batch = [
        words("one", number=1, person="34600000001"),
        words("two", number=2, person="34600000002"),
        words("three", number=3, person="34600000003"),
        words("four", number=4, person="34600000001"),
    ]
    statuses = [{"id": "wamid.sent", "status": "read", "timestamp": "1", "recipient_id": "3460"}]
    payload = notification(number, *batch[:3], statuses=statuses)
    payload["entry"] += notification(number, batch[3])["entry"]
    payload["entry"][0]["changes"].append(
        {"field": "messages", "value": {**notification(number)["entry"][0]["changes"][0]["value"]}}
    )

    assert_taken(deliver_b(number, payload))

    assert sorted(texts(number)) == [
        ("34600000001", "four"),
        ("34600000001", "one"),
        ("34600000002", "two"),
        ("34600000003", "three"),
    ]
    assert len(enqueued) == len({arguments[1] for arguments in enqueued}) == 3


def test_of_many_chats_in_one_call_beat_finds_most(number, enqueued):
    people = [str(34_600_000_000 + count) for count in range(25)]
    batch = [words("hi", number=count, person=person) for count, person in enumerate(people)]

    assert_taken(deliver_b(number, notification(number, *batch)))

    assert (len(texts(number)), len(enqueued)) == (25, 20)
    assert Chat.objects.for_tenant(number.tenant).filter(due_at__isnull=False).count() == 25


def test_of_many_calls_for_a_tenant_beat_finds_most_and_another_tenants_is_handed_over(
    bot, enqueued, other_tenant, monkeypatch
):
    monkeypatch.setattr(services, "HANDED_OVER_OF_TENANT", Limit("chats_handed_over", 2, 3600))
    for person in range(1, 5):
        assert_taken(deliver_a(bot, update("Hi", number=person, chat=person)))
    theirs = make_connection(make_agent(other_tenant), "messenger_a")
    assert_taken(deliver_a(theirs, update("Hi")))

    assert [tenant for _, _, tenant, _ in enqueued] == [
        str(bot.tenant_id),
        str(bot.tenant_id),
        str(other_tenant.pk),
    ]
    assert Chat.objects.for_tenant(bot.tenant).filter(due_at__isnull=False).count() == 4


def test_a_call_with_more_messages_than_a_messenger_sends_is_refused(number):
    batch = [words("hi", number=count) for count in range(1001)]

    answer = deliver_b(number, notification(number, *batch))

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "INVALID_REQUEST_BODY"
    assert texts(number) == []


def test_a_redelivery_is_taken_and_hands_nothing_over(bot, number, enqueued):
    for _ in range(3):
        assert_taken(deliver_a(bot, update()))
        assert_taken(deliver_b(number, notification(number, words("Hello"))))

    assert (len(texts(bot)), len(texts(number)), len(enqueued)) == (1, 1, 2)


def test_the_text_is_not_readable_in_the_database(bot):
    deliver_a(bot, update("my door code is 4711"))

    [row] = InboundMessage.objects.for_tenant(bot.tenant).values_list()
    assert not any(b"4711" in bytes(value) for value in row if isinstance(value, memoryview))
    assert "4711" not in str(row)


def test_an_inactive_agents_messages_are_kept(bot, agent):
    agent.status = "inactive"
    agent.save()

    assert_taken(deliver_a(bot, update()))
    assert len(texts(bot)) == 1


@pytest.mark.parametrize("content_type", ["", "text/plain", "application/x-www-form-urlencoded"])
def test_whatever_type_the_body_says_to_be_its_bytes_are_read(bot, number, content_type):
    assert_taken(deliver_a(bot, update(), content_type=content_type))
    assert_taken(deliver_b(number, notification(number, words("Hi")), content_type=content_type))

    assert (len(texts(bot)), len(texts(number))) == (1, 1)


# --- What is no message for us --------------------------------------------------------------------


def with_message(**fields: Any) -> dict[str, Any]:
    made = update()
    del made["message"]["text"]
    made["message"].update(fields)
    return made


NOTHING_OF_A = {
    "an edit": {"update_id": 5, "edited_message": update()["message"]},
    "a sticker": with_message(sticker={"file_id": "x", "emoji": "👍"}),
    "a group's": with_message(text="Hello", chat={"id": -5, "type": "group", "title": "All"}),
    "an unknown kind": {"update_id": 6, "message_of_2030": {"chat": {"id": 77}}},
    "an id alone": {"update_id": 7},
    "an id that no row can hold": {**update(), "update_id": 10**30},
    "a chat that no row can hold": with_message(
        text="Hi", chat={"id": "7" * 201, "type": "private"}
    ),
    "an empty object": {},
    "an array": [1, [2], {"message": {}}],
    "a number": 7,
    "a text": "hello",
    "null": None,
    "other types": {"update_id": "x", "message": {"chat": 5, "text": ["a"], "date": {}}},
}


@pytest.mark.parametrize("name", NOTHING_OF_A)
def test_messenger_a_what_is_not_for_us_is_taken_and_not_kept(bot, enqueued, name):
    assert_taken(deliver_a(bot, NOTHING_OF_A[name]))

    assert not Chat.objects.for_tenant(bot.tenant).exists()
    assert enqueued == []


NOTHING_OF_B: dict[str, Callable[[ChannelConnection], object]] = {
    "statuses": lambda number: notification(
        number, statuses=[{"id": "wamid.1", "status": "delivered", "recipient_id": "346"}]
    ),
    "a reaction": lambda number: notification(
        number, {**words(""), "type": "reaction", "reaction": {"emoji": "👍"}}
    ),
    "another number's": lambda number: notification(
        number, words("Hi"), metadata={"phone_number_id": "another"}
    ),
    "an id that no row can hold": lambda number: notification(
        number, {**words("Hi"), "id": "w\x00"}
    ),
    "another field": lambda number: {"entry": [{"changes": [{"field": "account_update"}]}]},
    "an empty object": lambda number: {},
    "an array": lambda number: [1, {"entry": 5}],
    "null": lambda number: None,
    "other types": lambda number: {"entry": {"changes": [5]}, "object": 7},
}


@pytest.mark.parametrize("name", NOTHING_OF_B)
def test_messenger_b_what_is_not_for_us_is_taken_and_not_kept(number, enqueued, name):
    assert_taken(deliver_b(number, NOTHING_OF_B[name](number)))

    assert not Chat.objects.for_tenant(number.tenant).exists()
    assert enqueued == []


# --- Who may deliver ------------------------------------------------------------------------------


def assert_refused(answer: HttpResponse, connection: ChannelConnection) -> None:
    assert (answer.status_code, json.loads(answer.content)) == (401, NOT_GENUINE)
    assert answer["WWW-Authenticate"] == "Bearer"
    assert texts(connection) == []


@pytest.mark.parametrize("secret", ["wrong", "", SECRET_TOKEN + "x", SECRET_TOKEN[:-1], "ñ"])
def test_messenger_a_without_its_secret_is_refused(bot, secret):
    assert_refused(deliver_a(bot, update(), secret=secret), bot)


def test_messenger_b_whose_signature_is_of_another_secret_or_other_bytes_is_refused(number):
    path = f"/webhooks/messenger_b/agent/{number.agent_id}"
    body = as_bytes(notification(number, words("Hi")))
    right = hmac.new(APP_SECRET.encode(), body, hashlib.sha256).hexdigest()

    assert_refused(deliver_b(number, body, secret="wrong"), number)
    for signature in (right, "sha256=", f"sha1={right}", f"sha256={right}0", "sha256=ñ", ""):
        assert_refused(post(path, body, {"X-Hub-Signature-256": signature}), number)
    assert_refused(post(path, body, {}), number)
    signed = {"X-Hub-Signature-256": f"sha256={right}"}
    assert_refused(post(path, body.replace(b"Hi", b"Ho"), signed), number)
    assert_refused(post(path, body + b" ", signed), number)


def test_the_secret_of_another_agent_is_a_wrong_one(bot, number, other_tenant):
    theirs = make_agent(other_tenant)
    config_a = make_config("messenger_a", secret_token="theirs")
    config_b = make_config("messenger_b", app_secret="theirs")
    make_connection(theirs, "messenger_a", config=config_a)
    make_connection(theirs, "messenger_b", config=config_b)

    for deliver, connection in ((deliver_a, bot), (deliver_b, number)):
        other, wrong = (deliver(connection, {}, secret=secret) for secret in ("theirs", "nobody's"))
        assert_refused(other, connection)
        assert other.content == wrong.content
        assert free_headers(other) == free_headers(wrong)


def free_headers(answer: HttpResponse) -> dict[str, str]:
    return {name: value for name, value in answer.items() if name != "X-Request-ID"}


def test_nothing_is_parsed_before_its_sender_is_proved(bot, number, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr(services, "parse", fail)

    for body in (DEEP, b"\xff\xfe", b"1" * 60_000, b""):
        assert_refused(deliver_a(bot, body, secret="wrong"), bot)
        assert_refused(deliver_b(number, body, secret="wrong"), number)


def test_calls_are_noted_at_most_once_a_minute(bot):
    def noted() -> tuple[object, object]:
        bot.refresh_from_db()
        return bot.last_call_at, bot.last_refused_at

    deliver_a(bot, update(), secret="wrong")
    called, refused = noted()
    assert called is None
    assert refused is not None
    deliver_a(bot, update())
    called, _ = noted()
    assert called is not None
    deliver_a(bot, update(), secret="wrong")
    deliver_a(bot, update())
    assert noted() == (called, refused)


def test_an_agent_that_is_not_at_the_channel_was_never_there(bot, number, tenant):
    nowhere = make_agent(tenant)
    web = make_connection(make_agent(tenant), "web")

    for agent_id in (uuid.uuid4(), nowhere.pk, web.agent_id, "not-an-id", "%00"):
        for path in (
            f"/webhooks/messenger_a/{agent_id}",
            f"/webhooks/messenger_b/agent/{agent_id}",
        ):
            answer = post(path, as_bytes(update()), {TELEGRAM_HEADER: SECRET_TOKEN})
            assert answer.status_code == 404
            assert answer.json() == {
                "error": {"code": "AGENT_NOT_FOUND", "message": "There is no such agent."}
            }


def test_when_no_key_opens_the_secrets_the_messenger_is_to_come_again(
    bot, number, settings, caplog
):
    settings.CHANNEL_ENCRYPTION_KEYS = [b"k" * 32]
    caplog.clear()

    answers = [deliver_a(bot, update()), deliver_b(number, notification(number, words("Hi")))]

    for answer in answers:
        assert answer.status_code == 503
        assert answer.json() == {
            "error": {
                "code": "SERVICE_UNAVAILABLE",
                "message": (
                    "This channel cannot accept messages right now. Deliver them again later."
                ),
            }
        }
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 2
    assert str(bot.agent_id) in caplog.text
    assert "CannotDecrypt" in caplog.text
    assert SECRET_TOKEN not in caplog.text


# --- The body -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe{\x00}\x00",
        b'{"update_id": "\xff"}',
        b"\xef\xbb\xbf{}",
        b'{"update_id": ' + b"1" * 5000 + b"}",
        b'{"update_id": NaN}',
        DEEP,
    ],
    ids=["empty", "cut", "UTF-16", "no UTF-8", "BOM", "endless number", "NaN", "deep"],
)
def test_what_is_no_json_is_refused(bot, number, body):
    for answer in (deliver_a(bot, body), deliver_b(number, body)):
        assert (answer.status_code, answer.json()) == (400, NO_JSON)


def padded(payload: object, size: int) -> bytes:
    return as_bytes(payload).ljust(size)


def test_a_body_may_have_as_much_as_its_messenger_sends(bot, number):
    small, large = 256 * 1024, 3 * 1024 * 1024

    assert_taken(deliver_a(bot, padded(update(), small)))
    assert_taken(deliver_b(number, padded(notification(number, words("Hi")), large)))
    for answer in (
        deliver_a(bot, padded(update(number=2), small + 1)),
        deliver_b(number, padded(notification(number, words("Ho", number=2)), large + 1)),
    ):
        assert answer.status_code == 400
        assert answer.json() == {
            "error": {
                "code": "INVALID_REQUEST_BODY",
                "message": "The request body is too large.",
            }
        }
    assert (len(texts(bot)), len(texts(number))) == (1, 1)


class Unread(io.BytesIO):
    """A body that nobody may wait for."""

    def read(self, size: int | None = -1) -> bytes:
        raise AssertionError("a body was read")


@pytest.mark.parametrize(
    ("header", "given", "status"),
    [
        (TELEGRAM_HEADER, SECRET_TOKEN, 404),
        ("X-Hub-Signature-256", f"sha256={'a' * 64}", 404),
        (TELEGRAM_HEADER, "a guess", 401),
        ("X-Hub-Signature-256", "", 401),
        ("X-Hub-Signature-256", "sha256=short", 401),
    ],
)
def test_what_proves_nothing_is_answered_without_its_body(bot, number, header, given, status):
    kind, connection = (
        ("messenger_a", bot) if header == TELEGRAM_HEADER else ("messenger_b/agent", number)
    )
    agent_id = uuid.uuid4() if status == 404 else connection.agent_id
    waiting = {"wsgi.input": Unread(), "CONTENT_LENGTH": "60000"}

    answer = post(f"/webhooks/{kind}/{agent_id}", b"", {header: given}, **waiting)

    assert answer.status_code == status


def test_a_body_without_a_length_is_refused(bot):
    answer = deliver_a(bot, b"", HTTP_TRANSFER_ENCODING="chunked", CONTENT_LENGTH="")

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "INVALID_REQUEST_BODY")


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
def test_other_methods_are_refused(api, bot, number, method):
    for path in (
        f"/webhooks/messenger_a/{bot.agent_id}",
        f"/webhooks/messenger_b/agent/{number.agent_id}",
    ):
        assert api.generic(method, path).status_code == 405
    assert api.get(f"/webhooks/messenger_a/{bot.agent_id}").status_code == 405
    assert api.head(f"/webhooks/messenger_a/{bot.agent_id}").status_code == 405


# --- Soon, whatever else has stopped --------------------------------------------------------------


def test_what_a_delivery_costs(bot, django_assert_num_queries):
    """In queries; two of those that write are the savepoint that stands for the transaction."""
    with django_assert_num_queries(10):
        deliver_a(bot, update())
    with django_assert_num_queries(5):
        deliver_a(bot, update())
    with django_assert_num_queries(8):
        deliver_a(bot, update(number=2))
    with django_assert_num_queries(2):
        deliver_a(bot, update(number=3), secret="wrong")
    with django_assert_num_queries(1):
        deliver_a(bot, update(number=3), secret="wrong")


@pytest.fixture
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broker is at a port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setitem(current_app.conf, "broker_write_url", f"redis://127.0.0.1:{port}/0")


def test_without_redis_it_is_taken_as_soon_and_beat_finds_it(number, monkeypatch, nobody_listens):
    from config.jobs.enqueueing import enqueue

    monkeypatch.setattr(services, "enqueue", enqueue)
    batch = [words("Hi", number=n, person=f"3460000000{n}") for n in range(5)]

    started = time.monotonic()
    assert_taken(deliver_b(number, notification(number, *batch)))
    assert time.monotonic() - started < 5

    due = Chat.objects.for_tenant(number.tenant).filter(due_at__isnull=False)
    assert due.count() == 5


def test_no_limit_counts_it(bot, tenant):
    tenant.plan.max_requests_per_minute = 1
    tenant.plan.save()

    for number in range(5):
        assert_taken(deliver_a(bot, update(number=number)))


# --- At the same time -----------------------------------------------------------------------------


@pytest.fixture
def committed_bot(committed_tenant: Tenant) -> ChannelConnection:
    return make_connection(make_agent(committed_tenant), "messenger_a")


def test_twenty_five_deliveries_at_once_keep_one_message_and_hand_it_over_once(
    committed_bot, enqueued
):
    payload = update()

    answers = in_parallel(lambda: deliver_a(committed_bot, payload), times=25)

    assert {answer.status_code for answer in answers} == {200}
    assert texts(committed_bot) == [("77", "Is the pool heated?")]
    assert len(enqueued) == 1


# --- Messages of ours that did not arrive ---------------------------------------------------------


def not_delivered(
    number: ChannelConnection, code: int, *, person: str = "34600000001", ago: int = 0
) -> Any:
    """A call that tells of a failed message, a second old at least."""
    sent = {
        "id": "wamid.out",
        "status": "failed",
        "timestamp": str(int(time.time()) - ago),
        "recipient_id": person,
        "errors": [{"code": code, "title": "Payment", "message": "Business eligibility"}],
    }
    return notification(number, statuses=[sent])


def kinds_told(tenant: Tenant) -> list[str]:
    return [one.kind for one in list_notifications(tenant)]


def test_a_failure_of_the_whole_account_stops_the_channel_and_is_told(number):
    for _ in range(3):
        assert_taken(deliver_b(number, not_delivered(number, 131042)))

    number.refresh_from_db()
    assert number.status == ConnectionStatus.FAILING
    assert number.error.code == "channel_stopped"
    assert "Business eligibility" in number.error_message
    assert kinds_told(number.tenant) == ["channel_failed"]


def test_an_account_that_fails_again_the_same_day_is_not_told_again(number):
    deliver_b(number, not_delivered(number, 131042))
    mark_working(number)
    deliver_b(number, not_delivered(number, 131042))

    number.refresh_from_db()
    assert number.status == ConnectionStatus.FAILING
    assert len(kinds_told(number.tenant)) == 1


def test_a_failure_of_one_chat_is_a_reason_and_the_channel_goes_on(number):
    make_chat(number, external_id="34600000001")

    assert_taken(deliver_b(number, not_delivered(number, 131026)))

    number.refresh_from_db()
    assert number.status == ConnectionStatus.CONNECTED
    assert number.error.code == "chat_unanswerable"
    assert kinds_told(number.tenant) == []


@pytest.mark.parametrize(
    ("code", "person", "ago"),
    [
        (131026, "34999999999", 0),  # somebody to whom another program writes
        (131048, "34600000001", 0),  # too many at once: the messenger's own limit
        (131042, "34600000001", 7200),  # before the channel was connected again
    ],
)
def test_a_failure_that_is_not_of_this_channel_now_is_passed_over(number, code, person, ago):
    make_chat(number, external_id="34600000001")

    assert_taken(deliver_b(number, not_delivered(number, code, person=person, ago=ago)))

    number.refresh_from_db()
    assert (number.status, number.error_message) == (ConnectionStatus.CONNECTED, "")


def test_a_failure_told_with_a_wrong_signature_stops_nothing(number):
    answer = deliver_b(number, not_delivered(number, 131042), secret="another")

    assert answer.status_code == 401
    number.refresh_from_db()
    assert number.status == ConnectionStatus.CONNECTED
