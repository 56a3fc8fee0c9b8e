"""Guessing at a second factor: fifty a day at most, ever slower, and its owner hears of it."""

import time
import uuid
from datetime import timedelta
from typing import Any

import pyotp
import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import OutgoingMail, Session, Tenant, TwoFactor, User
from accounts.signing_in.tokens import make_challenge
from accounts.signing_in.wrong_codes import WAITS
from accounts.tests.factories import make_session, make_user, switch_two_factor_on
from config.security import rate_limits
from config.tests.parallel import in_parallel

HOME, ELSEWHERE = "203.0.113.7", "198.51.100.1"
WRONG_RECOVERY_CODE = "zzzzz-zzzzz"
MINUTE = 60
DAY = timedelta(days=1)


@pytest.fixture
def ana(tenant: Tenant) -> User:
    """She has signed in at home before."""
    ana = make_user(tenant, email="ana@acme.es")
    make_session(ana, tenant)
    Session.objects.for_tenant(tenant).update(address=HOME)
    return ana


@pytest.fixture
def secret(ana: User) -> str:
    return switch_two_factor_on(ana)[0]


def verify(user: User, code: str, *, address: str = ELSEWHERE) -> Any:
    body = {"challenge": make_challenge(user.memberships.get()), "code": code}
    return APIClient().post("/auth/2fa/verify", body, "json", REMOTE_ADDR=address)


def guess(user: User, times: int, **more: str) -> None:
    for _ in range(times):
        assert verify(user, WRONG_RECOVERY_CODE, **more).status_code == 401


def guess_and_wait_it_out(user: User, times: int, **more: str) -> None:
    """As somebody does who has all the time: the waits pass, the day does not."""
    for _ in range(times):
        guess(user, 1, **more)
        shift(user, timedelta(seconds=-1))
        forget_redis()
        age_waits(user)


def shift(user: User, by: timedelta) -> None:
    """What was counted was so long ago."""
    row = TwoFactor.objects.get(user=user)
    row.wrong_codes = [[at + by.total_seconds(), *rest] for at, *rest in row.wrong_codes]
    if row.guessing_told_at:
        row.guessing_told_at += by
    row.save()


def age_waits(user: User) -> None:
    """Every wait but the day's is over: each was followed by nothing."""
    row = TwoFactor.objects.get(user=user)
    row.wrong_codes = [[at, is_known, True] for at, is_known, _ in row.wrong_codes]
    row.save()


def forget_redis() -> None:
    """As if it had been emptied: its keys are looked for under another name."""
    rate_limits.KEY_PREFIX = f"limits-{uuid.uuid4().hex}"


def right_code(secret: str) -> str:
    return pyotp.TOTP(secret).at(time.time())


def mails(template: str = "second_factor_guessed") -> list[OutgoingMail]:
    return list(OutgoingMail.all_tenants.filter(template=template))


def wait_of(answer: Any) -> int:
    assert (answer.status_code, answer.json()["error"]["code"]) == (429, "TOO_MANY_REQUESTS")
    return int(answer.headers["Retry-After"])


# --- The day --------------------------------------------------------------------------------------


def test_a_day_takes_forty_from_elsewhere_and_fifty_in_all(ana: User, secret: str) -> None:
    guess_and_wait_it_out(ana, 40)
    assert 80_000 < wait_of(verify(ana, right_code(secret))) <= DAY.total_seconds()

    guess_and_wait_it_out(ana, 10, address=HOME)
    assert 80_000 < wait_of(verify(ana, right_code(secret), address=HOME)) <= DAY.total_seconds()
    assert len(TwoFactor.objects.get(user=ana).wrong_codes) == 50


def test_an_emptied_redis_forgets_nothing_of_it(ana: User, secret: str) -> None:
    guess(ana, 10)
    forget_redis()

    assert 890 <= wait_of(verify(ana, right_code(secret))) <= 900


def test_the_next_day_has_its_own_number(ana: User, secret: str) -> None:
    guess_and_wait_it_out(ana, 40)
    shift(ana, -DAY)

    assert verify(ana, right_code(secret)).status_code == 200


def test_a_right_code_does_not_give_the_day_back(ana: User, secret: str) -> None:
    guess_and_wait_it_out(ana, 39)
    assert verify(ana, right_code(secret)).status_code == 200
    # Which made this a place that she has signed in from; of other places the number stands.
    guess(ana, 1, address="192.0.2.1")

    wait_of(verify(ana, WRONG_RECOVERY_CODE, address="192.0.2.1"))


def test_of_fifty_guesses_at_once_from_as_many_addresses_ten_are_looked_at(
    committed_tenant: Tenant,
) -> None:
    user = make_user(committed_tenant)
    switch_two_factor_on(user)
    addresses = iter(f"198.51.100.{number}" for number in range(50))

    def guess_once() -> int:
        return int(verify(user, WRONG_RECOVERY_CODE, address=next(addresses)).status_code)

    assert sorted(in_parallel(guess_once)) == [401] * 10 + [429] * 40


# --- The waits ------------------------------------------------------------------------------------


def test_the_waits_grow(ana: User, secret: str) -> None:
    waits = []
    for number, wait in enumerate(WAITS):
        for _ in range(10):
            guess(ana, 1)
            forget_redis()
            shift(ana, -wait)
        shift(ana, WAITS[number])
        waits.append(round(wait_of(verify(ana, right_code(secret))) / MINUTE))
        shift(ana, -wait)

    assert waits[:3] == [15, 30, 60]


def test_who_guesses_from_elsewhere_does_not_lock_the_owner_out(ana: User, secret: str) -> None:
    guess_and_wait_it_out(ana, 30)
    guess(ana, 10)
    wait_of(verify(ana, right_code(secret)))

    assert verify(ana, right_code(secret), address=HOME).status_code == 200


# --- The mail -------------------------------------------------------------------------------------


def test_the_owner_is_told_once_a_day(ana: User, secret: str) -> None:
    guess(ana, 4)
    assert mails() == []
    guess(ana, 6)
    assert [mail.recipient for mail in mails()] == ["ana@acme.es"]

    shift(ana, -DAY - timedelta(minutes=1))
    forget_redis()
    guess(ana, 5)
    assert len(mails()) == 2


def test_without_two_factor_nothing_is_counted(ana: User) -> None:
    assert verify(ana, "123456").status_code == 401
    assert not TwoFactor.objects.exists()


def test_it_is_of_the_last_day_alone(ana: User, secret: str) -> None:
    guess(ana, 3)
    shift(ana, -DAY)
    guess(ana, 1)

    (kept,) = TwoFactor.objects.get(user=ana).wrong_codes
    assert timezone.now().timestamp() - kept[0] < MINUTE
