"""A workspace goes when it was asked for and has waited, and until then anybody can keep it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.errors import DeletionBegun, IncorrectPassword, WrongWorkspaceName
from accounts.mail.deliveries import read_context
from accounts.models import Membership, OutgoingMail, Role, Tenant, User
from accounts.models.tenants import DELETION_WAIT
from accounts.services.activity import list_activity
from accounts.services.leaving.deletion import ask_deletion, begin_due_deletions, cancel_deletion
from accounts.tests.factories import PASSWORD, make_user
from config.errors import Forbidden


@pytest.fixture
def ana(tenant: Tenant) -> User:
    return make_user(tenant, email="ana@acme.es")


def member(tenant: Tenant, user: User) -> Membership:
    return Membership.objects.for_tenant(tenant).get(user=user)


def ask(tenant: Tenant, by: Membership, *, slug: str = "acme", password: str = PASSWORD) -> None:
    ask_deletion(tenant, slug=slug, by=by, password=password, address="203.0.113.9")


def test_it_waits_and_every_admin_is_told(tenant: Tenant, ana: User) -> None:
    make_user(tenant, email="bea@acme.es")
    make_user(tenant, role=Role.MEMBER)

    ask(tenant, member(tenant, ana), slug="ACME ")
    ask(tenant, member(tenant, ana))

    mails = OutgoingMail.objects.for_tenant(tenant).order_by("recipient")
    assert [(mail.recipient, mail.template) for mail in mails] == [
        ("ana@acme.es", "workspace_deletion"),
        ("bea@acme.es", "workspace_deletion"),
    ]
    told = read_context(mails[0])
    assert told["asked_by"] == "ana@acme.es"
    assert told["link"].endswith("/dashboard/workspace/leaving")
    tenant.refresh_from_db()
    assert tenant.deleted_from is not None
    assert told["deleted_on"] == f"{tenant.deleted_from:%Y-%m-%d %H:%M} UTC"
    assert [entry.action for entry in list_activity(tenant)] == ["deletion_asked"]


@pytest.mark.parametrize("typed", ["", "Acme Inc.", "umbrella"])
def test_another_name_does_nothing(tenant: Tenant, ana: User, typed: str) -> None:
    with pytest.raises(WrongWorkspaceName):
        ask(tenant, member(tenant, ana), slug=typed)

    tenant.refresh_from_db()
    assert tenant.deletion_asked_at is None


@pytest.mark.parametrize("password", ["", "wrong"])
def test_without_the_password_nothing_happens(tenant: Tenant, ana: User, password: str) -> None:
    with pytest.raises(IncorrectPassword):
        ask(tenant, member(tenant, ana), password=password)

    tenant.refresh_from_db()
    assert tenant.deletion_asked_at is None
    assert not OutgoingMail.objects.for_tenant(tenant).exists()


def test_whoever_is_no_admin_any_more_cannot_ask(tenant: Tenant, ana: User) -> None:
    asking = member(tenant, ana)
    Membership.objects.for_tenant(tenant).update(role=Role.MEMBER)

    with pytest.raises(Forbidden):
        ask(tenant, asking)


def test_it_is_cancelled_at_any_time_before(tenant: Tenant, ana: User) -> None:
    ask(tenant, member(tenant, ana))
    cancel_deletion(tenant)
    cancel_deletion(tenant)

    tenant.refresh_from_db()
    assert tenant.deletion_asked_at is None
    assert not begin_due_deletions(timezone.now() + 2 * DELETION_WAIT).exists()
    actions = [entry.action for entry in list_activity(tenant)]
    assert actions == ["deletion_cancelled", "deletion_asked"]


def test_it_begins_when_the_wait_is_over_and_not_before(
    tenant: Tenant, other_tenant: Tenant, ana: User
) -> None:
    ask(tenant, member(tenant, ana))
    due = timezone.now() + DELETION_WAIT

    assert list(begin_due_deletions(due - timedelta(minutes=1))) == []
    assert list(begin_due_deletions(due)) == [tenant]
    assert list(begin_due_deletions(timezone.now())) == [tenant]  # what a kill left


def test_once_it_has_begun_it_cannot_be_cancelled(tenant: Tenant, ana: User) -> None:
    ask(tenant, member(tenant, ana))
    begin_due_deletions(timezone.now() + DELETION_WAIT)

    with pytest.raises(DeletionBegun):
        cancel_deletion(tenant)
