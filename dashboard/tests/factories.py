"""Browsers of people who are signed in, for the tests of every section."""

from django.test import Client

from accounts.models import Role, Tenant, User
from accounts.services.signing_in.cookies import make_cookie
from accounts.tests.factories import make_session, make_user
from dashboard.door import COOKIE


def pages_of(
    tenant: Tenant, *, role: Role = Role.ADMIN, user: User | None = None, language: str = "en"
) -> Client:
    """A browser in which a member of `tenant` is signed in: a new one with `role`, or `user`."""
    person = user or make_user(tenant, role=role)
    client = Client(raise_request_exception=False, headers={"accept-language": language})
    client.cookies[COOKIE] = make_cookie(make_session(person, tenant))
    return client
