"""bin/manage create_tenant, create_user and Django's createsuperuser."""

import json
import re
from io import StringIO
from typing import Any

import pytest
from django.core.management import (
    CommandError,
    call_command,
    get_commands,
    load_command_class,
)

from accounts.management.commands import create_user
from accounts.management.passwords import GoneOption
from accounts.models import Membership, Role, Tenant, User
from accounts.tests.factories import PASSWORD, make_user

TENANT = {
    "slug": "acme",
    "name": "Acme, S.L.",
    "plan": "pro",
    "admin_email": "ana@acme.es",
}
USER = {"tenant": "acme", "email": "bea@acme.es", "role": "viewer"}


def run(name: str, options: dict[str, str], password: str = PASSWORD) -> Any:
    """With the password on standard input."""
    out = StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdin", StringIO(f"{password}\n"))
        call_command(name, **options, stdout=out)
    assert out.getvalue().count("\n") == 1
    assert PASSWORD not in out.getvalue()
    return json.loads(out.getvalue())


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


# --- create_tenant --------------------------------------------------------------------------------


@pytest.mark.django_db
def test_create_tenant_prints_the_tenant_and_its_admin() -> None:
    printed = run("create_tenant", TENANT)

    tenant, user = Tenant.objects.get(), User.objects.get()
    assert printed == {
        "tenant_id": str(tenant.id),
        "tenant_slug": "acme",
        "name": "Acme, S.L.",
        "plan": "pro",
        "user_id": str(user.id),
        "email": "ana@acme.es",
        "role": "admin",
        "created": True,
    }
    assert user.check_password(PASSWORD)
    assert not user.is_staff
    assert Membership.objects.for_tenant(tenant).get().role == Role.ADMIN


@pytest.mark.django_db
def test_slug_and_address_are_kept_in_lower_case() -> None:
    printed = run("create_tenant", TENANT | {"slug": "ACME", "admin_email": "Ana@Acme.es"})

    assert (printed["tenant_slug"], printed["email"]) == ("acme", "ana@acme.es")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"slug": "ac"}, "A slug has 3 to 63 letters, digits and hyphens."),
        ({"slug": "a" * 64}, "A slug has 3 to 63 letters, digits and hyphens."),
        ({"slug": "ac me"}, "A slug has 3 to 63 letters, digits and hyphens."),
        ({"slug": "acmé"}, "A slug has 3 to 63 letters, digits and hyphens."),
        ({"slug": "umbrella"}, "This slug is already taken."),
        ({"slug": "Umbrella"}, "This slug is already taken."),
        ({"name": " "}, "name: This field cannot be blank."),
        (
            {"name": "n" * 201},
            "name: Ensure this value has at most 200 characters (it has 201).",
        ),
        (
            {"plan": "gold"},
            "There is no plan 'gold'. Plans: free, starter, pro, enterprise.",
        ),
        ({"admin_email": "ana"}, "email: Enter a valid email address."),
    ],
)
def test_create_tenant_says_what_is_wrong_and_makes_nothing(
    wrong: dict[str, str], message: str, other_tenant: Tenant
) -> None:
    with pytest.raises(CommandError) as error:
        run("create_tenant", TENANT | wrong)

    assert (str(error.value), error.value.returncode) == (message, 1)
    assert list(Tenant.objects.all()) == [other_tenant]
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("", "Type the password when asked, or write it to standard input."),
        ("short", "This password is too short. It must contain at least 10 characters."),
        ("password123", "This password is too common."),
        ("ana@acme.es", "The password is too similar to the email."),
    ],
)
def test_create_tenant_says_what_is_wrong_with_the_password(
    password: str, message: str, db: None
) -> None:
    with pytest.raises(CommandError) as error:
        run("create_tenant", TENANT, password)

    assert str(error.value) == message
    assert not Tenant.objects.exists()


@pytest.mark.django_db
def test_admin_who_has_an_account_keeps_its_password() -> None:
    user = make_user(email="ana@acme.es")

    printed = run("create_tenant", TENANT, "another one, and long")

    assert (printed["user_id"], printed["created"]) == (str(user.id), False)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)


# --- create_user ----------------------------------------------------------------------------------


