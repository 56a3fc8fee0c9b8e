"""The service and its messengers for real: processes, `kill -9`, many chats at once.

The messengers and the language model are servers of the test. Waits for what it expects.
"""

from __future__ import annotations

import statistics
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from channels.tests.messenger_server import silence
from channels.tests.telegram_server import update
from config.embedded.postgres import program_folder
from config.embedded.processes import wait_until
from config.tests.service_copy import is_running
from webhooks.tests.running_copy import LEASE_SECONDS, QUESTION, HeldModel, Service, running_service
from webhooks.tests.secrets_at_work import Kept, new_key, put_to_work, settings_of

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]

CHATS = 200
DELIVERIES = 20
RECOVERY_SECONDS = 60 + 3 * LEASE_SECONDS
OWNER = "owner@ferries.example"
SALE = "I want to buy a return ticket for the boat to Ons island. My e-mail is eva@example.com"


@pytest.fixture(scope="module")
def keys() -> dict[str, str]:
    return {"old": new_key(), "new": new_key()}


@pytest.fixture(scope="module")
def service(keys: dict[str, str]) -> Iterator[Service]:
    with running_service(**settings_of(keys)) as service:
        yield service


@pytest.fixture(scope="module")
def kept(service: Service, keys: dict[str, str]) -> Kept:
    return put_to_work(service, keys)


def test_a_killed_worker_loses_no_chat_and_answers_none_twice(service: Service):
    agent_id = service.make_agent(
        "Killed", lead_capture_enabled=True, lead_notification_email=OWNER
    )
    token, queries = service.connect_telegram(agent_id), service.queries()
    model, asking, delivering = HeldModel(), (11, 12, 13), 21
    service.model.says(model.answer)
    service.telegram.fail(silence, times=float("inf"), name="sendMessage", chat_id=delivering)

    # Two wait for the model, one of them to buy something; one answer is on its way.
    texts = {11: QUESTION, 12: "How much is a return ticket to Ons island?", 13: SALE}
    assert [service.hear(token, texts[chat], chat) for chat in asking] == [200] * 3
    assert service.hear(token, "Hello", delivering) == 200
    for _ in asking:
        assert model.asked.acquire(timeout=60)
    assert wait_until(lambda: sends_to(service, delivering) == 1, timeout_seconds=60)
    assert service.telegram.texts() == []

    killed = service.worker()
    for process in killed:
        process.kill()
    started = time.monotonic()
    model.released.set()
    service.telegram.recover()
    assert wait_until(lambda: not any(map(is_running, killed)), timeout_seconds=60)
    assert wait_until(lambda: len(service.telegram.texts()) == 4, timeout_seconds=RECOVERY_SECONDS)
    say(f"killed: all answered after {time.monotonic() - started:.0f} s (lease {LEASE_SECONDS} s)")

    service.wait_until_idle()
    assert Counter(sent.chat_id for sent in service.telegram.sent) == {
        str(chat): 1 for chat in (*asking, delivering)
    }
    # What was asked of the model is asked once more; an answer that is written is not.
    assert service.queries() - queries == 2 * len(asking) + 1
    assert service.count("SELECT count(*) FROM query_lead WHERE session_id = '13'") == 1
    mails = "SELECT count(*) FROM accounts_outgoingmail WHERE recipient = %s"
    assert service.count(mails, OWNER) == 1


def test_a_message_that_is_delivered_twenty_times_at_once_is_answered_once(service: Service):
    agent_id = service.make_agent(
        "Delivered", lead_capture_enabled=True, lead_notification_email=OWNER
    )
    config, queries = service.connect_whatsapp(agent_id), service.queries()
    person, ready = "34600222333", threading.Barrier(DELIVERIES)

    def deliver(_: int) -> int:
        ready.wait()
        return service.hear_on_whatsapp(agent_id, config, SALE, person, id="wamid.TWENTY")

    with ThreadPoolExecutor(DELIVERIES) as pool:
        assert list(pool.map(deliver, range(DELIVERIES))) == [200] * DELIVERIES
    service.wait_until_idle()
    assert len(service.whatsapp.texts(person)) == 1
    assert service.queries() - queries == 1
    leads = "SELECT count(*) FROM query_lead WHERE session_id = %s"
    assert service.count(leads, person) == 1


