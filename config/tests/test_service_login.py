"""The login of web, workers and beat: before it has taken up a role it may do nothing at all."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from psycopg import errors

from accounts.models import Tenant
from config.tests.test_row_security import FORBIDDEN


@pytest.fixture
def service(committed_tenant: Tenant) -> Iterator[psycopg.Connection]:
    """A new connection, as the service makes it; one tenant is there for other connections too."""
    url = urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}")
    if settings.DATABASE_URL == settings.DATABASE_OWNER_URL:
        pytest.skip("one login for all: the service's is the owner's")
    with psycopg.connect(url.geturl()) as login:
        yield login


def test_the_login_itself_has_no_right_and_owns_nothing(service: psycopg.Connection) -> None:
    for statement in ("SELECT FROM accounts_tenant", "SELECT FROM accounts_plan", *FORBIDDEN):
        with pytest.raises(errors.InsufficientPrivilege), service.transaction():
            service.execute(statement)
    owned = "SELECT FROM pg_shdepend WHERE deptype = 'o' AND refobjid = current_user::regrole"
    assert service.execute(owned).rowcount == 0


@pytest.mark.parametrize("role", ["postgres", "pg_read_all_data", "pg_write_all_data"])
def test_the_login_takes_up_no_other_role(service: psycopg.Connection, role: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        service.execute(f"SET ROLE {role}")


def test_the_login_does_not_become_the_owner(service: psycopg.Connection) -> None:
    owner = urlsplit(settings.DATABASE_OWNER_URL).username
    for statement in (f"SET ROLE {owner}", f"SET SESSION AUTHORIZATION {owner}"):
        with pytest.raises(errors.InsufficientPrivilege), service.transaction():
            service.execute(statement)


def test_where_nobody_ever_named_a_tenant_there_is_none(
    service: psycopg.Connection, committed_tenant: Tenant
) -> None:
    """The setting is not empty there: it does not exist."""
    service.execute("SET LOCAL ROLE knowledge_serving")
    assert service.execute("SELECT FROM accounts_tenant").rowcount == 0
    service.execute("SELECT set_config('knowledge.tenant', %s, true)", [str(committed_tenant.pk)])
    assert service.execute("SELECT FROM accounts_tenant").rowcount == 1
    service.commit()
    service.execute("SET LOCAL ROLE knowledge_serving")
    assert service.execute("SELECT FROM accounts_tenant").rowcount == 0
