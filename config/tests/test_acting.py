"""As whom each statement acts, and that nothing of it stays behind."""

import threading
import uuid
from collections.abc import Iterator
from contextvars import copy_context
from typing import Any

import psycopg
import pytest
from celery import shared_task
from django.db import DatabaseError, NotSupportedError, ProgrammingError, connection, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from accounts.models import Tenant
from config.database.acting import (
    NOBODY,
    Acting,
    DatabaseRole,
    as_nobody,
    as_staff,
    as_tenant,
    current_acting,
    over_all_tenants,
    turn_to_tenant,
)
from config.database.requests import ActingMiddleware
from sources.models import Source
from sources.tests.factories import make_source

WHO = "SELECT current_user, current_setting('knowledge.tenant', true)"


def who() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(WHO)
        row: tuple[str, str] = cursor.fetchone()
    return row


def who_without_a_preamble() -> tuple[str, str]:
    """What is left on the connection, past our cursor."""
    connection.ensure_connection()
    with psycopg.ClientCursor(connection.connection) as cursor:
        row = cursor.execute(WHO).fetchone()
    assert row is not None
    return row[0], row[1] or ""


# --- Statements -----------------------------------------------------------------------------------


@pytest.mark.django_db
def test_a_statement_acts_as_whoever_asks(tenant: Tenant) -> None:
    with as_nobody():
        assert who() == ("knowledge_serving", "")
    with as_tenant(tenant.pk):
        assert who() == ("knowledge_serving", str(tenant.pk))
        with over_all_tenants():
            assert who() == ("knowledge_maintenance", "")
        assert who() == ("knowledge_serving", str(tenant.pk))
    with as_staff():
        assert who() == ("knowledge_staff", "")


def test_a_connection_carries_nothing_over(committed_tenant: Tenant) -> None:
    """Outside a transaction, after one, and after one that was rolled back."""
    login = who_without_a_preamble()
    assert login[0] not in list(DatabaseRole)

    with as_tenant(committed_tenant.pk):
        assert who() == ("knowledge_serving", str(committed_tenant.pk))
        assert who_without_a_preamble() == login
        with transaction.atomic():
            assert who_without_a_preamble() == login
            who()
            assert who_without_a_preamble() == ("knowledge_serving", str(committed_tenant.pk))
        assert who_without_a_preamble() == login
        with pytest.raises(ProgrammingError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT nothing")
        assert who_without_a_preamble() == login


@pytest.mark.django_db
def test_a_transaction_that_failed_can_be_rolled_back_to_its_savepoint(tenant: Tenant) -> None:
    with as_tenant(tenant.pk):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1/0")

        assert who() == ("knowledge_serving", str(tenant.pk))


@pytest.mark.django_db
def test_what_would_go_out_without_saying_as_whom_is_refused() -> None:
    with connection.cursor() as cursor:
        with pytest.raises(NotSupportedError):
            cursor.executemany("SELECT %s", [[1], [2]])
        with pytest.raises(NotSupportedError):
            cursor.copy("COPY accounts_tenant TO STDOUT")


@pytest.mark.parametrize("given", ["'; RESET ROLE; --", 7, b"x"])
def test_what_is_no_id_is_no_tenant(given: Any) -> None:
    with pytest.raises(TypeError):
        as_tenant(given)


@pytest.mark.django_db
def test_rows_that_are_fetched_in_pieces_are_of_whoever_asked(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    mine = make_source(tenant)
    make_source(other_tenant)

    with as_tenant(tenant.pk):
        assert list(Source.all_tenants.iterator(chunk_size=1)) == [mine]


def test_rows_that_are_fetched_outside_a_transaction_too(committed_tenant: Tenant) -> None:
    mine = make_source(committed_tenant)

    with as_tenant(committed_tenant.pk):
        assert list(Source.all_tenants.iterator(chunk_size=1)) == [mine]
    with as_nobody():
        assert list(Source.all_tenants.iterator(chunk_size=1)) == []


# --- Threads, tasks, requests ---------------------------------------------------------------------


def in_a_thread(target: Any, *args: Any) -> list[Acting]:
    found: list[Acting] = []
    thread = threading.Thread(target=target, args=[*args, lambda: found.append(current_acting())])
    thread.start()
    thread.join()
    return found


def test_a_new_thread_is_nobody_unless_it_is_given_the_context(db: None) -> None:
    with as_tenant(uuid.uuid4()):
        assert in_a_thread(lambda note: note()) == [NOBODY]
        assert in_a_thread(copy_context().run) == [current_acting()]


@shared_task
def tell_who() -> tuple[str, str]:
    return who()


@pytest.mark.django_db
def test_a_task_begins_as_nobody() -> None:
    assert tell_who() == ("knowledge_serving", "")
    assert tell_who.apply().get() == ("knowledge_serving", "")


def respond(view: Any, path: str = "/agents") -> Any:
    return ActingMiddleware(view)(RequestFactory().get(path))


def test_a_request_begins_as_nobody_and_leaves_nobody_behind() -> None:
    seen: list[Acting] = []
    before = current_acting()

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(current_acting())
        turn_to_tenant(uuid.uuid4())
        return HttpResponse()

    respond(view)

    assert seen == [NOBODY]
    assert current_acting() == before


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("/admin/", DatabaseRole.STAFF),
        ("/admin/accounts/tenant/", DatabaseRole.STAFF),
        ("/administration", DatabaseRole.SERVING),
        ("/dashboard/admin/", DatabaseRole.SERVING),
    ],
)
def test_the_back_office_alone_acts_as_staff(path: str, role: DatabaseRole) -> None:
    answer = respond(lambda request: HttpResponse(current_acting().role), path)

    assert answer.content == role.encode()


def test_a_stream_acts_as_the_caller_of_its_request() -> None:
    tenant_id = uuid.uuid4()
    closed: list[Acting] = []

    def chunks() -> Iterator[bytes]:
        try:
            while True:
                yield str(current_acting().tenant_id).encode()
        finally:
            closed.append(current_acting())

    def view(request: HttpRequest) -> StreamingHttpResponse:
        turn_to_tenant(tenant_id)
        return StreamingHttpResponse(chunks())

    before = current_acting()
    response = respond(view)
    assert next(iter(response)) == str(tenant_id).encode()
    response.close()

    assert [acting.tenant_id for acting in closed] == [tenant_id]
    assert current_acting() == before
