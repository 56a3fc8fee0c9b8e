"""One-time codes that are tried out over many accounts: of each too few for its own limit."""

import logging
import uuid
from typing import Any

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import CodeAlarm, Tenant, User
from accounts.signing_in.guessing import SPRAYED_PHRASE
from accounts.tests.factories import PASSWORD, sign_staff_in
from config.security import rate_limits
from config.tests.parallel import in_parallel

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def usually_twenty(settings: Any) -> None:
    settings.CODE_ALARM = 20


def guess(number: int, *, network: int = 113) -> Any:
    body = {"email": f"person-{number}@example.org", "code": "123456", "purpose": "login"}
    address = f"203.0.{network}.{number % 250}"
    return APIClient().post("/auth/otp/verify", body, "json", REMOTE_ADDR=address)


def spray(times: int) -> list[int]:
    """One code of each account, each from an address of its own, of many networks."""
    return [guess(number, network=number % 250).status_code for number in range(times)]


def test_what_is_usual_raises_no_alarm(caplog: pytest.LogCaptureFixture) -> None:
    assert set(spray(20)) == {401}

    assert not CodeAlarm.objects.exists()
    assert SPRAYED_PHRASE not in caplog.text


def test_more_raise_it_once_for_the_log_and_the_staff(
    caplog: pytest.LogCaptureFixture, client: Client
) -> None:
    spray(25)

    alarm = CodeAlarm.objects.get()
    assert (alarm.wrong_codes, len(alarm.networks)) == (5, 5)
    assert [
        record.levelno for record in caplog.records if SPRAYED_PHRASE in record.getMessage()
    ] == [logging.ERROR]
    sign_staff_in(client, User.objects.create_superuser("root@example.com", PASSWORD))
    page = client.get("/admin/accounts/codealarm/").content.decode()
    assert "203.0.24.0/24" in page


def test_meanwhile_a_network_has_ten_guesses_and_others_go_on() -> None:
    spray(21)

    answers = [guess(number, network=200) for number in range(12)]

    assert [answer.status_code for answer in answers] == [401] * 10 + [429] * 2
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 900
    assert guess(1, network=201).status_code == 401


def test_without_alarm_a_network_may_mistype_more() -> None:
    assert {guess(number).status_code for number in range(15)} == {401}


def test_an_emptied_redis_does_not_take_the_alarm_back() -> None:
    spray(21)
    rate_limits.KEY_PREFIX = f"limits-{uuid.uuid4().hex}"

    assert CodeAlarm.objects.count() == 1


def test_many_at_once_raise_one_alarm(committed_tenant: Tenant) -> None:
    numbers = iter(range(50))

    in_parallel(lambda: guess(number := next(numbers), network=number).status_code)

    assert CodeAlarm.objects.get().wrong_codes == 30
