"""How long a statement of a request may take, and that nobody else has a limit."""

from collections.abc import Callable, Iterator

import pytest
from celery import shared_task
from django.db import OperationalError, connection, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from accounts.models import Tenant
from config import settings as product
from config.database.acting import as_migrations, as_nobody, as_tenant, over_all_tenants
from config.database.limits import allowing_statements
from config.database.requests import ActingMiddleware
from config.rest.handling import to_service_error


def current_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW statement_timeout")
        (found,) = cursor.fetchone() or ("",)
    return str(found)


def seen_by_a_request(path: str = "/agents", *, allowing: int = 0) -> str:
    def view(request: HttpRequest) -> HttpResponse:
        with allowing_statements(allowing):
            return HttpResponse(current_timeout())

    return answer_of(view, path)


def answer_of(view: Callable[[HttpRequest], HttpResponse], path: str = "/agents") -> str:
    answer = ActingMiddleware(view)(RequestFactory().get(path))
    assert isinstance(answer, HttpResponse)
    return answer.content.decode()


def test_ten_seconds_are_the_products_limit_unless_the_operator_says_otherwise() -> None:
    assert product.STATEMENT_SECONDS == 10


@pytest.mark.django_db
def test_a_statement_of_a_request_is_limited_whoever_it_acts_as(settings: Settings) -> None:
    settings.STATEMENT_SECONDS = 10

    def view(request: HttpRequest) -> HttpResponse:
        with over_all_tenants():
            maintenance = current_timeout()
        return HttpResponse(f"{current_timeout()} {maintenance}")

    assert answer_of(view) == "10s 10s"


@pytest.mark.django_db
def test_our_staff_have_a_minute() -> None:
    assert seen_by_a_request("/admin/") == "1min"


@pytest.mark.django_db
def test_what_takes_longer_is_ended_and_answered_with_503(settings: Settings) -> None:
    settings.STATEMENT_SECONDS = 1

    def view(request: HttpRequest) -> HttpResponse:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(60)")
        return HttpResponse()

    with pytest.raises(OperationalError, match="statement timeout") as raised, transaction.atomic():
        ActingMiddleware(view)(RequestFactory().get("/agents"))

    assert to_service_error(raised.value).status == 503


@pytest.mark.django_db
def test_what_is_known_to_be_long_may_be(settings: Settings) -> None:
    settings.STATEMENT_SECONDS = 10

    assert seen_by_a_request(allowing=300) == "5min"
    assert seen_by_a_request(allowing=5) == "10s"


@pytest.mark.django_db
def test_a_stream_is_limited_as_its_request_is(settings: Settings) -> None:
    settings.STATEMENT_SECONDS = 10

    def chunks() -> Iterator[bytes]:
        yield current_timeout().encode()

    response = ActingMiddleware(lambda request: StreamingHttpResponse(chunks()))(
        RequestFactory().get("/agents")
    )

    assert list(response) == [b"10s"]


@shared_task
def tell_timeout() -> str:
    with over_all_tenants():
        return current_timeout()


@pytest.mark.django_db
def test_tasks_commands_and_migrations_have_no_limit() -> None:
    assert tell_timeout.apply().get() == "0"
    for acting in (as_nobody, over_all_tenants, as_migrations):
        with acting(), allowing_statements(300):
            assert current_timeout() == "0"


def test_nothing_of_it_stays_on_the_connection(
    settings: Settings, committed_tenant: Tenant
) -> None:
    """Outside a transaction: the next who takes it from the pool begins anew."""
    assert seen_by_a_request() != "0"

    with as_tenant(committed_tenant.pk):
        assert current_timeout() == "0"
