"""What a person does with their own account: sessions, another workspace, language, setting up."""

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.errors import InvalidCredentials, InvalidToken, NoWorkspaceAccess, SessionNotFound
from accounts.models import Membership, Session, Tenant, User
from accounts.services.preferences import choose_language
from accounts.services.signing_in import two_factor
from accounts.services.signing_in.sessions import (
    end_other_sessions,
    end_session,
    list_sessions,
    move_session,
    revoke_session,
)
from accounts.tests.factories import (
    make_invitation,
    make_membership,
    make_session,
    make_tenant,
    make_user,
    switch_two_factor_on,
)
from config.errors import InvalidValue
from config.tests.parallel import in_parallel


@pytest.fixture
def user(tenant: Tenant) -> User:
    return make_user(tenant)


def as_asked(session: Session) -> Session:
    """As a request finds it."""
    return Session.all_tenants.select_related("membership__user").get(pk=session.pk)


# --- Sessions -------------------------------------------------------------------------------------


def test_open_sessions_of_all_workspaces_are_listed_those_used_last_first(
    tenant: Tenant, user: User
) -> None:
    zeta = make_tenant("zeta")
    make_membership(zeta, user)
    now = timezone.now()
    there, here, ended = (make_session(user, one) for one in (zeta, tenant, tenant))
    make_session(user, tenant, expires_at=now - timedelta(seconds=1))
    make_session(make_user(tenant), tenant)
    revoke_session(ended.pk)
    Session.objects.for_tenant(zeta).update(last_seen_at=now + timedelta(minutes=1))

    assert [one.pk for one in list_sessions(user)] == [there.pk, here.pk]


def test_of_a_session_that_is_anothers_ended_or_none_nothing_is_ended(
    tenant: Tenant, user: User
) -> None:
    ended = make_session(user, tenant)
    revoke_session(ended.pk)
    theirs = make_session(make_user(tenant), tenant)

    for session_id in (ended.pk, theirs.pk, uuid.uuid4()):
        with pytest.raises(SessionNotFound):
            end_session(user, session_id)
    theirs.refresh_from_db()
    assert theirs.revoked_at is None


def test_all_others_are_ended_and_counted(tenant: Tenant, user: User) -> None:
    kept, *_ = (make_session(user, tenant) for _ in range(3))

    assert end_other_sessions(user, kept) == 2
    assert list_sessions(user).get().pk == kept.pk


# --- Another workspace ----------------------------------------------------------------------------


def test_going_on_elsewhere_ends_the_session_here_and_accepts_an_invitation_there(
    tenant: Tenant, user: User
) -> None:
    zeta = make_tenant("zeta")
    make_invitation(zeta, user)
    session = as_asked(make_session(user, tenant))

    login = move_session(session, "ZETA")

    assert login.session.tenant == zeta
    assert list_sessions(user).get().pk == login.session.pk
    assert Membership.objects.for_tenant(zeta).get().activated_at is not None


def test_where_the_person_is_no_member_they_do_not_go_on_and_stay_where_they_are(
    tenant: Tenant, user: User, other_tenant: Tenant
) -> None:
    session = as_asked(make_session(user, tenant))

    for slug in (other_tenant.slug, "missing"):
        with pytest.raises(NoWorkspaceAccess):
            move_session(session, slug)
    assert list_sessions(user).get().pk == session.pk


def test_a_password_that_changed_meanwhile_stops_it(tenant: Tenant, user: User) -> None:
    make_membership(make_tenant("zeta"), user)
    session = as_asked(make_session(user, tenant))
    user.set_password("another horse battery 2")
    user.save()

    with pytest.raises(InvalidCredentials):
        move_session(session, "zeta")


def test_a_session_that_was_ended_meanwhile_does_not_go_on(tenant: Tenant, user: User) -> None:
    make_membership(make_tenant("zeta"), user)
    session = as_asked(make_session(user, tenant))
    revoke_session(session.pk)

    with pytest.raises(InvalidToken):
        move_session(session, "zeta")
    assert not list_sessions(user).exists()


def test_of_many_moves_at_once_one_is_made(committed_tenant: Tenant) -> None:
    user = make_user(committed_tenant)
    zeta = make_tenant(f"{committed_tenant.slug}-too")
    make_membership(zeta, user)
    session = as_asked(make_session(user, committed_tenant))

    def move() -> bool:
        try:
            return bool(move_session(session, zeta.slug))
        except InvalidToken:
            return False

    try:
        assert sum(in_parallel(move, times=10)) == 1
        assert list_sessions(user).get().tenant == zeta
    finally:
        zeta.delete()


# --- Language -------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "es", ""])
def test_a_language_is_chosen_or_left_to_the_browser(user: User, language: str) -> None:
    choose_language(user, language)

    user.refresh_from_db()
    assert user.language == language


@pytest.mark.parametrize("language", ["fr", "EN", "e", "es\x00"])
def test_no_other_language_is_taken(user: User, language: str) -> None:
    with pytest.raises(InvalidValue):
        choose_language(user, language)


# --- Setting the second factor up -----------------------------------------------------------------


def test_a_setup_can_be_looked_at_until_it_is_confirmed(user: User) -> None:
    assert two_factor.find_setup(user) is None

    setup = two_factor.set_up(user)

    assert two_factor.find_setup(user) == setup


def test_a_confirmed_secret_is_shown_to_nobody(user: User) -> None:
    switch_two_factor_on(user)

    assert two_factor.find_setup(user) is None
    assert two_factor.count_recovery_codes(user) == 10