def test_five_quick_messages_are_one_question_in_their_order(service: Service):
    token, queries = service.connect_telegram(service.make_agent("Quick")), service.queries()
    lines = ["Good morning", QUESTION, "On Sunday", "We are two", "And a dog"]
    asked = len(service.model.received)
    for line in lines:
        assert service.hear(token, line, 51) == 200
    service.wait_until_idle()
    assert len(service.telegram.texts(51)) == 1
    assert service.queries() - queries == 1
    assert ["\n".join(lines) in one.text for one in service.model.received[asked:]] == [True]


def test_of_two_hundred_chats_at_once_none_is_lost(service: Service):
    token, queries = service.connect_telegram(service.make_agent("Many")), service.queries()
    chats, ready, times = range(1000, 1000 + CHATS), threading.Barrier(CHATS), list[float]()

    def deliver(chat: int) -> int:
        message = update(QUESTION, chat_id=chat)
        ready.wait()
        began = time.monotonic()
        status = service.telegram.deliver(token, message)
        times.append(time.monotonic() - began)
        return status

    started = time.monotonic()
    with ThreadPoolExecutor(CHATS) as pool:
        assert list(pool.map(deliver, chats)) == [200] * CHATS
    service.wait_until_idle(120)
    answered = Counter(sent.chat_id for sent in service.telegram.sent if sent.account == token)
    assert answered == {str(chat): 1 for chat in chats}
    assert service.queries() - queries == CHATS
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    say(f"{CHATS} chats: webhook p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms")
    say(f"{CHATS} chats: all answered after {time.monotonic() - started:.0f} s")
    say(f"memory of the worker: {memory_mb(service.worker())} MB")


def test_a_channel_that_is_disconnected_takes_no_more_messages(service: Service):
    agent_id = service.make_agent("Gone")
    token = service.connect_telegram(agent_id)
    webhook = service.telegram.webhooks[token]
    answered = service.request("DELETE", f"/agents/{agent_id}/channels/messenger_a")
    assert (answered.status, answered.text) == (204, "")
    assert token not in service.telegram.webhooks
    service.telegram.webhooks[token] = webhook  # a messenger that was not told goes on calling
    assert service.hear(token, QUESTION, 61) == 404


# --- Secrets -------------------------------------------------------------------------------------


def test_secrets_and_texts_are_not_in_the_database_dump(kept: Kept):
    url = f"{kept.service.url_of('PostgreSQL')}&options=-c%20knowledge.migrating%3Don"
    command = [str(program_folder() / "pg_dump"), url, "--enable-row-security"]
    dump = subprocess.run(command, capture_output=True, check=True).stdout
    assert kept.search().found_in(dump) == {"canary"}


def test_secrets_and_texts_are_in_no_file_but_the_keys(kept: Kept):
    found = kept.search().found_in_folder(kept.service.copy.data_dir)
    assert found != {}
    assert {name for names in found.values() for name in names} == {"canary"}, found


def test_secrets_and_texts_are_not_in_what_was_logged(kept: Kept):
    output = kept.service.copy.output()
    assert " DEBUG " in output
    assert kept.search().found_in(output + kept.output) == {"canary"}


def test_secrets_and_texts_are_not_in_redis(kept: Kept):
    with kept.service.redis() as client:
        assert kept.search().found_in_redis(client) == {"canary"}


def test_secrets_and_texts_are_in_no_answer_of_ours(kept: Kept):
    assert kept.search().found_in("\n".join(kept.service.answers)) == {"canary"}


def test_secrets_and_texts_are_not_in_command_lines(kept: Kept):
    lines = [" ".join(process.cmdline()) for process in kept.service.copy.processes()]
    assert len(lines) > 10
    assert kept.search().found_in("\n".join(lines)) == set()


# --- Looking -------------------------------------------------------------------------------------


def sends_to(service: Service, chat: int) -> int:
    calls = service.telegram.calls_of("sendMessage")
    return sum(call.body["chat_id"] == chat for call in calls)


def memory_mb(processes: list[psutil.Process]) -> int:
    return int(sum(process.memory_info().rss for process in processes) / 1024**2)


def say(text: str) -> None:
    print(text)  # noqa: T201 - times are told, not judged