@pytest.mark.parametrize("role", Role.values)
def test_create_user_prints_the_member(role: str, tenant: Tenant) -> None:
    printed = run("create_user", USER | {"role": role})

    user = User.objects.get()
    assert printed == {
        "tenant_id": str(tenant.id),
        "tenant_slug": "acme",
        "user_id": str(user.id),
        "email": "bea@acme.es",
        "role": role,
        "created": True,
    }
    assert Membership.objects.for_tenant(tenant).get().role == role


def test_somebody_who_has_an_account_only_becomes_a_member(
    tenant: Tenant, other_tenant: Tenant
) -> None:
    user = make_user(other_tenant, email="bea@acme.es")

    printed = run("create_user", USER | {"email": "BEA@acme.es"}, "x")

    assert (printed["user_id"], printed["created"]) == (str(user.id), False)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert user.memberships.count() == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"tenant": "nobody"}, "There is no tenant 'nobody'."),
        ({"role": "owner"}, "The role must be one of: admin, member, viewer, api_user."),
        ({"email": "ana@acme.es"}, "This person is already a member."),
        ({"email": "bea"}, "email: Enter a valid email address."),
    ],
)
def test_create_user_says_what_is_wrong_and_makes_nothing(
    wrong: dict[str, str], message: str, tenant: Tenant
) -> None:
    ana = make_user(tenant, email="ana@acme.es", role=Role.VIEWER)

    with pytest.raises(CommandError) as error:
        run("create_user", USER | wrong)

    assert (str(error.value), error.value.returncode) == (message, 1)
    assert list(User.objects.all()) == [ana]
    assert ana.memberships.get().role == Role.VIEWER


# --- From the shell -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "option"), [("create_tenant", "--admin-password"), ("create_user", "--password")]
)
def test_no_password_is_an_argument_that_others_could_read(
    name: str, option: str, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", StringIO(f"{PASSWORD}\n"))
    given = {"create_tenant": TENANT | {"slug": "nova"}, "create_user": USER}[name]
    options = [f"--{key.replace('_', '-')}={value}" for key, value in given.items()]

    with pytest.raises(CommandError) as error:
        call_command(name, *options, f"{option}={PASSWORD}")

    assert f"{option} no longer exists" in str(error.value)
    assert "standard input" in str(error.value)
    assert PASSWORD not in str(error.value)
    assert not User.objects.exists()


def test_no_command_of_ours_takes_a_secret_as_an_argument() -> None:
    taken = {
        (name, action.dest)
        for name, app in get_commands().items()
        if not app.startswith("django.")
        for action in load_command_class(app, name).create_parser("manage.py", name)._actions
        if re.search("password|secret|token|key", " ".join((action.dest, *action.option_strings)))
        and not isinstance(action, GoneOption)
    }

    assert taken == set()


def test_a_password_typed_at_a_terminal_is_typed_twice(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal())
    typed = iter([PASSWORD, "another one, and long"])
    monkeypatch.setattr("accounts.management.passwords.getpass", lambda prompt: next(typed))

    with pytest.raises(CommandError, match="The two passwords do not match"):
        call_command("create_tenant", **TENANT)

    assert not Tenant.objects.exists()


def test_an_error_is_one_line_and_exit_code_1(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("django.core.management.base.connections.close_all", lambda: None)
    monkeypatch.setattr("sys.stdin", StringIO(f"{PASSWORD}\n"))
    options = [f"--{name}={value}" for name, value in (USER | {"role": "owner"}).items()]

    with pytest.raises(SystemExit) as ended:
        create_user.Command().run_from_argv(["manage.py", "create_user", *options])

    assert ended.value.code == 1
    assert capsys.readouterr() == (
        "",
        "CommandError: The role must be one of: admin, member, viewer, api_user.\n",
    )


# --- createsuperuser ------------------------------------------------------------------------------


@pytest.mark.django_db
def test_createsuperuser_makes_staff_who_log_in_by_e_mail(
    monkeypatch: pytest.MonkeyPatch, client: Any
) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)

    call_command("createsuperuser", email="Staff@Example.com", interactive=False, verbosity=0)

    user = User.objects.get()
    assert (user.email, user.is_staff, user.is_superuser) == ("staff@example.com", True, True)
    assert client.login(username="STAFF@example.com", password=PASSWORD)


@pytest.mark.django_db
def test_createsuperuser_refuses_a_known_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    make_user(email="staff@example.com")

    with pytest.raises(CommandError, match="That email is already taken"):
        call_command("createsuperuser", email="staff@example.com", interactive=False)
